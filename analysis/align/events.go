package align

import (
	"math"
	"slices"
)

const (
	nearNs   = 120e9 // events so far from a knot have a say in it, the nearer the more
	farNs    = 480e9 // and so far where they are rare
	fewest   = 2     // events that make a shape
	slopesOf = 40    // events whose slopes against each other are looked at
	outlying = 5     // deviations, by their median, beyond which an event is set aside
	setAside = 8     // one event in so many may be, before the shape is in doubt
)

// kind is the events of one kind. Their lags are alike; those of another kind are not.
type kind struct {
	name   string
	events []Event // by stripe
	lagNs  float64 // largest lag that the arrivals allow; +Inf before any was looked at
	doneNs float64 // how long after its cause an event is usually known to have acted
}

// Event adds an event, in any order.
func (e *Estimator) Event(v Event) {
	i := slices.IndexFunc(e.kinds, func(k kind) bool { return k.name == v.Kind })
	if i < 0 {
		e.kinds = append(e.kinds, kind{name: v.Kind, lagNs: math.Inf(1)})
		i = len(e.kinds) - 1
	}
	k := &e.kinds[i]
	at, _ := slices.BinarySearchFunc(k.events, v.Stripe, func(v Event, s float64) int {
		if v.Stripe < s {
			return -1
		}
		return 1
	})
	k.events = slices.Insert(k.events, at, v)
	k.doneNs = k.usual()
}

// usual returns the median of the time from the cause to its known effect of the latest
// events; +Inf where none has any.
func (k *kind) usual() float64 {
	var took []float64
	for _, v := range k.events[max(0, len(k.events)-slopesOf):] {
		if v.DoneNs > v.NotBeforeNs {
			took = append(took, float64(v.DoneNs-v.NotBeforeNs))
		}
	}
	if len(took) == 0 {
		return math.Inf(1)
	}
	return median(took)
}

// shape is what the events of a kind say of a knot: the truth's residual there is y plus
// the kind's lag.
type shape struct {
	y, rate float64
	u       float64 // 95 % half-width of y; +Inf where there are no events
	events  int
}

// sample is an event on the axes of the map.
type sample struct {
	x, y, u, w float64
	took       float64 // from not before to done
}

// shapeAt fits a line through the events of a kind around x; those after upTo have not
// happened yet. A rate that is known otherwise, l's or a remembered one, has its say.
func (e *Estimator) shapeAt(k *kind, x float64, l line, upTo float64) shape {
	near := e.near(k, x, upTo)
	if len(near) < fewest {
		return shape{u: math.Inf(1)}
	}
	rate, uRate := e.o.prior()
	if l.uRate < uRate {
		rate, uRate = l.rate, l.uRate
	}
	first := rough(near, x, rate, uRate)
	kept, off := first.clip(near, x)
	s := weighted(kept, x, rate, uRate, first.rate-rate)
	s.u += off + s.bent(kept, x)
	return s
}

// near returns the events of a kind around x with their weights; where there are few,
// from as far as it takes to tell a rate.
func (e *Estimator) near(k *kind, x, upTo float64) []sample {
	for far := nearNs; ; far *= 2 {
		s := e.around(k, x, upTo, far)
		if far >= farNs || len(s) >= fewest && s[len(s)-1].x-s[0].x >= 0.75*nearNs {
			return s
		}
	}
}

// around returns the events of a kind up to far from x.
func (e *Estimator) around(k *kind, x, upTo, far float64) []sample {
	t := float64(e.o.PeriodNs)
	from, _ := slices.BinarySearchFunc(k.events, (x-far-math.Abs(e.steps.shiftNs))/t, func(v Event, s float64) int {
		return sign(v.Stripe - s)
	})
	var out []sample
	for _, v := range k.events[from:] {
		at := e.steps.stream(v.Stripe, t)
		if at > min(upTo, x+far) {
			break
		}
		if d := math.Abs(at - x); d < far {
			y := e.clock.raw(float64(v.NotBeforeNs)) - float64(e.baseNs) - at
			took := math.Max(0, float64(v.DoneNs-v.NotBeforeNs))
			out = append(out, sample{at, y, v.UNs, 1.05 - d/far, took})
		}
	}
	return out
}

// rough returns a line through most of the samples, whatever the others do: the median
// of the slopes between them, if they lie far enough apart to tell one.
func rough(s []sample, x, rate, uRate float64) shape {
	some := s
	if len(s) > slopesOf {
		some = nil
		for i := range slopesOf {
			some = append(some, s[i*len(s)/slopesOf])
		}
	}
	var slopes []float64
	for i, a := range some {
		for _, b := range some[:i] {
			if a.x-b.x > 1e9 {
				slopes = append(slopes, (a.y-b.y)/(a.x-b.x))
			}
		}
	}
	if len(slopes) >= 6 {
		if m := median(slopes); math.Abs(m-rate) < uRate+noPriorPPM*1e-6 {
			rate = m
		}
	}
	ys := make([]float64, len(s))
	for i, v := range s {
		ys[i] = v.y - rate*(v.x-x)
	}
	return shape{y: median(ys), rate: rate}
}

