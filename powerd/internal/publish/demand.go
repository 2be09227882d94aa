package publish

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/demand"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// demandLines are the demands up to which the drive follows.
func demandLines(d *results.Document) []report.Line {
	var out []report.Line
	for _, r := range d.Demand {
		if r.LimitIOPS == nil {
			continue
		}
		out = append(out, report.Line{Label: "Demand limit, " + r.Step, Figure: analysis.Val(float64(*r.LimitIOPS)), Unit: "IOPS", Digits: len(fmt.Sprint(*r.LimitIOPS)), Note: r.Limit()})
	}
	return out
}

// demands draws each ramp: what was achieved and drawn at each demand, and the latency
// below it.
func (a *artist) demands() {
	for _, r := range a.d.Demand {
		if len(r.Steps) == 0 {
			continue
		}
		caption := fmt.Sprintf("A dot for each demand; met is what reached %g %% of it.", 100*demand.MetShare)
		if limit := r.Limit(); limit != "" {
			caption += " Limit: " + limit + "."
		}
		over := func(name, label, unit string, of func(*demand.Step) *float64) plots.Curve {
			c := plots.Curve{Name: name, Label: label, Unit: unit}
			for _, s := range r.Steps {
				y := math.NaN()
				if x := of(s); x != nil {
					y = *x
				}
				c.X, c.Y = append(c.X, float64(s.DemandIOPS)), append(c.Y, y)
			}
			return c
		}
		watts := over("total_w", "total power", "W", func(s *demand.Step) *float64 { return s.MeanW })
		watts.Right = true
		for _, s := range r.Steps {
			u := math.NaN()
			if s.MeanU95W != nil {
				u = *s.MeanU95W
			}
			watts.U95 = append(watts.U95, u)
		}
		planes := []plots.Plane{
			{Diagonal: true, Curves: []plots.Curve{over("iops", "IOPS", "IOPS", func(s *demand.Step) *float64 { return s.IOPS }), watts}},
			{Log: true, Curves: []plots.Curve{
				over("latency_mean", "mean latency", "µs", func(s *demand.Step) *float64 { return s.LatencyMeanUs }),
				over("latency_max", "maximum latency", "µs", func(s *demand.Step) *float64 { return s.LatencyMaxUs }),
			}},
		}
		var marks []plots.Mark
		if r.LimitIOPS != nil && r.NextIOPS != nil {
			marks = []plots.Mark{{AtS: math.Inf(-1), Label: "met"}, {AtS: float64(*r.LimitIOPS+*r.NextIOPS) / 2, Label: "not met"}}
		}
		labels := plots.CurveLabels{
			Title: "IOPS, power and latency over the demand", Varied: "Demand (IOPS)",
			Subtitle: fmt.Sprintf("%s, %s, queue depth %d, jobs %d; the grey line is the demand itself", r.RW, report.BlockSize(float64(r.BSBytes)), r.QD, r.Jobs),
		}
		a.save(r.Step+"-demand", "IOPS, power and latency over the demand of "+r.Step, caption, func() (*plots.Picture, error) {
			return plots.Curves(planes, marks, labels, a.with(r.Step, ""))
		})
	}
}
