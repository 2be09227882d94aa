package align

import (
	"iter"
	"math"
	"sort"

	"powerd/analysis"
	"powerd/quarch"
)

// Placement is what a map was made of and what came of it, in columns of host time and in
// µs from the map. Time without arrivals is NaN.
type Placement struct {
	Late  analysis.Waveform // from the end of a block, by the map, to its read: least, mean and most
	Floor analysis.Waveform // of the line under the arrivals
	U95   analysis.Waveform // the map, which is 0, and its 95 % interval
	Clock analysis.Waveform // how far the map is off the straight line of its mean rate, ± U95

	Evidence []Mark
}

// Mark is something that the host caused.
type Mark struct {
	AtS    float64 // where it is seen, by the map, on the axis of the columns
	LateUs float64 // from there to when the host caused it: below 0, since causes come first
	U95Us  float64 // of where it is seen
	Kind   string
}

// Place returns a placement in columns of a window; originNs is second 0 of their axis.
func (m *Map) Place(arrivals iter.Seq[quarch.Arrival], w analysis.Window, columns int, originNs int64) *Placement {
	p := &placer{m: m, w: w, stepNs: float64(w.EndNs-w.StartNs) / float64(columns)}
	wave := func(name, label string) analysis.Waveform {
		nan := func() []float64 {
			out := make([]float64, columns)
			for i := range out {
				out[i] = math.NaN()
			}
			return out
		}
		return analysis.Waveform{
			Name: name, Label: label, Unit: "µs", StartS: float64(w.StartNs-originNs) * 1e-9, StepS: p.stepNs * 1e-9,
			Min: nan(), Mean: nan(), Max: nan(),
		}
	}
	out := &Placement{
		Late: wave("late_us", "arrivals"), Floor: wave("floor_us", "line under them"), U95: wave("u95_us", "map ± U95"), Clock: wave("clock_us", "module's clock"),
	}
	n := make([]float64, columns)
	for a := range arrivals {
		p.add(&out.Late, n, a)
	}
	for i := range n {
		if n[i] > 0 {
			out.Late.Mean[i] /= n[i]
			p.describe(out, i)
		}
	}
	for _, v := range m.evidence {
		if at, _ := m.TimeOf(v.Stripe); at >= float64(w.StartNs) && at < float64(w.EndNs) {
			out.Evidence = append(out.Evidence, Mark{
				AtS: (at - float64(originNs)) * 1e-9, LateUs: (float64(v.NotBeforeNs) - at) * 1e-3, U95Us: v.UNs * 1e-3, Kind: v.Kind,
			})
		}
	}
	return out
}

// placer fills the columns of a placement.
type placer struct {
	m      *Map
	w      analysis.Window
	stepNs float64
}

// add adds an arrival to its column of late, whose means are sums so far.
func (p *placer) add(late *analysis.Waveform, n []float64, a quarch.Arrival) {
	at, _ := p.m.TimeOf(float64(a.First + a.N))
	i := int(math.Floor((at - float64(p.w.StartNs)) / p.stepNs))
	if i < 0 || i >= len(n) {
		return
	}
	us := (float64(a.ReadAtNs) - at) * 1e-3
	if n[i] == 0 {
		late.Min[i], late.Mean[i], late.Max[i] = us, 0, us
	}
	late.Min[i], late.Max[i] = math.Min(late.Min[i], us), math.Max(late.Max[i], us)
	late.Mean[i] += us
	n[i]++
}

// describe fills in column i of what the map says of its middle.
func (p *placer) describe(out *Placement, i int) {
	k := p.m.IndexAt(float64(p.w.StartNs) + (float64(i)+0.5)*p.stepNs)
	x := streamOf(p.m.warp, k, p.m.periodNs)
	_, u := p.m.TimeOf(k)
	y, floor := p.m.residual(x)
	set := func(w *analysis.Waveform, us, u95 float64) { w.Min[i], w.Mean[i], w.Max[i] = us-u95, us, us+u95 }
	set(&out.Floor, (floor-y)*1e-3, 0)
	set(&out.U95, 0, u*1e-3)
	begin, _ := p.m.residual(p.m.points[0].x)
	set(&out.Clock, (y-begin-p.m.meanRate()*(x-p.m.points[0].x))*1e-3, u*1e-3)
}

// residual returns the residuals of the map and of the floor at stream time x.
func (m *Map) residual(x float64) (y, floor float64) {
	y, _ = m.at(x)
	p := m.points
	i := min(max(sort.Search(len(p), func(i int) bool { return p[i].x > x }), 1), len(p)-1)
	if len(p) == 1 {
		return y, y + p[0].floor - p[0].y
	}
	f := min(max((x-p[i-1].x)/(p[i].x-p[i-1].x), 0), 1)
	return y, y + (1-f)*(p[i-1].floor-p[i-1].y) + f*(p[i].floor-p[i].y)
}

// meanRate returns the rate from the first point to the last one.
func (m *Map) meanRate() float64 {
	a, b := m.points[0], m.points[len(m.points)-1]
	if b.x <= a.x {
		return 0
	}
	return (b.y - a.y) / (b.x - a.x)
}
