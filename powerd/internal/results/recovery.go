package results

import (
	"slices"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/recovery"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/powerd/internal/suite"
)

// pauses reports whether a step is a load with pauses.
func (s *step) pauses() bool { return s.mark.Paused != nil && s.mark.Paused.PauseNs > 0 }

// recoveryTask tells the bursts of a load with pauses from these, and cuts the power of
// both.
func (d *Document) recoveryTask(s step, res *engine.Result, st *stream) (task, error) {
	w := analysis.Window{Name: s.mark.Step, StartNs: res.StartNs, EndNs: res.EndNs}
	in := recovery.Input{Job: *s.mark.Job, Group: s.mark.Group, Window: w, Accuracy: d.Module.Calibration.Spec(), NoRails: d.noRails()}
	if d.folder.counted(w.StartNs) == nil {
		in.Why = "what reached the target was not followed, and only that tells loads from pauses"
	} else {
		in.Bursts = recovery.Find(d.folder.hostIO, w, s.mark.Paused.LoadNs, s.mark.Paused.PauseNs, s.mark.Paused.Bursts)
	}
	windows := recovery.Windows(in.Bursts)
	if len(windows) == 0 {
		windows = []analysis.Window{w}
	}
	c, err := window.NewCutter(st.m, d.Bench.RailsUsed, windows...)
	if err != nil {
		return task{}, err
	}
	return task{what: "recovery." + s.mark.Step, window: w, stream: st, add: c.Add, end: func() error {
		in.Power = c.Stats()
		r := recovery.Judge(in)
		d.Recovery = append(d.Recovery, r)
		return nil
	}}, nil
}

// compareRecoveries holds loads with pauses against those without.
func (d *Document) compareRecoveries() {
	for _, r := range d.Recovery {
		i := slices.IndexFunc(d.folder.steps, func(s step) bool { return s.mark.Step == r.Step })
		mark := &d.folder.steps[i].mark
		var then *efficiency.Cell
		if i+1 < len(d.folder.steps) && d.folder.steps[i+1].mark.Within == suite.Recovery {
			then = d.cellOf(d.folder.steps[i+1].mark.Step)
		}
		fresh := d.cellOf(mark.Paused.Fresh)
		if of := d.Rounds(mark.Paused.Fresh); len(of) > 0 && of[0].Round == 1 {
			fresh = of[0]
		}
		r.Compare(d.cellOf(mark.Paused.Base), then, fresh)
		d.keep(r.Withheld, r.Warnings)
	}
}

// cellOf returns the cell of a step; nil if it left none.
func (d *Document) cellOf(step string) *efficiency.Cell {
	if i := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == step && c.FirstRound == 0 }); i >= 0 {
		return d.Efficiency[i]
	}
	return nil
}
