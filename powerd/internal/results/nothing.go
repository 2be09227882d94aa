package results

import (
	"slices"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/record"
	"powerd/analysis/recovery"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// Nothing returns the steps that ran to their end and came to nothing: samples support
// none of their figures of power. A power-up on a polled link is none of them, since
// that link shows no start current.
func (d *Document) Nothing() []string {
	var out []string
	for _, s := range d.Steps {
		if s.Outcome == Completed && d.nothing(s) {
			out = append(out, s.Step)
		}
	}
	return out
}

func (d *Document) nothing(s StepResult) bool {
	lacks := func(coverage *float64) bool { return coverage == nil || *coverage < analysis.RequiredCoverage }
	switch s.Kind {
	case suite.Idle:
		i := slices.IndexFunc(d.Idles, func(r *idle.Result) bool { return r.Step == s.Step })
		return i < 0 || lacks(&d.Idles[i].Coverage) && !d.Idles[i].Given()
	case suite.Load:
		if k := slices.IndexFunc(d.Recovery, func(r *recovery.Result) bool { return r.Step == s.Step }); k >= 0 {
			return d.Recovery[k].After == nil || d.Recovery[k].After.MeanW == nil
		}
		i := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == s.Step })
		return i < 0 || d.Efficiency[i].MeanW == nil && lacks(d.Efficiency[i].Coverage)
	case suite.Record:
		i := slices.IndexFunc(d.Records, func(r *record.Result) bool { return r.Name == s.Step })
		return i < 0 || d.Records[i].Total.MeanW == nil && lacks(&d.Records[i].Coverage)
	}
	if s.Kind == suite.Command || s.Kind == suite.Purge || d.Module.Link == quarch.LinkTerminal {
		return false
	}
	if d.Inrush == nil {
		return true
	}
	i := slices.IndexFunc(d.Inrush.Cycles, func(c *inrush.Cycle) bool { return c.Step == s.Step })
	return i < 0 || lacks(d.Inrush.Cycles[i].Coverage)
}
