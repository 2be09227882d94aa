package align

import (
	"math"
	"slices"
	"sort"

	"powerd/quarch"
)

// point is a knot of the map.
type point struct {
	x, y, u float64 // ns: nominal stream time, residual, U95
	bend    float64 // ns: how far the least delay moved around it, for whatever reason
	floor   float64 // ns: residual of the line under the arrivals
}

// Map is a piecewise linear map from stripe index to host time. It implements
// analysis.TimeMap.
type Map struct {
	Method      string  // "hull + 2 bounds", "prior rate + 8 beacons", "polled"
	Status      string  // StatusOK, StatusDegraded or StatusNone
	Reason      string  // why Status is not ok
	Impossible  bool    // the arrivals contradict what the host caused, or any crystal: stripes are not where their index says
	DriftPPM    float64 // mean over the stream against CLOCK_MONOTONIC; positive = the module's period is long
	DriftU95PPM float64
	Measured    bool   // the rate is of these arrivals or events, not known beforehand
	Steps       []Step // stripes that went missing or came twice in silence

	evidence []Event // that the map rests on beside arrivals; bounds too

	baseNs   int64 // CLOCK_MONOTONIC_RAW where there are readings of it
	periodNs float64
	points   []point // at least one
	hidesNs  float64 // longest time for which a latency timer may have made all blocks around a knot wait
	warp     []turn
	clock    hostClock
}

// TimeOf returns the host time of the start of stripe k in ns and the
// half-width of its 95 % interval. k may lie between two stripes.
func (m *Map) TimeOf(k float64) (ns, u95Ns float64) {
	x := streamOf(m.warp, k, m.periodNs)
	y, u := m.at(x)
	return m.clock.mono(float64(m.baseNs) + x + y), u + m.doubt(k)
}

// IndexAt is the inverse of TimeOf.
func (m *Map) IndexAt(ns float64) float64 {
	t := m.clock.raw(ns) - float64(m.baseNs) // = x + y(x), which rises with x
	p := m.points
	i := sort.Search(len(p), func(i int) bool { return p[i].x+p[i].y > t })
	rate, at := m.segment(i)
	return indexOf(m.warp, at.x+(t-at.x-at.y)/(1+rate), m.periodNs)
}

// Offset returns the host time of the start of stripe 0 and its U95, in ns.
func (m *Map) Offset() (ns, u95Ns float64) { return m.TimeOf(0) }

// SecondsBetween returns how long it is from the start of stripe a to that of stripe b
// by the module's clock as its rate was found, and the half-width of its 95 % interval.
// It does not depend on where on the host's clock they are. The half-width holds what
// the mean rate is unsure by, how far a crystal moves away from it, and where the least
// delay moved around them, as it does after stripes that vanished and nothing counted or
// a clock that stood still, by how much; +Inf where no arrival tells.
func (m *Map) SecondsBetween(a, b float64) (s, u95S float64) {
	from, to := streamOf(m.warp, a, m.periodNs), streamOf(m.warp, b, m.periodNs)
	x := to - from
	rate := m.DriftU95PPM*1e-6 + driftRate*m.spanNs()/2
	return x * (1 + m.DriftPPM*1e-6) * 1e-9, (math.Abs(x)*rate + m.bent(min(from, to), max(from, to)) + max(m.doubt(a), m.doubt(b))) * 1e-9
}

// spanNs returns the stream time from the first point to the last.
func (m *Map) spanNs() float64 { return m.points[len(m.points)-1].x - m.points[0].x }

// bent returns how far the least delay moved anywhere around the stream time from one
// point to another.
func (m *Map) bent(from, to float64) (ns float64) {
	first := sort.Search(len(m.points), func(i int) bool { return m.points[i].x > from })
	for _, p := range m.points[max(0, first-1):] {
		ns = max(ns, p.bend)
		if p.x >= to {
			break
		}
	}
	return ns
}

// HalfWidthNs returns the largest U95 of the stream; +Inf where nothing bounds
// it from below.
func (m *Map) HalfWidthNs() float64 {
	var u float64
	for _, p := range m.points {
		u = max(u, p.u)
	}
	return u
}

