package inrush

import "math"

// above follows how long the mean over 10 ms lies above limits.
type above struct {
	stripes int // of 10 ms
	bridge  float64
	limits  []band
	sums    []int64 // prefix sums of the unbroken run, as in slider
	first   uint64
	next    uint64

	// Middles of means that gaps took, in stripes: how many, and from where to where.
	unseen, unseenFrom, unseenTo float64
}

// band is the time above one limit, and above those that lie lower and higher by what
// the module may be wrong by there.
type band struct{ low, at, high excess }

// excess is the time above one limit, in stripes; a mean's place is the middle
// of its window.
type excess struct {
	limit       float64 // A
	counts      float64 // the same as a sum over the window, in counts
	from, to    float64 // present or last stay above: [from, to)
	first       float64
	total, most float64 // of finished stays
	any         bool
}

// newAbove follows limits in amperes; u95 says how wrong the module may be at one, lsb
// how many amperes a count is.
func newAbove(stripes int, limits []float64, lsb float64, u95 func(amps float64) float64) *above {
	a := &above{stripes: stripes, bridge: float64(stripes), unseenFrom: math.Inf(1), unseenTo: math.Inf(-1)}
	at := func(l float64) excess { return excess{limit: l, counts: l / lsb * float64(stripes)} }
	for _, l := range limits {
		a.limits = append(a.limits, band{at(l - u95(l)), at(l), at(l + u95(l))})
	}
	return a
}

// add adds stripes from k on, in counts of current.
func (a *above) add(k uint64, xs []int64) {
	if len(a.limits) == 0 {
		return
	}
	if k != a.next || len(a.sums) == 0 {
		a.restart(k)
	}
	a.next = k + uint64(len(xs))
	if n := len(a.sums) - 1 - a.stripes; len(a.sums) > 4*a.stripes+1<<16 {
		a.sums = a.sums[:copy(a.sums, a.sums[n:])]
		a.first += uint64(n)
	}
	from := len(a.sums)
	sum := a.sums[from-1]
	for _, x := range xs {
		sum += x
		a.sums = append(a.sums, sum)
	}
	lo := max(from, a.stripes)
	for i := range a.limits {
		b := &a.limits[i]
		for e := lo; e < len(a.sums); e++ {
			counts := float64(a.sums[e] - a.sums[e-a.stripes])
			if counts <= b.low.counts { // nearly always
				continue
			}
			middle := float64(a.first) + float64(e) - float64(a.stripes)/2
			for _, x := range b.all() {
				if counts > x.counts {
					x.see(middle, a.bridge)
				}
			}
		}
	}
}

// restart begins a run of stripes at k; what a gap before it took is noted.
func (a *above) restart(k uint64) {
	if len(a.sums) > 0 {
		half := float64(a.stripes) / 2
		from, to := float64(a.next)-half, float64(k)+half
		a.unseen += to - from
		a.unseenFrom, a.unseenTo = min(a.unseenFrom, from), max(a.unseenTo, to)
	}
	a.sums, a.first = append(a.sums[:0], 0), k
}

func (b *band) all() [3]*excess { return [3]*excess{&b.low, &b.at, &b.high} }

// see notes a mean above the limit whose middle lies at stripe k.
func (l *excess) see(k, bridge float64) {
	switch {
	case !l.any:
		l.any, l.first, l.from = true, k, k
	case k-l.to > bridge:
		l.finish()
		l.from = k
	}
	l.to = k + 1
}

// finish counts the present stay.
func (l *excess) finish() {
	l.total += l.to - l.from
	l.most = max(l.most, l.to-l.from)
	l.from = l.to
}
