package align

import (
	"fmt"
	"math"
	"sort"
)

// bracket is what holds the map from below and from above, besides each knot's own.
type bracket struct {
	kinds   []kind
	least   float64 // ns: Options.LeastDelayNs; +Inf where nobody knows
	width   float64 // ns: D, from the floor down to the nearest bound; +Inf without one
	used    int     // bounds that hold
	against string  // a bound that cannot
	torn    bool    // arrivals and events contradict each other somewhere
}

// bracket closes the bracket from below by the tightest bound, by those before stream
// time upTo.
func (e *Estimator) bracket(knots []knot, kinds []kind, upTo float64) *bracket {
	b := &bracket{kinds: kinds, least: math.Inf(1), width: math.Inf(1)}
	if e.o.LeastDelayNs > 0 {
		b.least = float64(e.o.LeastDelayNs)
	}
	for _, v := range e.bounds {
		if x := e.steps.stream(v.Stripe, float64(e.o.PeriodNs)); x <= upTo {
			b.below(knots, x, e.clock.raw(float64(v.NotBeforeNs))-float64(e.baseNs)-x, 0, v)
		}
	}
	for _, k := range kinds {
		for _, v := range k.events {
			if x := e.steps.stream(v.Stripe, float64(e.o.PeriodNs)); x <= upTo {
				y := e.clock.raw(float64(v.NotBeforeNs)) - float64(e.baseNs) - x
				b.below(knots, x, y, v.UNs, Bound{v.Stripe, v.NotBeforeNs, v.Kind})
			}
		}
	}
	return b
}

// below takes a bound at x whose residual is y ± u into account.
func (b *bracket) below(knots []knot, x, y, u float64, v Bound) {
	f := floorAt(knots, x)
	gap := f.y - y
	if gap < -f.still-u {
		b.against = fmt.Sprintf("the bound %q at stripe %.0f lies %.3f ms after the arrival of that stripe", v.Kind, v.Stripe, -gap*1e-6)
		return
	}
	b.used++
	b.width = min(b.width, max(0, gap)+f.up+u)
}

// floorAt interpolates the floor; beyond the knots their neighbours' lines go on.
func floorAt(knots []knot, x float64) knot {
	if len(knots) == 1 {
		return knots[0]
	}
	i := sort.Search(len(knots), func(i int) bool { return knots[i].x > x })
	i = min(max(i, 1), len(knots)-1)
	a, b := knots[i-1], knots[i]
	if b.x <= a.x {
		return b
	}
	f := (x - a.x) / (b.x - a.x)
	in := min(max(f, 0), 1)
	return knot{x: x, y: a.y + f*(b.y-a.y), up: a.up + in*(b.up-a.up), down: a.down + in*(b.down-a.down), still: a.still + in*(b.still-a.still)}
}

// span is where the truth may be, and where it most likely is.
type span struct{ low, likely, high float64 }

func (s span) half() float64 { return max(s.likely-s.low, s.high-s.likely) }

// byArrivals returns what the floor allows: no less than its bound or its least delay
// below it.
func (b *bracket) byArrivals(k knot) span {
	s := span{k.y - min(b.width, b.least) - k.down, k.y, k.y + k.up}
	switch {
	case b.width < b.least:
		s.likely -= b.width / 2
	case !math.IsInf(b.least, 1):
		s.likely -= b.least / 10 // links are rather fast than slow
	}
	return s
}

// byEvents returns what the events of a kind allow: not before them, and later by the
// lag that arrivals allow. Most likely they acted before the host knew that they had.
func (b *bracket) byEvents(i int, k knot) span {
	s := k.shapes[i]
	lag := b.kinds[i].lagNs
	return span{s.y - s.u, s.y + min(lag, b.kinds[i].doneNs)/2, s.y + lag + s.u}
}

// place returns the map's point at a knot: the likely time of whoever knows it best,
// within what all allow.
func (b *bracket) place(k knot) point {
	best := b.byArrivals(k)
	low, high := best.low, best.high
	for i := range k.shapes {
		if math.IsInf(k.shapes[i].u, 1) || math.IsInf(b.kinds[i].lagNs, 1) {
			continue
		}
		s := b.byEvents(i, k)
		low, high = max(low, s.low), min(high, s.high)
		if s.half() < best.half() {
			best = s
		}
	}
	if low > high { // they contradict each other: all of it
		b.torn = true
		low, high = min(high, best.low), max(low, best.high)
	}
	y := min(max(best.likely, low), high)
	return point{k.x, y, max(y-low, high-y), k.bend, k.y}
}

// judge says how m came about and what it is good for.
func (b *bracket) judge(m *Map, o Options) {
	events := 0
	for _, k := range b.kinds {
		if n := len(k.events); n > 0 {
			m.Method += fmt.Sprintf(" + %d %s", n, plural(k.name, n))
			events += n
		}
	}
	if n := b.used - events; n > 0 || events == 0 {
		m.Method += fmt.Sprintf(" + %d %s", max(0, n), plural("bound", n))
	}
	unbounded := b.used == 0 && math.IsInf(b.least, 1)
	switch {
	case unbounded && b.against != "":
		m.Status, m.Reason, m.Impossible = StatusNone, b.against, true
	case unbounded:
		m.Status, m.Reason = StatusNone, "nothing that the host caused was seen in the stream: stripes are known to be not later than they arrived, and no more"
	case b.against != "":
		m.degrade(b.against + "; it was set aside")
	case b.torn:
		m.degrade("arrivals and events contradict each other")
	case m.HalfWidthNs() > o.wide():
		m.degrade(fmt.Sprintf("stripes are placed within ± %.1f ms only", m.HalfWidthNs()*1e-6) + m.inStep(o))
	}
}

// inStep says that the latency timer is why a map is wide, where it is.
func (m *Map) inStep(o Options) string {
	const most = 0.5 // of the half-width
	if o.TickNs <= 0 || m.hidesNs < most*m.HalfWidthNs() {
		return ""
	}
	return fmt.Sprintf(": blocks come in step with the adapter's latency timer of %.3g ms, so that none shows how long it waited; with a timer of 1 ms they cannot hide as much", float64(o.TickNs)*1e-6)
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
