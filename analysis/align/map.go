package align

import (
	"fmt"
	"math"
	"sort"

	"powerd/quarch"
)

// Map is a piecewise linear map from stripe index to host time. It implements
// analysis.TimeMap.
type Map struct {
	Method      string  // "hull + 2 bounds", "prior rate + 1 bound", "polled"
	Status      string  // StatusOK, StatusDegraded or StatusNone
	Reason      string  // why Status is not ok
	Impossible  bool    // the arrivals contradict what the host caused, or any crystal: stripes are not where their index says
	DriftPPM    float64 // mean over the stream; positive = the module's period is long
	DriftU95PPM float64

	baseNs   int64
	periodNs float64
	points   []point // of the floor, at least one
	width    float64 // ns: D, from the floor down to the nearest bound; +Inf without one
}

// TimeOf returns the host time of the start of stripe k in ns and the
// half-width of its 95 % interval. k may lie between two stripes.
func (m *Map) TimeOf(k float64) (ns, u95Ns float64) {
	x := k * m.periodNs
	y, u := m.floor(x)
	return float64(m.baseNs) + x + y - m.shift(), u + m.width/2
}

// IndexAt is the inverse of TimeOf.
func (m *Map) IndexAt(ns float64) float64 {
	t := ns - float64(m.baseNs) + m.shift() // = x + y(x), which rises with x
	p := m.points
	i := sort.Search(len(p), func(i int) bool { return p[i].x+p[i].y > t })
	rate, at := m.segment(i)
	return (at.x + (t-at.x-at.y)/(1+rate)) / m.periodNs
}

// Offset returns the host time of the start of stripe 0 and its U95, in ns.
func (m *Map) Offset() (ns, u95Ns float64) { return m.TimeOf(0) }

// HalfWidthNs returns the largest U95 of the stream; +Inf where nothing bounds
// it from below.
func (m *Map) HalfWidthNs() float64 {
	var u float64
	for _, p := range m.points {
		u = max(u, p.u)
	}
	return u + m.width/2
}

// Knots returns the map's points for keeping.
func (m *Map) Knots() []quarch.Knot {
	ks := make([]quarch.Knot, len(m.points))
	for i, p := range m.points {
		stripe := math.Round(p.x / m.periodNs)
		ns, u := m.TimeOf(stripe)
		ks[i] = quarch.Knot{Stripe: uint64(stripe), AtNs: int64(math.Round(ns)), U95Ns: math.MaxInt64}
		if u < math.MaxInt64 {
			ks[i].U95Ns = int64(math.Ceil(u))
		}
	}
	return ks
}

// shift is how far the map lies below the floor: the middle of the bracket.
func (m *Map) shift() float64 {
	if math.IsInf(m.width, 1) {
		return 0
	}
	return m.width / 2
}

// floor returns the floor's residual and U95 at stream time x.
func (m *Map) floor(x float64) (y, u float64) {
	p := m.points
	i := sort.Search(len(p), func(i int) bool { return p[i].x > x })
	rate, at := m.segment(i)
	y = at.y + rate*(x-at.x)
	switch {
	case i == 0:
		u = p[0].u + m.DriftU95PPM*1e-6*(p[0].x-x)
	case i == len(p):
		u = p[i-1].u + m.DriftU95PPM*1e-6*(x-p[i-1].x)
	default:
		f := (x - p[i-1].x) / (p[i].x - p[i-1].x)
		u = p[i-1].u + f*(p[i].u-p[i-1].u)
	}
	return y, u
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
	p := m.points
	for i := 1; i < len(p); i++ {
		p[i].y = max(p[i].y, p[i-1].y-0.9*(p[i].x-p[i-1].x))
	}
	if n := len(p); n > 1 && p[n-1].x <= p[n-2].x {
		m.points = p[:n-1]
	}
}

// rate states the mean drift: of the newest line in a short stream, else of the
// floor from end to end.
func (m *Map) rate(l line) {
	m.Method = "prior rate"
	if l.measured {
		m.Method = "hull"
	}
	m.DriftPPM, m.DriftU95PPM = l.rate*1e6, l.uRate*1e6
	a, b := m.points[0], m.points[len(m.points)-1]
	if span := b.x - a.x; span > windowNs {
		m.DriftPPM = (b.y - a.y) / span * 1e6
		m.DriftU95PPM = (a.u + b.u) / span * 1e6
	}
}

// bracket closes the bracket from below by the tightest bound.
func (m *Map) bracket(bounds []Bound) {
	m.width = math.Inf(1)
	used := 0
	var against string
	for _, b := range bounds {
		x := b.Stripe * m.periodNs
		y, u := m.floor(x)
		gap := float64(m.baseNs-b.NotBeforeNs) + x + y
		if gap < -u {
			against = fmt.Sprintf("the bound %q at stripe %.0f lies %.3f ms after the arrival of that stripe", b.Kind, b.Stripe, -gap*1e-6)
			continue
		}
		used++
		m.width = min(m.width, max(0, gap)+u)
	}
	m.Method += fmt.Sprintf(" + %d bound", used)
	if used != 1 {
		m.Method += "s"
	}
	switch {
	case used == 0 && against != "":
		m.Status, m.Reason, m.Impossible = StatusNone, against, true
	case used == 0:
		m.Status, m.Reason = StatusNone, "nothing that the host caused was seen in the stream: stripes are known to be not later than they arrived, and no more"
	case against != "":
		m.Status, m.Reason = StatusDegraded, against+"; it was set aside"
	case m.HalfWidthNs() > degradedNs:
		m.Status = StatusDegraded
		m.Reason = fmt.Sprintf("stripes are placed within ± %.1f ms only", m.HalfWidthNs()*1e-6)
	}
}
