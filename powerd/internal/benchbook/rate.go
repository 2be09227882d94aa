package benchbook

import (
	"errors"
	"math"
	"path/filepath"
	"time"

	"powerd/analysis/align"
)

// ModuleSchema names the version of a module's file.
const ModuleSchema = "powerd.module/1"

// Rate is how far off the clock of a module was, in a run.
type Rate struct {
	DriftPPM    float64 `json:"drift_ppm"` // positive = its period is long
	DriftU95PPM float64 `json:"drift_u95_ppm"`
	DateUTC     string  `json:"date_utc"` // RFC 3339
	Run         string  `json:"run"`      // its id
	Seconds     float64 `json:"seconds"`  // of the stream that told it
	Warm        bool    `json:"warm"`     // the module's warm-up was over
	Simulated   bool    `json:"simulated,omitempty"`
}

// moduleFile is what stands on disk.
type moduleFile struct {
	Schema string `json:"schema"`
	Serial string `json:"serial"`
	Rate   *Rate  `json:"rate,omitempty"`
}

// modulesDir is the folder of modules' files in the book's.
const modulesDir = "modules"

func (b *Book) modulePage(serial string) page {
	return page{path: filepath.Join(b.dir, modulesDir, FileName(serial)+".json"), of: "module " + serial}
}

// Rate returns what is remembered of a module's clock; nil if nothing is.
func (b *Book) Rate(serial string) (*Rate, error) {
	p := b.modulePage(serial)
	var f moduleFile
	found, err := p.read(&f)
	switch {
	case err != nil || !found:
		return nil, err
	case f.Schema != ModuleSchema || f.Serial != serial:
		return nil, p.otherThan(f.Schema, "module "+f.Serial, ModuleSchema)
	case f.Rate == nil:
		return nil, nil
	}
	if why := f.Rate.odd(); why != "" {
		return nil, p.nonsense(why)
	}
	return f.Rate, nil
}

// odd says what of r cannot be; "" if nothing.
func (r *Rate) odd() string {
	_, err := time.Parse(time.RFC3339, r.DateUTC)
	switch {
	case err != nil:
		return "its date_utc is no date"
	case !(r.DriftU95PPM > 0 && r.DriftU95PPM <= align.MaxPPM && math.Abs(r.DriftPPM) <= align.MaxPPM):
		return "no module has such a rate"
	}
	return ""
}

// Now returns what the rate may be at a time of a module that is warm by now, or not: a
// rate, and the half-width of its 95 % interval.
func (r *Rate) Now(at time.Time, warm bool) (ppm, u95PPM float64) {
	then, _ := time.Parse(time.RFC3339, r.DateUTC) // Rate returned it, or Remember was given it
	m := align.Remembered{PPM: r.DriftPPM, U95PPM: r.DriftU95PPM, Warm: r.Warm}
	return r.DriftPPM, m.Now(at.Sub(then), warm)
}

// Remember writes down the rate that a module had, unless what is remembered of it says
// more and agrees. A damaged file is an error, and is not written over.
func (b *Book) Remember(serial string, r Rate) error {
	p := b.modulePage(serial)
	if why := r.odd(); why != "" {
		return p.unwritten(errors.New(why))
	}
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	old, err := b.Rate(serial)
	if err != nil {
		return err
	}
	if old != nil && old.Simulated == r.Simulated {
		at, _ := time.Parse(time.RFC3339, r.DateUTC)
		was, u := old.Now(at, r.Warm)
		if u < r.DriftU95PPM && math.Abs(was-r.DriftPPM) <= u+r.DriftU95PPM {
			return nil
		}
	}
	return p.write(moduleFile{Schema: ModuleSchema, Serial: serial, Rate: &r})
}