// Knots returns the map's points for keeping.
func (m *Map) Knots() []quarch.Knot {
	ks := make([]quarch.Knot, len(m.points))
	for i, p := range m.points {
		stripe := math.Max(0, math.Round(indexOf(m.warp, p.x, m.periodNs)))
		ns, u := m.TimeOf(stripe)
		ks[i] = quarch.Knot{Stripe: uint64(stripe), AtNs: int64(math.Round(ns)), U95Ns: math.MaxInt64}
		if u < math.MaxInt64 {
			ks[i].U95Ns = int64(math.Ceil(u))
		}
	}
	return ks
}

// at returns the residual and its U95 at stream time x.
func (m *Map) at(x float64) (y, u float64) {
	p := m.points
	i := sort.Search(len(p), func(i int) bool { return p[i].x > x })
	rate, at := m.segment(i)
	y = at.y + rate*(x-at.x)
	switch {
	case i == 0:
		u = p[0].u + m.DriftU95PPM*1e-6*(p[0].x-x)
	case i == len(p):
		u = p[i-1].u + m.DriftU95PPM*1e-6*(x-p[i-1].x)
	case math.IsInf(p[i].u, 1):
		u = p[i].u
	default:
		f := (x - p[i-1].x) / (p[i].x - p[i-1].x)
		u = p[i-1].u + f*(p[i].u-p[i-1].u)
	}
	return y, u
}

// doubt returns what is added to the U95 of stripe k because stripes vanished or came
// twice nearby.
func (m *Map) doubt(k float64) (ns float64) {
	for _, s := range m.Steps {
		if k >= s.From && k <= s.To {
			ns += math.Abs(s.Ns)
		}
	}
	return ns
}

// segment returns the rate and a point of the line left of point i; before the
// first point and after the last one their neighbours' lines go on.
func (m *Map) segment(i int) (rate float64, at point) {
	p := m.points
	if len(p) == 1 {
		return m.DriftPPM * 1e-6, p[0]
	}
	i = min(max(i, 1), len(p)-1)
	return (p[i].y - p[i-1].y) / (p[i].x - p[i-1].x), p[i-1]
}

// forward makes time run forward between points, whatever arrived.
func (m *Map) forward() {
	p := slices.Clone(m.points[:1])
	for _, q := range m.points[1:] {
		if last := p[len(p)-1]; q.x > last.x {
			q.y = max(q.y, last.y-0.9*(q.x-last.x))
			p = append(p, q)
		}
	}
	m.points = p
}

// rate states the mean drift: of the newest line in a short stream, else from end to
// end of the floor, or of the events where they tell it better.
func (m *Map) rate(knots []knot, l line) {
	m.Method, m.Measured = "prior rate", l.measured
	if l.measured {
		m.Method = "hull"
	}
	rate, u := l.rate, l.uRate
	a, b := knots[0], knots[len(knots)-1]
	span := b.x - a.x
	if span > windowNs {
		rate, u, m.Measured = (b.y-a.y)/span, (a.down+b.down)/span, true
	}
	for i := range b.shapes {
		if i >= len(a.shapes) || !(span > 0) {
			break
		}
		if s, r := a.shapes[i], b.shapes[i]; s.u+r.u < u*span {
			rate, u, m.Measured = (r.y-s.y)/span, (s.u+r.u)/span, true
		}
	}
	// Against CLOCK_MONOTONIC, which may run faster than RAW.
	from, to := float64(m.baseNs)+a.x+a.y, float64(m.baseNs)+b.x+b.y
	if to > from && len(m.clock.points) > 0 {
		rate = (1+rate)*(m.clock.mono(to)-m.clock.mono(from))/(to-from) - 1
	}
	m.DriftPPM, m.DriftU95PPM = rate*1e6, u*1e6
}

// degrade adds a reason why the map is less than good.
func (m *Map) degrade(why string) {
	if m.Status == StatusNone {
		return
	}
	if m.Reason != "" {
		why = m.Reason + "; " + why
	}
	m.Status, m.Reason = StatusDegraded, why
}
