package publish

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// shareLines are what housekeeping takes of a drive's work, in both forms, and the power
// that the first of them is a share at.
func shareLines(d *results.Document) []report.Line {
	var out []report.Line
	for _, r := range d.Saturation {
		if r.ShareIOPS != nil {
			out = append(out, report.Line{
				Label: "Housekeeping share, IOPS form", Figure: analysis.OptU(r.ShareIOPS, r.ShareIOPSU95, ""),
				Note: fmt.Sprintf("%s: the last rounds draw %.2f W, the fresh ones %.2f W", r.Step, *r.Last.MeanW, *r.Fresh.MeanW),
			})
		}
		if r.ShareEfficiency != nil {
			out = append(out, report.Line{
				Label: "Housekeeping share, efficiency form", Figure: analysis.OptU(r.ShareEfficiency, r.ShareEfficiencyU95, ""),
				Note: fmt.Sprintf("%s: %.4g IOPS/mW in the last rounds, %.4g in the fresh ones", r.Step, *r.Last.IOPSPerMW, *r.Fresh.IOPSPerMW),
			})
		}
	}
	return out
}

// rounds draws every load whose rounds are compared: what each did and drew.
func (a *artist) rounds() {
	for _, r := range a.d.Saturation {
		cells := a.d.Rounds(r.Step)
		if len(cells) == 0 {
			continue
		}
		var windows []plots.Window
		if r.Fresh != nil && r.Last != nil {
			windows = []plots.Window{
				{First: r.Fresh.FirstRound, Last: r.Fresh.LastRound, Label: "fresh"},
				{First: r.Last.FirstRound, Last: r.Last.LastRound, Label: "last"},
			}
		}
		caption := "One column a round, over the very window of its IO; the band is its ±. State: not judged (no steady-state rule was applied)."
		a.save(r.Step+"-rounds", "Power and IOPS over the rounds of "+r.Step, caption, func() (*plots.Picture, error) {
			return plots.Rounds(roundWatts(cells), roundRates(cells), windows, a.with(r.Step, ""))
		})
	}
}

// roundRates returns the IOPS of rounds as a waveform.
func roundRates(cells []*efficiency.Cell) *analysis.Waveform {
	return overRounds("iops", "IOPS", "IOPS", cells, func(c *efficiency.Cell) (x, u95 *float64) {
		if c.IOPS != nil && c.IOPSU95Rel != nil {
			u95 = analysis.Some(*c.IOPS * *c.IOPSU95Rel)
		}
		return c.IOPS, u95
	})
}

// roundWatts returns the power of rounds as waveforms, of each rail and of all.
func roundWatts(cells []*efficiency.Cell) []*analysis.Waveform {
	var out []*analysis.Waveform
	for _, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V, quarch.Rail3V3} {
		w := overRounds(string(rail)+"_w", string(rail)+" power", "W", cells, func(c *efficiency.Cell) (x, u95 *float64) {
			if r := c.Rails[rail]; r != nil {
				return r.MeanW, r.U95W
			}
			return nil, nil
		})
		if w != nil {
			out = append(out, w)
		}
	}
	total := overRounds("total_w", "total power", "W", cells, func(c *efficiency.Cell) (x, u95 *float64) { return c.MeanW, c.MeanU95W })
	if total != nil {
		out = append(out, total)
	}
	return out
}

// overRounds returns a figure of rounds with its ±, a column a round; nil if none has it.
func overRounds(name, label, unit string, cells []*efficiency.Cell, of func(*efficiency.Cell) (x, u95 *float64)) *analysis.Waveform {
	first, last := cells[0].Round, cells[len(cells)-1].Round
	n := last - first + 1
	w := &analysis.Waveform{
		Name: name, Label: label, Unit: unit, StartS: float64(first) - 0.5, StepS: 1,
		Min: make([]float64, n), Mean: make([]float64, n), Max: make([]float64, n),
	}
	for i := range n {
		w.Min[i], w.Mean[i], w.Max[i] = math.NaN(), math.NaN(), math.NaN()
	}
	any := false
	for _, c := range cells {
		x, u95 := of(c)
		if x == nil {
			continue
		}
		u := 0.0
		if u95 != nil {
			u = *u95
		}
		i := c.Round - first
		w.Min[i], w.Mean[i], w.Max[i] = *x-u, *x, *x+u
		any = true
	}
	if !any {
		return nil
	}
	return w
}
