package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/inrush"
	"powerd/analysis/steady"
	"powerd/analysis/window"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

func (d *Document) task(s step) (task, error) {
	if s.end.Outcome == Failed {
		d.warn("step_failed", fmt.Sprintf("step %s: %s", s.mark.Step, s.end.Why))
	}
	if s.unended && s.mark.Kind != suite.Load { // whose engine says when it was
		d.withhold(figureOf(s.mark), "where this step ended is not written down in capture/events.jsonl")
		return task{}, nil
	}
	switch s.mark.Kind {
	case suite.Idle:
		d.otherRequests(s)
		return d.idleTask(s)
	case suite.PowerCycle:
		return d.inrushTask(s)
	case suite.Load:
		return d.loadTask(s)
	case suite.Record:
		return d.recordTask(s)
	case suite.Command, suite.Purge: // nothing is measured of them
		return task{}, nil
	}
	return task{}, fmt.Errorf("its kind %q is unknown", s.mark.Kind)
}

func (d *Document) inrushTask(s step) (task, error) {
	if s.powerOnNs == 0 {
		d.withhold("inrush."+s.mark.Step, "the drive was not powered up in this step")
		return task{}, nil
	}
	st := d.sampled("inrush."+s.mark.Step, analysis.Window{StartNs: s.powerOnNs, EndNs: s.end.EndMonoNs})
	if st == nil {
		return task{}, nil
	}
	// The window begins before the command by what its place is unsure by, so that
	// the rails are seen down; all times count from their rise.
	_, u := st.m.TimeOf(st.m.IndexAt(float64(s.powerOnNs)))
	w := analysis.Window{Name: s.mark.Step, StartNs: s.powerOnNs - int64(min(u, 1e9)) - 10e6, EndNs: s.end.EndMonoNs}
	a, err := inrush.New(st.m, w, d.inrushOptions(s))
	if err != nil {
		return task{}, err
	}
	return task{what: "inrush." + s.mark.Step, window: w, stream: st, add: a.Add, end: func() error {
		c := a.Result()
		if d.Inrush == nil {
			d.Inrush = &Inrush{}
		}
		d.Inrush.Cycles = append(d.Inrush.Cycles, c)
		d.keep(c.Withheld, c.Warnings)
		return nil
	}}, nil
}

func (d *Document) loadTask(s step) (task, error) {
	if s.mark.Job == nil {
		return task{}, errors.New("it has no job")
	}
	what := "efficiency." + s.mark.Step
	res, err := d.folder.load(s)
	d.folder.rates[s.mark.Step] = steady.IOPS(res, err)
	switch {
	case err != nil && (res == nil || !res.Interrupted): // a failed job's figures are not what was asked for
		d.withhold(what, d.folder.inside(err.Error()))
		return task{}, nil
	case res.EndNs <= res.StartNs:
		d.withhold(what, "the engine left no window of its IO")
		return task{}, nil
	}
	for _, w := range res.Warnings {
		if s.expected(w.Code) {
			continue
		}
		d.warn(w.Code, fmt.Sprintf("step %s: %s", s.mark.Step, d.folder.inside(w.Text)))
	}
	d.crossCheck(s.mark.Step, res)
	d.folder.engine = append(d.folder.engine, res)
	w := analysis.Window{Name: s.mark.Step, StartNs: res.StartNs, EndNs: res.EndNs}
	st := d.placed(what, w)
	if st == nil {
		return task{}, nil
	}
	if s.pauses() {
		return d.recoveryTask(s, res, st)
	}
	windows := []analysis.Window{w}
	for _, p := range efficiency.Parts(res) {
		windows = append(windows, p.Window)
	}
	c, cutErr := window.NewCutter(st.m, d.Bench.RailsUsed, windows...)
	if cutErr != nil {
		return task{}, cutErr
	}
	var laid *course
	if !st.Polled {
		laid = courseOf(st.m, res.Intervals, st.PeriodNs, layNearNs)
	}
	add := func(b *quarch.Block) {
		c.Add(b)
		laid.add(b)
	}
	return task{what: what, window: w, stream: st, add: add, end: func() error {
		short := st.cutShort(w)
		stats := c.Stats()
		d.crossCheckLoad(s.mark.Step, res, laid)
		cell := efficiency.Judge(efficiency.Input{
			Job: *s.mark.Job, Result: res, Power: &stats[0], Parts: stats[1:], Round: max(1, s.mark.Round), Truncated: short, Accuracy: d.Module.Calibration.Spec(), NoRails: d.noRails(),
		})
		if short == "" { // IOs beside no power are no row of efficiency
			d.Efficiency = append(d.Efficiency, cell)
		}
		if s.mark.Steady != nil { // the percentiles that count are those of its rounds together
			cell.Withheld = slices.DeleteFunc(cell.Withheld, func(w Withheld) bool { return strings.Contains(w.What, ".latency_us.p") })
		}
		d.keep(cell.Withheld, cell.Warnings)
		return nil
	}}, nil
}
