package align

import (
	"fmt"
	"math"
	"slices"

	"powerd/quarch"
)

// point is a knot of the floor.
type point struct{ x, y, u float64 } // ns: nominal stream time, residual, U95

// Estimator makes a map while a stream runs. It keeps the arrivals of 120 s and
// a knot every 10 s. Knots more than 60 s behind the last arrival are fixed for
// good; the map after them is a preview.
type Estimator struct {
	o      Options
	baseNs int64 // host time of the first arrival; residuals count from it
	seen   bool
	origin float64 // ns of nominal stream time of the first stripe that arrived
	end    float64 // same of the end of the last one
	cells  []cell
	fixed  []point
	bounds []Bound
	last   line // of the newest window that was fitted

	wrongPPM float64 // first measured rate that no crystal has
}

// NewEstimator returns an estimator of one stream.
func NewEstimator(o Options) *Estimator {
	o.PeriodNs = max(1, o.PeriodNs)
	return &Estimator{o: o}
}

// Add takes note of a block's arrival, in the stream's order.
func (e *Estimator) Add(a quarch.Arrival) {
	stream := int64(a.First+a.N) * e.o.PeriodNs // the end of the last stripe
	if !e.seen {
		e.seen, e.baseNs = true, a.ReadAtNs
		e.origin = float64(int64(a.First) * e.o.PeriodNs)
	}
	x, y := float64(stream), float64(a.ReadAtNs-e.baseNs-stream)
	id := stream / int64(cellNs)
	e.end = max(e.end, x)
	if n := len(e.cells); n > 0 && e.cells[n-1].id >= id {
		c := &e.cells[n-1]
		c.high = max(c.high, y)
		if y < c.y {
			c.x, c.y = x, y
		}
		return
	}
	e.fix(x)
	e.cells = append(e.cells, cell{id: id, x: x, y: y, high: y})
}

// Bound adds a lower bound.
func (e *Estimator) Bound(b Bound) { e.bounds = append(e.bounds, b) }

// fix fixes the knots whose centred window is complete at stream time x, and
// forgets the arrivals that no later window needs.
func (e *Estimator) fix(x float64) {
	for {
		knot := e.nextKnot()
		start := max(e.origin, knot-windowNs/2)
		if x < start+windowNs {
			return
		}
		if in := e.within(start, start+windowNs); len(in) > 0 {
			e.last = e.fitted(in)
			e.fixed = append(e.fixed, point{knot, e.last.at(knot), e.last.u95(knot)})
		} else { // an outage: interpolated from both sides
			e.fixed = append(e.fixed, point{knot, e.last.at(knot), e.last.u95(knot) + maxPPM*1e-6*windowNs})
		}
		keep := e.nextKnot() - windowNs/2
		n := 0
		for n < len(e.cells) && e.cells[n].x < keep {
			n++
		}
		e.cells = e.cells[:copy(e.cells, e.cells[n:])]
	}
}

func (e *Estimator) nextKnot() float64 { return e.origin + float64(len(e.fixed))*knotNs }

func (e *Estimator) within(from, to float64) []cell {
	at := func(c cell, x float64) int {
		if c.x < x {
			return -1
		}
		return 1
	}
	i, _ := slices.BinarySearchFunc(e.cells, from, at)
	j, _ := slices.BinarySearchFunc(e.cells, to, at)
	return e.cells[i:j]
}

func (e *Estimator) fitted(in []cell) line {
	l := fit(in, e.o)
	if e.wrongPPM == 0 && l.measured && math.Abs(l.rate)-l.uRate > maxPPM*1e-6 {
		e.wrongPPM = l.rate * 1e6
	}
	return l
}

// Map returns the map of what has arrived so far.
func (e *Estimator) Map() *Map {
	m := &Map{baseNs: e.baseNs, periodNs: float64(e.o.PeriodNs), Status: StatusOK}
	if !e.seen {
		m.points, m.width = []point{{}}, math.Inf(1)
		m.Status, m.Reason = StatusNone, "no block arrived"
		return m
	}
	l := e.fitted(e.within(e.end-windowNs, math.Inf(1)))
	m.points = slices.Clone(e.fixed)
	for knot := e.nextKnot(); knot < e.end; knot += knotNs {
		m.points = append(m.points, point{knot, l.at(knot), l.u95(knot)})
	}
	m.points = append(m.points, point{e.end, l.at(e.end), l.u95(e.end)})
	m.forward()
	m.rate(l)
	m.bracket(e.bounds)
	if e.wrongPPM != 0 {
		m.Status, m.Impossible = StatusNone, true
		m.Reason = fmt.Sprintf("the stripes come at a rate %+.0f ppm off the nominal period of %d ns: that is a wrong period, not drift",
			-e.wrongPPM/(1+e.wrongPPM*1e-6), e.o.PeriodNs)
	}
	return m
}
