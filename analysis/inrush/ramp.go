package inrush

import (
	"fmt"
	"math"

	"powerd/quarch"
)

const (
	meanNs   = 1e6  // threshold and droop look at means over 1 ms
	rampNs   = 2e9  // of the start is kept for the threshold
	partsPer = 8    // parts of such a mean that are kept: its place is good to 1/8 ms
	lifeA    = 0.05 // current beyond charging and leakage that says "the drive lives"
)

// ramp keeps the first two seconds of a rail as means over an eighth of a
// millisecond (or a stripe, where that is longer), and sums what follows the ramp.
type ramp struct {
	stripes int     // in a part
	per     int     // parts in 1 ms
	stepS   float64 // length of a part
	v, a    []float64

	n          int
	sumV, sumA float64
	broken     bool // a stripe of the present part is missing

	nominal float64
	ended   bool
	window  []part // the last parts, for the mean over 1 ms
	line    regression
	lowest  float64
}

type part struct{ v, a float64 }

func newRamp(r quarch.Rail, periodNs float64) *ramp {
	stripes := max(1, int(meanNs/partsPer/periodNs))
	stepNs := float64(stripes) * periodNs
	return &ramp{
		stripes: stripes, per: max(1, int(math.Round(meanNs/stepNs))), stepS: stepNs * 1e-9,
		nominal: r.NominalVolts(), lowest: math.Inf(1),
	}
}

// gap says that stripes are missing here.
func (r *ramp) gap() {
	r.n, r.sumV, r.sumA = 0, 0, 0
	r.window = r.window[:0]
	r.broken = r.broken || !r.ended
}

// add adds a stripe in volts and amperes.
func (r *ramp) add(v, a float64) {
	r.n, r.sumV, r.sumA = r.n+1, r.sumV+v, r.sumA+a
	if r.n < r.stripes {
		return
	}
	p := part{r.sumV / float64(r.n), r.sumA / float64(r.n)}
	r.n, r.sumV, r.sumA = 0, 0, 0
	if float64(len(r.v))*r.stepS < rampNs*1e-9 {
		r.v, r.a = append(r.v, p.v), append(r.a, p.a)
	}
	r.window = append(r.window, p)
	if n := len(r.window) - 2*r.per; n > 0 {
		r.window = r.window[:copy(r.window, r.window[n:])]
	}
	r.follow()
}

// follow finds the ramp's end, and after it looks at every mean over 1 ms.
func (r *ramp) follow() {
	if len(r.window) < 2*r.per {
		return
	}
	before, now := means(r.window[:r.per]), means(r.window[r.per:])
	if !r.ended {
		rise := (now.v - before.v) / (float64(r.per) * r.stepS)        // V/s
		r.ended = now.v >= 0.9*r.nominal && math.Abs(rise) < r.nominal // 0.1 % a millisecond
		return
	}
	r.lowest = min(r.lowest, now.v)
	r.line.add(now.a, now.v)
}

// droop returns how far the voltage fell after the ramp; NaN if it never ended.
func (r *ramp) droop() float64 {
	if r.line.n == 0 {
		return math.NaN()
	}
	slope, v0 := r.line.fit()
	if !(slope < 0) { // no load to be seen: no resistance either
		v0 = r.line.y / r.line.n
	}
	return max(0, v0-r.lowest)
}

// start returns the voltage at which the drive begins to draw current, and
// half of what it rises in 1 ms; or why there is none.
func (r *ramp) start() (volts, u95 float64, why string) {
	if r.broken {
		return 0, 0, "stripes are missing in the ramp"
	}
	if r.nominal == 0 {
		return 0, 0, "no nominal voltage is known"
	}
	early := 0 // 1 ms means below 40 % of nominal
	for i := range r.v {
		if m := r.mean(i); m.v >= 0.4*r.nominal {
			break
		}
		early = i + 1
	}
	if early < 10*r.per {
		return 0, 0, fmt.Sprintf("the ramp takes %.3g ms to 40 %% of nominal: too fast to tell charging current from life", float64(early)*r.stepS*1e3)
	}
	c, g, rms := r.charging(early)
	if rms > lifeA/2 {
		return 0, 0, fmt.Sprintf("the current of the ramp strays by %.3g mA from charging and leakage", rms*1e3)
	}
	for i := 2 * r.per; i < len(r.v); i++ {
		m, dv := r.mean(i), r.slope(i)
		if m.a-c*dv-g*m.v <= lifeA {
			continue
		}
		if dv < r.nominal { // as at the ramp's end
			return 0, 0, fmt.Sprintf("its current rises when the rail stands at %.3f V already: the rail has no threshold of its own", m.v)
		}
		half := dv * meanNs * 1e-9 / 2
		return m.v - half, half, "" // the current began to rise within that 1 ms
	}
	return 0, 0, "the drive drew no current of its own"
}

// mean returns the mean of the 1 ms that ends with part i.
func (r *ramp) mean(i int) part {
	lo := max(0, i+1-r.per)
	var m part
	for k := lo; k <= i; k++ {
		m.v, m.a = m.v+r.v[k], m.a+r.a[k]
	}
	n := float64(i + 1 - lo)
	return part{m.v / n, m.a / n}
}

// slope returns dV/dt in V/s over the 1 ms that ends with part i.
func (r *ramp) slope(i int) float64 {
	lo := max(0, i-r.per)
	return (r.v[i] - r.v[lo]) / (float64(i-lo) * r.stepS)
}

// charging fits I = C·dV/dt + g·V to the first n parts, and returns how far the
// current strays from that.
func (r *ramp) charging(n int) (c, g, rms float64) {
	var ss, sv, vv, si, vi, ii, count float64
	for i := 2 * r.per; i < n; i++ {
		m, s := r.mean(i), r.slope(i)
		ss, sv, vv = ss+s*s, sv+s*m.v, vv+m.v*m.v
		si, vi, ii = si+s*m.a, vi+m.v*m.a, ii+m.a*m.a
		count++
	}
	det := ss*vv - sv*sv
	c, g = (si*vv-vi*sv)/det, (vi*ss-si*sv)/det
	return c, g, math.Sqrt(max(0, ii-c*si-g*vi) / count)
}

func means(ps []part) part {
	var m part
	for _, p := range ps {
		m.v, m.a = m.v+p.v, m.a+p.a
	}
	n := float64(len(ps))
	return part{m.v / n, m.a / n}
}

// regression sums points for a straight line.
type regression struct{ n, x, y, xx, xy, yy float64 }

func (g *regression) add(x, y float64) {
	g.n, g.x, g.y, g.xx, g.xy, g.yy = g.n+1, g.x+x, g.y+y, g.xx+x*x, g.xy+x*y, g.yy+y*y
}

// fit returns slope and intercept; NaN where all x are the same.
func (g *regression) fit() (slope, intercept float64) {
	slope = (g.n*g.xy - g.x*g.y) / (g.n*g.xx - g.x*g.x)
	return slope, (g.y - slope*g.x) / g.n
}
