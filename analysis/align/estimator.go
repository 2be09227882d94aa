package align

import (
	"fmt"
	"math"
	"slices"

	"powerd/quarch"
)

// Estimator makes a map while a stream runs. It keeps the arrivals of two minutes and a
// knot every 10 s. Knots more than 65 s behind the last arrival are fixed for good; the
// map after them is a preview. A causal one fixes them before the stream reaches them.
//
// Bounds may be told at any time. An event serves the knots that are not fixed yet:
// whoever finds events only with a map in hand places the stream a second time.
type Estimator struct {
	o     Options
	clock hostClock
	held  []quarch.Arrival // read after the last reading of the clocks

	baseNs int64 // host time of the first arrival; residuals count from it
	seen   bool
	origin float64 // ns of nominal stream time of the first stripe that arrived
	end    float64 // same of the end of the last one
	cells  []cell
	fixed  []knot
	gone   int     // knots after the first that were forgotten
	given  []point // causal only
	bounds []Bound
	kinds  []kind
	last   line // of the newest window that was fitted
	steps  stepFinder
	floor  func([]cell, float64) (line, bool)

	wrongPPM float64 // first measured rate that no crystal has
}

// knot is what the arrivals and the events of a window say of its middle.
type knot struct {
	x        float64 // ns of nominal stream time
	y        float64 // residual of the floor
	up, down float64 // how far the truth, later by the least delay, may be above and below
	still    float64 // down, if the least delay has not moved in the window
	bend     float64 // how far it did move, or a latency timer's sawtooth may hide that it did
	lock     float64 // of down: for how long a latency timer may have made all blocks wait
	shapes   []shape // by kind of event
}

// NewEstimator returns an estimator of one stream.
func NewEstimator(o Options) *Estimator {
	o.PeriodNs = max(1, o.PeriodNs)
	return &Estimator{o: o, floor: hullEdge}
}

// Clock takes note of a reading of the host's clocks, in their order. Where there are
// any, rates are judged by CLOCK_MONOTONIC_RAW, and a CLOCK_MONOTONIC that is made to
// run faster or slower bends nothing.
func (e *Estimator) Clock(c quarch.Clock) {
	e.clock.add(c)
	e.release(false)
}

// Add takes note of a block's arrival, in the stream's order.
func (e *Estimator) Add(a quarch.Arrival) {
	if e.clock.knows(a.ReadAtNs) {
		e.add(a)
		return
	}
	e.held = append(e.held, a)
	e.release(false)
}

// release adds the arrivals that wait for a reading of the clocks; those of ten seconds
// at most do.
func (e *Estimator) release(all bool) {
	const patienceNs = 10e9
	n := 0
	for _, a := range e.held {
		late := e.held[len(e.held)-1].ReadAtNs-a.ReadAtNs > patienceNs
		if !all && !late && !e.clock.knows(a.ReadAtNs) {
			break
		}
		e.add(a)
		n++
	}
	e.held = e.held[:copy(e.held, e.held[n:])]
}

func (e *Estimator) add(a quarch.Arrival) {
	readNs := e.clock.raw(float64(a.ReadAtNs))
	stream := float64(int64(a.First+a.N)*e.o.PeriodNs) + e.steps.shiftNs // the end of the last stripe
	if !e.seen {
		e.seen, e.baseNs = true, int64(readNs)
		e.origin = float64(int64(a.First) * e.o.PeriodNs)
	}
	c := cell{id: int64(stream / cellNs), x: stream, y: readNs - float64(e.baseNs) - stream}
	c.high, c.end = c.y, stream
	if e.o.TickNs > 0 {
		c.count(e.o.TickNs)
	}
	e.end = max(e.end, stream)
	if n := len(e.cells); n > 0 && e.cells[n-1].id >= c.id {
		e.cells[n-1].join(c)
		return
	}
	if e.o.Uncounted {
		if e.find() {
			e.add(a) // its stream time has changed
			return
		}
	}
	e.fix(stream)
	e.cells = append(e.cells, c)
	e.give()
}

// Bound adds a lower bound.
func (e *Estimator) Bound(b Bound) { e.bounds = append(e.bounds, b) }

// fix fixes the knots whose centred window is complete at stream time x, and
// forgets the arrivals that no later window needs.
func (e *Estimator) fix(x float64) {
	for {
		at := e.nextKnot()
		start := max(e.origin, at-windowNs/2)
		if x < start+windowNs+settleNs {
			return
		}
		in := e.within(start, start+windowNs)
		lost := 0.0
		if len(in) > 0 {
			e.last = e.fitted(in)
		} else { // an outage: interpolated from both sides
			lost = MaxPPM * 1e-6 * windowNs
		}
		k := e.knotAt(at, e.last, math.Inf(1))
		k.up, k.down, k.bend = k.up+lost, k.down+lost, k.bend+lost
		e.fixed = append(e.fixed, k)
		e.forget()
		e.reach(k, e.within(at-knotNs/2, at+knotNs/2))
		keep := e.nextKnot() - windowNs/2
		n := 0
		for n < len(e.cells) && e.cells[n].x < keep {
			n++
		}
		e.cells = e.cells[:copy(e.cells, e.cells[n:])]
	}
}

