package results

import (
	"strings"

	"powerd/analysis"
	"powerd/analysis/idle"
	"powerd/analysis/window"
)

// statePrefix begins the name of a mark at which a drive was asked for a power state:
// "state:ps4".
const statePrefix = "state:"

// beforeStateNs is how much of the time before such a mark is looked at, at most.
const beforeStateNs = 30_000_000_000

// State is a power state that a drive was asked for, and what the trace says of it.
type State struct {
	StartMonoNs int64 `json:"start_mono_ns"` // of what came after; as much before it is compared, up to 30 s
	EndMonoNs   int64 `json:"end_mono_ns"`
	idle.Reached
}

// stateTask compares the power in a mark's window with that before it: a state's name is
// believed where the power changed only.
func (d *Document) stateTask(w analysis.Window) (task, error) {
	asked, ok := strings.CutPrefix(w.Name, statePrefix)
	if !ok || asked == "" {
		return task{}, nil
	}
	before := analysis.Window{Name: "before", StartNs: max(w.StartNs-beforeStateNs, 2*w.StartNs-w.EndNs), EndNs: w.StartNs}
	st := d.placed("states."+asked, before)
	if st == nil {
		return task{}, nil
	}
	c, err := window.NewCutter(st.m, d.Bench.RailsUsed, before, w)
	if err != nil {
		return task{}, err
	}
	both := analysis.Window{Name: w.Name, StartNs: before.StartNs, EndNs: w.EndNs}
	return task{what: "states." + asked, window: both, stream: st, add: c.Add, end: func() error {
		stats := c.Stats()
		figures := func(s *window.Stats) *idle.Figures {
			if s.Total.Coverage < analysis.RequiredCoverage {
				return nil
			}
			return &idle.Figures{MeanW: analysis.Some(s.Total.MeanW), U95NoiseW: analysis.Some(s.Total.TypeAU95W)}
		}
		r, why := idle.Compare(asked, figures(&stats[0]), figures(&stats[1]))
		if why != "" {
			d.withhold("states."+asked, why)
			return nil
		}
		d.States = append(d.States, State{StartMonoNs: w.StartNs, EndMonoNs: w.EndNs, Reached: r})
		return nil
	}}, nil
}

// reached is what the trace says of each state.
func (d *Document) reached() []idle.Reached {
	var out []idle.Reached
	for _, s := range d.States {
		out = append(out, s.Reached)
	}
	return out
}
