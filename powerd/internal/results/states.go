package results

import (
	"fmt"
	"strings"

	"powerd/analysis"
	"powerd/analysis/idle"
	"powerd/analysis/window"
)

// statePrefix begins the name of a mark at which a drive was asked for a power state:
// "state:ps4".
const statePrefix = "state:"

const (
	beforeStateNs = 30_000_000_000 // how much before such a mark is looked at, at most
	restNs        = 1_000_000_000  // after IO, in which a drive is not idle yet
	leastStateNs  = 1_000_000_000  // that tells a power
)

// State is a power state that a drive was asked for, and what the trace says of it.
type State struct {
	BeforeStartMonoNs int64 `json:"before_start_mono_ns"` // of what came before, as much as after, up to 30 s
	BeforeEndMonoNs   int64 `json:"before_end_mono_ns"`
	StartMonoNs       int64 `json:"start_mono_ns"` // of what came after
	EndMonoNs         int64 `json:"end_mono_ns"`
	idle.Reached
}

// stateTask compares the power in a mark's window with that before it: a state's name is
// believed where the power changed only, and where it was not IO that changed it.
func (d *Document) stateTask(w analysis.Window) (task, error) {
	asked, ok := strings.CutPrefix(w.Name, statePrefix)
	if !ok || asked == "" {
		return task{}, nil
	}
	what := "states." + asked
	before := analysis.Window{Name: "before", StartNs: max(w.StartNs-beforeStateNs, 2*w.StartNs-w.EndNs), EndNs: w.StartNs}
	watched := d.folder.watched(before) && d.folder.watched(w)
	before, after, why := d.folder.quiet(before, w)
	if why != "" {
		d.withhold(what, why)
		return task{}, nil
	}
	st := d.placed(what, before)
	if st == nil {
		return task{}, nil
	}
	before.StartNs = max(before.StartNs, st.startNs) // it may have been asked for soon after the run began
	c, err := window.NewCutter(st.m, d.Bench.RailsUsed, before, after)
	if err != nil {
		return task{}, err
	}
	both := analysis.Window{Name: w.Name, StartNs: before.StartNs, EndNs: after.EndNs}
	return task{what: what, window: both, stream: st, add: c.Add, end: func() error {
		stats := c.Stats()
		if why := analysis.NoTotal(append(stats[0].Lacks(d.noRails()), stats[1].Lacks(d.noRails())...)); why != "" {
			d.withhold(what, why)
			return nil
		}
		r, why := idle.Compare(asked, &stats[0], &stats[1], d.Module.Calibration.Spec(), watched)
		if why != "" {
			d.withhold(what, why)
			return nil
		}
		d.States = append(d.States, State{
			BeforeStartMonoNs: before.StartNs, BeforeEndMonoNs: before.EndNs, StartMonoNs: after.StartNs, EndMonoNs: after.EndNs, Reached: r,
		})
		return nil
	}}, nil
}

// quiet cuts the windows before and after a mark so that no IO is in them: the one
// before begins a while after the last IO in it, the one after ends with the first. why
// says why too little is left; empty if enough is.
func (f *folder) quiet(before, after analysis.Window) (b, a analysis.Window, why string) {
	b, a = before, after
	for _, v := range f.hostIO {
		if v.Reads+v.Writes == 0 {
			continue
		}
		if v.StartNs < before.EndNs && v.EndNs+restNs > before.StartNs {
			b.StartNs = max(b.StartNs, v.EndNs+restNs)
		}
		if v.StartNs < after.EndNs && v.EndNs > after.StartNs {
			a.EndNs = min(a.EndNs, v.StartNs)
		}
	}
	short := func(free, whole analysis.Window, side, mark string) string {
		if free.EndNs-free.StartNs >= leastStateNs || free == whole {
			return ""
		}
		return fmt.Sprintf("IO reached the drive %s %s was asked for, and without it and the second after it less than %.0f s is left to compare", side, mark, leastStateNs*1e-9)
	}
	asked := strings.TrimPrefix(after.Name, statePrefix)
	if why = short(b, before, "before", asked); why == "" {
		why = short(a, after, "after", asked)
	}
	return b, a, why
}

// watched reports whether the kernel's counts tell of nearly all of a window.
func (f *folder) watched(w analysis.Window) bool {
	const nearly = 0.95
	var covered float64
	for _, v := range f.hostIO {
		covered += max(0, float64(min(v.EndNs, w.EndNs)-max(v.StartNs, w.StartNs)))
	}
	return covered >= nearly*float64(w.EndNs-w.StartNs)
}

// reached is what the trace says of each state.
func (d *Document) reached() []idle.Reached {
	var out []idle.Reached
	for _, s := range d.States {
		out = append(out, s.Reached)
	}
	return out
}
