package publish

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/recovery"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// recoveryLines are what pauses give a drive back.
func recoveryLines(d *results.Document) []report.Line {
	var out []report.Line
	for _, r := range d.Recovery {
		if r.Gain == nil {
			continue
		}
		out = append(out, report.Line{
			Label: fmt.Sprintf("IOPS after pauses of %g s ÷ before", r.PauseS), Figure: analysis.OptU(r.Gain, r.GainU95, ""),
			Note: fmt.Sprintf("%s: %.5g IOPS after, %.5g before", r.Step, *r.After.IOPS, *r.BeforeIOPS),
		})
	}
	return out
}

// recoveries draws what each pause of a recovery gave; a pause of 0 s is the load before.
func (a *artist) recoveries() {
	groups := map[string][]*recovery.Result{}
	var order []string
	for _, r := range a.d.Recovery {
		if groups[r.Group] == nil {
			order = append(order, r.Group)
		}
		groups[r.Group] = append(groups[r.Group], r)
	}
	for _, name := range order {
		a.recovery(name, groups[name])
	}
}

func (a *artist) recovery(name string, all []*recovery.Result) {
	first := all[0]
	iops := plots.Curve{Name: "iops", Label: "IOPS after the pause", Unit: "IOPS"}
	after := plots.Curve{Name: "total_w", Label: "power after the pause", Unit: "W"}
	pause := plots.Curve{Name: "pause_w", Label: "power in the pause", Unit: "W"}
	add := func(c *plots.Curve, x float64, y, u95 *float64) {
		value := func(p *float64) float64 {
			if p == nil {
				return math.NaN()
			}
			return *p
		}
		c.X, c.Y, c.U95 = append(c.X, x), append(c.Y, value(y)), append(c.U95, value(u95))
	}
	add(&iops, 0, first.BeforeIOPS, nil)
	add(&after, 0, first.BeforeMeanW, nil)
	for _, r := range all {
		if r.After == nil {
			continue
		}
		add(&iops, r.PauseS, r.After.IOPS, r.After.IOPSU95)
		add(&after, r.PauseS, r.After.MeanW, r.After.MeanU95W)
		add(&pause, r.PauseS, r.Pause.MeanW, r.Pause.MeanU95W)
	}
	labels := plots.CurveLabels{
		Title: "Recovery by pause", Varied: "Pause (s)",
		Subtitle: fmt.Sprintf("%s, %s, queue depth %d, jobs %d; loads of %g s; at 0 s the load before any pause", first.RW, report.BlockSize(float64(first.BSBytes)), first.QD, first.Jobs, first.LoadS),
	}
	planes := []plots.Plane{{Curves: []plots.Curve{iops}}, {Curves: []plots.Curve{after, pause}}}
	a.save(name+"-recovery", "Recovery by pause of "+name, "What the drive does and draws after pauses, beside the load without, and what it draws in them. The whiskers are ±.", func() (*plots.Picture, error) {
		return plots.Curves(planes, nil, labels, a.with(name, ""))
	})
}
