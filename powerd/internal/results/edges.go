package results

import (
	"errors"
	"math"

	"powerd/analysis/align"
	"powerd/quarch"
)

const (
	// edgeNs is how far to either side of where an edge should be it is looked for. The power
	// of what was before must have gone by then.
	edgeNs = 30e6

	// edgeMapNs is the ± of a map with which the one edge that is meant is found.
	edgeMapNs = 10e6
)

// What speaks against an edge besides its own shape.
var (
	errUnsure  = errors.New("the stream was not placed well enough to say which edge it is")
	errOutside = errors.New("samples around it are missing")
	errFalls   = errors.New("the power falls")
	errRises   = errors.New("the power rises")
	errEarly   = errors.New("the power changed before its cause: another step was found")
	errLate    = errors.New("the power rose after its cause had had its effect: another step was found")
)

// view is a stretch of a stream's power, and where a map says that it lies.
type view struct {
	m        *align.Map
	periodNs float64
	first    uint64
	watts    []float64 // of all rails; NaN = one is missing; empty: the stream has not all of it
}

// view returns the power from one host time to another.
func (s *stream) view(m *align.Map, fromNs, toNs float64) view {
	v := view{m: m, periodNs: float64(s.PeriodNs)}
	from, to := m.IndexAt(fromNs), m.IndexAt(toNs)
	if from < 0 || to >= float64(s.End()) || to <= from {
		return v
	}
	v.first = uint64(from)
	v.watts = make([]float64, uint64(to)+1-v.first)
	for i := range v.watts {
		v.watts[i] = math.NaN()
	}
	for b := range s.tolerant(v.first, v.first+uint64(len(v.watts))) {
		for i := range b.Len() {
			v.watts[b.First-v.first+uint64(i)] = totalWatts(b, i)
		}
	}
	return v
}

// totalWatts returns the watts of all rails in stripe i of a block; NaN where one is missing.
func totalWatts(b *quarch.Block, i int) (sum float64) {
	for k := range b.Traces {
		w, ok := b.Traces[k].Watts(i)
		if !ok {
			return math.NaN()
		}
		sum += float64(w)
	}
	return sum
}

// cause is what the host did: not before one time, and not without effect at another; +Inf
// where nobody knows that.
type cause struct{ notBeforeNs, doneNs float64 }

// rise finds where the power rises for a cause, up to half to either side of where the map
// has it, or shiftNs later.
func (v view) rise(c cause, shiftNs, half float64) (align.Edge, error) {
	return v.step(c, shiftNs, half, true)
}

// fall finds where the power falls for a cause, up to half to either side of it.
func (v view) fall(c cause, half float64) (align.Edge, error) { return v.step(c, 0, half, false) }

// step finds the step of the power for a cause, up or down.
func (v view) step(c cause, shiftNs, half float64, up bool) (align.Edge, error) {
	from := v.m.IndexAt(c.notBeforeNs+shiftNs-half) - float64(v.first)
	to := v.m.IndexAt(c.notBeforeNs+shiftNs+half) - float64(v.first)
	if from < 0 || to > float64(len(v.watts)) {
		return align.Edge{}, errOutside
	}
	edge, err := align.FindEdge(v.watts[int(from):int(to)], v.first+uint64(from), v.periodNs)
	if err != nil {
		return align.Edge{}, err
	}
	at, u := v.m.TimeOf(edge.Stripe)
	switch u += edge.UNs; {
	case up && edge.StepW < 0:
		return align.Edge{}, errFalls
	case !up && edge.StepW > 0:
		return align.Edge{}, errRises
	case at+u < c.notBeforeNs:
		return align.Edge{}, errEarly
	case at-u > c.doneNs:
		return align.Edge{}, errLate
	}
	return edge, nil
}
