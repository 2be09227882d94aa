package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/analysis/limits"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// artist draws what a run has, one picture after the other.
type artist struct {
	dir      string
	d        *results.Document
	footer   plots.Footer
	plots    []report.Plot
	warnings []results.Warning
}

// save keeps a picture, or says why there is none.
func (a *artist) save(file, title, caption string, draw func() (*plots.Picture, error)) {
	err := os.MkdirAll(filepath.Join(a.dir, "plots"), 0o755)
	var p *plots.Picture
	if err == nil {
		p, err = draw()
	}
	file = report.FileName(file) + ".png"
	if err == nil {
		err = p.Save(filepath.Join(a.dir, "plots", file))
	}
	if err != nil {
		a.warnings = append(a.warnings, results.Warning{Code: "no_picture", Text: fmt.Sprintf("%s: %v", title, err)})
		return
	}
	a.plots = append(a.plots, report.Plot{File: file, Title: title, Caption: caption})
}

// waves returns the reduced samples of a window. A total that is one rail's is left out:
// its line would hide that rail's.
func (a *artist) waves(startNs, endNs, originNs int64) []*analysis.Waveform {
	waves := a.d.Waveforms(analysis.Window{StartNs: startNs, EndNs: endNs}, plots.Columns, originNs)
	const railAndTotal = 2
	if len(inWatts(waves)) == railAndTotal {
		waves = slices.DeleteFunc(waves, func(w *analysis.Waveform) bool { return w.Name == "total_w" })
	}
	return waves
}

// with returns a footer for one step.
func (a *artist) with(step, sampling string) plots.Footer {
	f := a.footer
	f.Step = step
	if sampling != "" {
		f.Sampling = sampling
	}
	return f
}

func (a *artist) powerUps() {
	if a.d.Inrush == nil {
		return
	}
	for i, c := range a.d.Inrush.Cycles {
		if c.OriginMonoNs == nil {
			continue
		}
		origin := int64(*c.OriginMonoNs)
		lines := append(limitLines(a.d, limits.StartCurrent), limitLines(a.d, limits.StartPower)...)
		f := a.with(c.Step, fmt.Sprintf("%g µs", c.ResolutionUs))
		caption := "Volts, amperes and watts from the first stripe at 1 % of nominal voltage. The band is from the lowest to the highest sample of a pixel, the line their mean."
		if len(c.NotMeasured) > 0 {
			caption += " " + analysis.RailNames(c.NotMeasured) + " was not measured, so there is no total."
		}
		title := "Power-up"
		if n := len(a.d.Inrush.Cycles); n > 1 {
			title = fmt.Sprintf("Power-up %d of %d", i+1, n)
		}
		a.save(c.Step, title, caption,
			func() (*plots.Picture, error) {
				return plots.PowerUp(a.waves(origin-50e6, c.EndMonoNs, origin), lines, f)
			})
		a.save(c.Step+"-150ms", title+", the first 150 ms", "Where the drive comes to life: current beyond what charges its capacitors.",
			func() (*plots.Picture, error) {
				return plots.PowerUpCloseUp(a.waves(origin, origin+int64(plots.CloseUpSeconds*1e9), origin), lines, f)
			})
	}
}

// load draws the whole run: power and IOPS on one time axis.
func (a *artist) load() {
	if len(a.d.Efficiency)+len(a.d.Records) == 0 {
		return
	}
	start, end := a.d.Run.StartedMonoNs, a.d.Run.StartedMonoNs
	for _, s := range a.d.Steps {
		end = max(end, s.EndMonoNs)
	}
	marks := timeline(a.d)
	caption := "Both on the host's clock. Time without samples is left open, as between two steps while the module is set to another rate."
	if len(a.d.Efficiency) > 0 {
		caption += " The engine logs no row for the last part of a step, so its line ends before the power does."
	}
	a.save("power-and-iops", "Power and IOPS", caption, func() (*plots.Picture, error) {
		w := a.waves(start, end, start)
		rate := a.d.Rate("iops", analysis.Window{StartNs: start, EndNs: end}, plots.Columns, start)
		return plots.PowerAndIOPS(inWatts(w), rate, marks, a.footer)
	})
}

func inWatts(waves []*analysis.Waveform) []*analysis.Waveform {
	return slices.DeleteFunc(slices.Clone(waves), func(w *analysis.Waveform) bool { return w.Unit != "W" })
}

// matrices draws each matrix of the suite: what it gives for its power, what it does, and
// what it draws.
func (a *artist) matrices() {
	for _, m := range a.d.Matrices() {
		for _, q := range []struct{ column, unit, file, words string }{
			{"iops_per_mw", "IOPS/mW", "iops-per-mw", "IOPS per milliwatt"},
			{"mb_per_s_per_mw", "MB/s/mW", "mb-per-s-per-mw", "MB/s per milliwatt"},
			{"iops", "IOPS", "iops", "IOPS"},
			{"mean_w", "W", "power", "power"},
		} {
			name := m.Group
			if m.Part != "" {
				name += "-" + m.Part
			}
			title := fmt.Sprintf("%s: %s", name, q.words)
			a.save(name+"-"+q.file, title, "One cell a workload; power of all rails over the very window of its IO. "+stateText(m.Table),
				func() (*plots.Picture, error) {
					t, err := report.Pivot(m.Table, m.RowKey, m.ColumnKey, q.column)
					if err != nil {
						return nil, err
					}
					return plots.Matrix(t, plots.MatrixLabels{Title: title, Unit: q.unit, Subtitle: common(m.Table)}, a.footer)
				})
		}
	}
}

// wholeDrive is the range of IO that goes over all of a drive.
const wholeDrive = "0-100%"

// common says what all cells of a matrix have in common: "randrw, 4 KiB, 1 job". All of
// the drive and random data are what goes without saying.
func common(t *analysis.Table) string {
	var parts []string
	for _, key := range []struct{ column, format string }{
		{"rw", "%s"},
		{"bs", "%s"},
		{"read_pct", "%s %% reads"},
		{"qd", "queue depth %s"},
		{"jobs", "jobs %s"},
		{"range", "%s of the drive"},
		{"entropy_pct", "entropy %s %%"},
	} {
		first := t.At(0, key.column).Text
		same := first != ""
		for i := range t.Rows {
			same = same && t.At(i, key.column).Text == first
		}
		if !same || key.column == "range" && first == wholeDrive || key.column == "entropy_pct" && first == "100" {
			continue
		}
		if n, err := strconv.ParseFloat(first, 64); err == nil && key.column == "bs" {
			first = report.BlockSize(n)
		}
		parts = append(parts, fmt.Sprintf(key.format, first))
	}
	return strings.Join(parts, ", ")
}
