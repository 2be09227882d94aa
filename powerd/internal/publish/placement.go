package publish

import (
	"powerd/analysis"
	"powerd/plots"
	"powerd/powerd/internal/results"
)

// alignment draws what the place of the samples in the host's time rests on.
func (a *artist) alignment() {
	d := a.d
	start, end := d.Run.StartedMonoNs, d.Run.StartedMonoNs
	for _, s := range d.Steps {
		end = max(end, s.EndMonoNs)
	}
	if end == start {
		return
	}
	p, err := d.Placement(analysis.Window{StartNs: start, EndNs: end}, plots.Columns, start)
	if p == nil && err == nil {
		return // a polled link has one clock, and no samples have none
	}
	a.save("alignment", "Alignment", "How far from the map blocks arrived (they cannot arrive before their last sample ends), what the host itself caused (it cannot be seen before), and the ± that both leave. Below: how far the module's clock is off its mean rate, as while it warms up.",
		func() (*plots.Picture, error) {
			if err != nil {
				return nil, err
			}
			placed := plots.Placed{Late: &p.Late, Floor: &p.Floor, U95: &p.U95, Clock: &p.Clock, Text: d.Alignment.Caption()}
			for _, e := range p.Evidence {
				placed.Causes = append(placed.Causes, plots.Cause{AtS: e.AtS, LateUs: e.LateUs, Kind: e.Kind})
			}
			for _, g := range d.Alignment.Gaps {
				placed.Gaps = append(placed.Gaps, plots.Stretch{FromS: since(d, g.StartMonoNs), ToS: since(d, g.EndMonoNs)})
			}
			for _, w := range d.Alignment.WallSteps {
				placed.WallAtS = append(placed.WallAtS, since(d, w.MonoNs))
			}
			return plots.Alignment(placed, a.footer)
		})
}

// since returns the seconds from the start of the run.
func since(d *results.Document, monoNs int64) float64 {
	return float64(monoNs-d.Run.StartedMonoNs) * 1e-9
}
