package results

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/textfile"
	"powerd/quarch"
)

// DriveFile is the copy of the drive file in a run's folder that the run was made
// with.
const DriveFile = "drive.yaml"

// otherCapacity is the share that a drive's capacity may differ by from its drive
// file's, which is rounded.
const otherCapacity = 0.05

// readSheet reads a drive file of the run's folder. A run without one has no limits; one
// that is damaged leaves them withheld.
func (d *Document) readSheet(file string) {
	path := filepath.Join(d.folder.dir, file)
	data, err := textfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) && file == DriveFile {
		return
	}
	if err == nil {
		d.sheet, err = datasheet.Parse(file, data)
	}
	if err != nil {
		d.withhold("limits", d.folder.inside(err.Error()))
		return
	}
	s := d.sheet
	d.Drive.File = s.Name
	if why := d.partial(); why != "" {
		d.warn("drive_file_rails", why)
	}
	has, said := float64(d.Drive.CapacityBytes), float64(s.CapacityBytes)
	if has > 0 && said > 0 && !d.Suite.Simulated && math.Abs(has-said) > otherCapacity*said {
		d.warn("drive_file_of_another", fmt.Sprintf("drive file %s is of a drive of %.4g GB, this one has %.4g GB: is it the right one?", s.Name, said*1e-9, has*1e-9))
	}
}

// inrushOptions are what a power-up is asked: peaks over the windows of the claims
// too, and the time above their currents.
func (d *Document) inrushOptions(s step) inrush.Options {
	o := inrush.Options{Step: s.mark.Step, Rails: d.Bench.RailsUsed, NoRails: d.noRails(), Accuracy: d.Module.Calibration.Spec()}
	o.ReadyNs, o.ReadyU95Ns, o.ReadyWhy = s.answered()
	if d.sheet == nil {
		return o
	}
	o.WindowsUs = inrush.DefaultWindowsUs()
	o.LimitsA = map[quarch.Rail][]float64{}
	for _, c := range d.sheet.Claims {
		if c.WindowUs > 0 && (c.Quantity == limits.StartCurrent || c.Quantity == limits.StartPower) && !slices.Contains(o.WindowsUs, c.WindowUs) {
			o.WindowsUs = append(o.WindowsUs, c.WindowUs)
		}
		if r := quarch.Rail(c.Rail); c.Quantity == limits.StartCurrent && !slices.Contains(o.LimitsA[r], c.Limit) {
			o.LimitsA[r] = append(o.LimitsA[r], c.Limit)
		}
	}
	slices.Sort(o.WindowsUs)
	return o
}