func (e *Estimator) nextKnot() float64 { return e.origin + float64(e.gone+len(e.fixed))*knotNs }

// knotAt returns what the floor l and the events before stream time upTo say of x.
func (e *Estimator) knotAt(x float64, l line, upTo float64) knot {
	u := l.u95(x)
	k := knot{x: x, y: l.at(x), up: u + l.saw, down: u + l.lock, still: u - l.moved + l.lock, bend: l.moved + l.saw, lock: l.lock}
	for i := range e.kinds {
		k.shapes = append(k.shapes, e.shapeAt(&e.kinds[i], x, l, upTo))
	}
	return k
}

func (e *Estimator) within(from, to float64) []cell {
	at := func(c cell, x float64) int {
		if c.x < x {
			return -1
		}
		return 1
	}
	if to <= from {
		return nil
	}
	i, _ := slices.BinarySearchFunc(e.cells, from, at)
	j, _ := slices.BinarySearchFunc(e.cells, to, at)
	return e.cells[i:j]
}

func (e *Estimator) fitted(in []cell) line {
	l := e.fit(in)
	if e.wrongPPM == 0 && l.measured && math.Abs(l.rate)-l.uRate > MaxPPM*1e-6 {
		e.wrongPPM = l.rate * 1e6
	}
	return l
}

// Map returns the map of what has arrived so far.
func (e *Estimator) Map() *Map {
	e.release(true)
	m := &Map{
		baseNs: e.baseNs, periodNs: float64(e.o.PeriodNs), Status: StatusOK,
		warp: slices.Clone(e.steps.warp), Steps: slices.Clone(e.steps.found), clock: e.clock.clone(),
	}
	if !e.seen {
		m.points = []point{{u: math.Inf(1), bend: math.Inf(1)}}
		m.Status, m.Reason = StatusNone, "no block arrived"
		return m
	}
	knots, kinds := e.preview()
	b := e.bracket(knots, kinds, math.Inf(1))
	if e.o.Causal && len(e.given) > 0 {
		m.points = slices.Clone(e.given)
	} else {
		for _, k := range knots {
			m.points = append(m.points, b.place(k))
		}
	}
	m.evidence = e.evidence(kinds)
	m.forward()
	m.rate(knots, e.last)
	m.hidesNs = hides(knots)
	b.judge(m, e.o)
	e.refuse(m)
	return m
}

// hides returns the longest time for which a latency timer may have made all blocks around
// a knot wait.
func hides(knots []knot) (ns float64) {
	for _, k := range knots {
		ns = max(ns, k.lock)
	}
	return ns
}

// evidence lists what the host caused and what is seen of it.
func (e *Estimator) evidence(kinds []kind) []Event {
	var out []Event
	for _, b := range e.bounds {
		out = append(out, Event{Stripe: b.Stripe, NotBeforeNs: b.NotBeforeNs, Kind: b.Kind})
	}
	for _, k := range kinds {
		out = append(out, k.events...)
	}
	return out
}

// preview returns all knots: the fixed ones, and those after them as the last window
// has them, with the kinds of events as they stand with those.
func (e *Estimator) preview() ([]knot, []kind) {
	l := e.fitted(e.within(e.end-windowNs, math.Inf(1)))
	e.last = l
	kinds := slices.Clone(e.kinds)
	defer func() { e.kinds = kinds }() // what a preview reaches is not for good
	knots := slices.Clone(e.fixed)
	for at := e.nextKnot(); at < e.end; at += knotNs {
		k := e.knotAt(at, l, math.Inf(1))
		e.reach(k, e.within(at-knotNs/2, at+knotNs/2))
		knots = append(knots, k)
	}
	return append(knots, e.knotAt(e.end, l, math.Inf(1))), slices.Clone(e.kinds)
}

// refuse says of a map why it cannot be right.
func (e *Estimator) refuse(m *Map) {
	if e.wrongPPM != 0 {
		m.Status, m.Impossible = StatusNone, true
		m.Reason = fmt.Sprintf("the stripes come at a rate %+.0f ppm off the nominal period of %d ns: that is a wrong period, not drift",
			-e.wrongPPM/(1+e.wrongPPM*1e-6), e.o.PeriodNs)
		return
	}
	if len(m.Steps) == 0 || m.Status == StatusNone {
		return
	}
	var lost, twice float64
	for _, s := range m.Steps {
		lost, twice = lost+max(0, s.Ns), twice-min(0, s.Ns)
	}
	m.degrade(fmt.Sprintf("stripes went missing or came twice in silence, %d times: %.3f ms lost, %.3f ms twice", len(m.Steps), lost*1e-6, twice*1e-6))
}
