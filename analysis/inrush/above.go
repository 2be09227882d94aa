package inrush

// above follows how long the mean over 10 ms lies above limits.
type above struct {
	stripes int // of 10 ms
	bridge  float64
	limits  []excess
	sums    []int64 // prefix sums of the unbroken run, as in slider
	first   uint64
	next    uint64
}

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

func newAbove(stripes int, limits []float64, lsb float64) *above {
	a := &above{stripes: stripes, bridge: float64(stripes)}
	for _, l := range limits {
		a.limits = append(a.limits, excess{limit: l, counts: l / lsb * float64(stripes)})
	}
	return a
}

// add adds stripes from k on, in counts of current.
func (a *above) add(k uint64, xs []int64) {
	if len(a.limits) == 0 {
		return
	}
	if k != a.next || len(a.sums) == 0 {
		a.sums, a.first = append(a.sums[:0], 0), k
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
		l := &a.limits[i]
		for e := lo; e < len(a.sums); e++ {
			if float64(a.sums[e]-a.sums[e-a.stripes]) > l.counts {
				l.see(float64(a.first)+float64(e)-float64(a.stripes)/2, a.bridge)
			}
		}
	}
}

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

func (l *excess) finish() {
	l.total += l.to - l.from
	l.most = max(l.most, l.to-l.from)
	l.from = l.to
}
