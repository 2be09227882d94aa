package store

import "fmt"

const (
	gatherNs   = 1_000_000_000 // live summaries are written once they span this much
	gatherRows = 100_000       // and refused while so many wait, which only a failing disk causes
)

// Gather collects live summaries so that a store writes once a second of the run
// and not once a call. It goes by the summaries' own times and needs no clock.
// The zero value is ready. It is not safe for concurrent use.
type Gather struct {
	Rails   []Rail100ms
	Engines []Engine100ms
}

// Add adds summaries; due says that what waits should now be written and Reset.
// An error says that these were not taken.
func (g *Gather) Add(rails []Rail100ms, engines []Engine100ms) (due bool, err error) {
	if waiting := len(g.Rails) + len(g.Engines); waiting >= gatherRows {
		return true, fmt.Errorf("keep live summaries: %d wait already because writing fails; these are refused", waiting)
	}
	g.Rails = append(g.Rails, rails...)
	g.Engines = append(g.Engines, engines...)
	var first, last int64
	for i, r := range g.Rails {
		first, last = widen(i == 0, first, last, r.EndNs)
	}
	for i, e := range g.Engines {
		first, last = widen(i == 0 && len(g.Rails) == 0, first, last, e.EndNs)
	}
	return last-first >= gatherNs, nil
}

func widen(only bool, first, last, ns int64) (int64, int64) {
	if only {
		return ns, ns
	}
	return min(first, ns), max(last, ns)
}

// Empty reports whether nothing waits.
func (g *Gather) Empty() bool { return len(g.Rails)+len(g.Engines) == 0 }

// Reset forgets what was written.
func (g *Gather) Reset() { g.Rails, g.Engines = g.Rails[:0], g.Engines[:0] }