// clip returns the samples that lie near to the line, and how much the shape is in
// doubt because too many do not: a step among them, not a host that stood still.
func (f shape) clip(s []sample, x float64) (kept []sample, off float64) {
	far := make([]float64, len(s))
	var us []float64
	for i, v := range s {
		far[i] = math.Abs(v.y - f.y - f.rate*(v.x-x))
		us = append(us, v.u)
	}
	limit := outlying*1.4826*median(slices.Clone(far)) + 2*median(us)
	n := 0
	for i, v := range s {
		if far[i] <= limit {
			kept = append(kept, v)
			continue
		}
		n++
		off = max(off, far[i])
	}
	if n <= 1 || n*setAside <= len(s) {
		off = 0
	}
	return kept, off
}

// bent returns how far stretches of the samples lie beside the line beyond their own
// scatter: something has moved there that moves no crystal. The scatter is taken from
// neighbours, since what moved does not show in it.
func (f shape) bent(s []sample, x float64) (ns float64) {
	off := func(v sample) float64 { return v.y - f.y - f.rate*(v.x-x) }
	var apart, expects float64
	for i, v := range s {
		expects += v.u*v.u/4 + v.took*v.took/12
		if i > 0 {
			d := off(v) - off(s[i-1])
			apart += d * d / 2
		}
	}
	n := float64(len(s))
	sigma := math.Sqrt((apart + expected*expects/n) / (n - 1 + expected))
	const stretches = 6
	before := math.NaN()
	for i := range stretches {
		lo, hi := i*len(s)/stretches, (i+1)*len(s)/stretches
		var sum float64
		for _, v := range s[lo:hi] {
			sum += off(v)
		}
		if m := float64(hi - lo); m > 0 {
			noise := 2.5 * sigma / math.Sqrt(m)
			ns = max(ns, 3*(math.Abs(sum)/m-noise))
			if step := 1.6 * (math.Abs(sum/m-before) - 1.4*noise); step > ns {
				ns = step // a line through a step of 1 is off by 0.5 and has stretches 0.6 apart
			}
			before = sum / m
		}
	}
	return ns
}

// expected is how many events the scatter weighs that is expected of them, beside the
// one that they show: of few, it is most of what is known.
const expected = 2

// weighted returns the line of least weighted squares at x, where the rate is known
// beforehand to ± uRate, and is about rate+slope.
func weighted(s []sample, x, rate, uRate, slope float64) shape {
	var sw, sx, sy, sxx, sxy, sww float64
	for _, v := range s {
		d, y := v.x-x, v.y-rate*(v.x-x)
		sw, sx, sy = sw+v.w, sx+v.w*d, sy+v.w*y
		sxx, sxy, sww = sxx+v.w*d*d, sxy+v.w*d*y, sww+v.w*v.w
	}
	mx, my := sx/sw, sy/sw
	spread, both := sxx-mx*sx, sxy-mx*sy
	effective := sw * sw / sww
	variance := func(slope float64) float64 {
		var shown, before float64
		for _, v := range s {
			r := v.y - rate*(v.x-x) - my - slope*(v.x-x-mx)
			shown, before = shown+v.w*r*r, before+v.w*(v.u*v.u/4+v.took*v.took/12)
		}
		return (shown*effective + before*expected) / sw / (max(0, effective-2) + expected)
	}
	prior := 4 / (uRate * uRate) // weighs like samples of the slope
	info := spread / sw * effective / variance(slope)
	slope = 0
	if spread > 0 {
		slope = both / spread * info / (info + prior)
	}
	v := variance(slope)
	info = spread / sw * effective / v
	return shape{
		y: my - slope*mx, rate: rate + slope, events: len(s),
		u: 2*math.Sqrt(v/effective+mx*mx/(info+prior)) + driftRate/2*sxx/sw,
	}
}

// reach learns from the arrivals around knot k how large the lags can be: no stripe is
// later than its arrival. The least of many is taken, so each shape is granted 3.5 of
// its deviations.
func (e *Estimator) reach(k knot, around []cell) {
	for i, s := range k.shapes {
		if math.IsInf(s.u, 1) {
			continue
		}
		for _, c := range around {
			e.kinds[i].lagNs = max(0, min(e.kinds[i].lagNs, c.y-s.y-s.rate*(c.x-k.x)+1.75*s.u))
		}
	}
}

// median sorts its argument.
func median(xs []float64) float64 {
	slices.Sort(xs)
	return xs[len(xs)/2]
}
