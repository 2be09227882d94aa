package align

import (
	"math"
	"slices"
)

const (
	firstGivenNs = 1e9  // a causal map begins so long after the stream
	soonNs       = 10e9 // and until then goes on from second to second
)

// give extends a causal map: when the stream reaches its last point, the next one is
// given, where the past alone has it. Nothing that was given is changed.
func (e *Estimator) give() {
	if !e.o.Causal {
		return
	}
	if len(e.given) == 0 {
		if e.end >= e.origin+firstGivenNs {
			e.given = []point{e.ahead(e.origin), e.ahead(e.origin + firstGivenNs)}
		}
		return
	}
	for last := e.given[len(e.given)-1]; e.end >= last.x; last = e.given[len(e.given)-1] {
		step := firstGivenNs
		if last.x-e.origin >= soonNs {
			step = knotNs
		}
		p := e.ahead(last.x + step)
		p.y = math.Max(p.y, last.y-0.9*step)
		e.given = append(e.given, p)
	}
}

// ahead returns the map's point at x by what has arrived so far.
func (e *Estimator) ahead(x float64) point {
	now := e.end
	l := e.fitted(e.within(now-windowNs, math.Inf(1)))
	e.last = l
	k := e.knotAt(x, l, now)
	e.reach(e.knotAt(now, l, now), e.within(now-knotNs, math.Inf(1)))
	before := slices.Clip(e.fixed)
	if len(before) == 0 { // the line to the begin, where the bounds are
		before = append(before, e.knotAt(e.origin, l, now))
	}
	before = append(before, e.knotAt(now, l, now))
	return e.bracket(before, e.kinds, now).place(k)
}
