package align

import (
	"math"
	"slices"
)

// Step is a silent change in the number of stripes. Indices are of the count of those
// that came.
type Step struct {
	From, To float64 // it was between these stripes
	At       uint64  // stripe before which it is taken to have been
	Stripes  int64   // that are missing; negative = came twice, from At on for the second time
	Ns       float64 // the same as nominal stream time
	U95Ns    float64 // half-width of the 95 % interval of Ns
	FoundAt  float64 // stripe at which it was found
}

// turn is a point of the line from stripe to stream time. Without a step there is none.
type turn struct{ k, x float64 }

// streamOf returns the nominal stream time of stripe k.
func streamOf(warp []turn, k, periodNs float64) float64 {
	if len(warp) == 0 || k <= warp[0].k {
		return k * periodNs
	}
	last := warp[len(warp)-1]
	if k >= last.k {
		return last.x + (k-last.k)*periodNs
	}
	i, _ := slices.BinarySearchFunc(warp, k, func(t turn, k float64) int { return sign(t.k - k) })
	a, b := warp[i-1], warp[i]
	return a.x + (k-a.k)/(b.k-a.k)*(b.x-a.x)
}

// indexOf is the inverse of streamOf.
func indexOf(warp []turn, x, periodNs float64) float64 {
	if len(warp) == 0 || x <= warp[0].x {
		return x / periodNs
	}
	last := warp[len(warp)-1]
	if x >= last.x {
		return last.k + (x-last.x)/periodNs
	}
	i, _ := slices.BinarySearchFunc(warp, x, func(t turn, x float64) int { return sign(t.x - x) })
	a, b := warp[i-1], warp[i]
	return a.k + (x-a.x)/(b.x-a.x)*(b.k-a.k)
}

func sign(d float64) int {
	switch {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

// stepFinder keeps the steps that were found.
type stepFinder struct {
	found   []Step
	warp    []turn
	shiftNs float64 // stream time of all steps together
	checked float64 // stream time of the last look
	before  look
}

// stream returns the nominal stream time of a stripe.
func (f *stepFinder) stream(k, periodNs float64) float64 { return streamOf(f.warp, k, periodNs) }

const (
	lookEveryNs  = 0.5e9
	skipped      = 8   // cells
	unsure       = 32  // cells beside a step
	renewNs      = 4e9 // after which it is looked back again
	fewCells     = 8
	freshNs      = 3e9  // of the stream that must be late from end to end, or early since
	beforeNs     = 78e9 // of the stream before it that says what late is
	leastLateNs  = 300e3
	leastEarlyNs = 200e3
	leastStepNs  = 150e3

	// A stream has to go on for this long until it has shown how late its link may be for
	// seconds on end. Before, a step must be larger, by this at the stream's begin.
	learntNs  = 30e9
	unknownNs = 3e6

	// sureNs is how well a step's size is told by the least delays beside it.
	sureNs = 20e3

	// backNs is for how long a link may have been slow, or fast, and nothing was lost.
	backNs = 60e9
)

// look is what the stream was like before its last seconds.
type look struct {
	upTo    float64 // stream time
	spanNs  float64
	floor   line
	typical []float64 // least excess above it of stretches of freshNs
	driftNs float64   // that the floor's rate may be off by over the last seconds
}

// find looks whether the last seconds of the stream are late or early as a whole
// against those before. If so it takes the difference for stripes that are missing or
// came twice, and shifts them.
func (e *Estimator) find() bool {
	f := &e.steps
	if e.end < f.checked+lookEveryNs {
		return false
	}
	f.checked = e.end
	if f.before.typical == nil || e.end > f.before.upTo+freshNs+min(renewNs, f.before.spanNs/10) {
		if !e.lookBack(e.end - freshNs - lookEveryNs) {
			return false
		}
	}
	l := f.before
	tick := 1.5 * float64(e.o.TickNs)
	slack := l.driftNs + unknownNs*max(0, 1-(l.upTo-e.origin)/learntNs)
	fresh := e.within(e.end-freshNs, math.Inf(1))
	if len(fresh) < fewCells {
		return false
	}
	if late := minimum(fresh, l.floor); late > max(leastLateNs, 6*l.usual()+leastStepNs, 1.5*slices.Max(l.typical)+leastStepNs, tick)+slack {
		// The first of them may have been read before.
		return e.step(l.floor, minimum(fresh[min(skipped, len(fresh)-1):], l.floor)-l.lately())
	}
	// Nothing can be early: from the first that is, all are.
	fresh = e.within(e.end-freshNs-lookEveryNs, math.Inf(1))
	early := minimum(fresh, l.floor)
	limit := max(leastEarlyNs, 2*l.usual(), tick) + slack
	const first = int(2 * lookEveryNs / cellNs)
	if early > -limit || minimum(fresh[:min(len(fresh), first)], l.floor) > -limit/2 {
		return false
	}
	return e.step(l.floor, early-l.lately())
}

// lookBack learns what the stream was like before a stream time, as far back as the last
// step. It returns false where there is too little of it.
func (e *Estimator) lookBack(upTo float64) bool {
	start := upTo - beforeNs
	if n := len(e.steps.warp); n > 0 {
		start = max(start, e.steps.warp[n-1].x)
	}
	base := e.within(start, upTo)
	if len(base) < fewCells || base[len(base)-1].x-base[0].x < 0.7*freshNs {
		return false
	}
	spanNs := base[len(base)-1].x - base[0].x
	l, known := e.floor(base, base[0].x+spanNs/2)
	prior, uPrior := e.o.prior()
	switch {
	case spanNs < shortNs/2 && e.last.measured: // of before the last step
		l = support(base, e.last.rate)
	case !known || math.Abs(l.rate-prior) > uPrior+leastEarlyNs/spanNs:
		l = support(base, prior)
	}
	out := look{upTo: upTo, spanNs: spanNs, floor: l, typical: minima(base, l, freshNs)}
	out.driftNs = min(noPriorPPM*1e-6, (2*out.usual()+floorNs)/spanNs) * (freshNs + spanNs/2)
	e.steps.before = out
	return true
}

// usual returns the excess of most stretches.
func (l look) usual() float64 { return median(slices.Clone(l.typical)) }

// lately returns that of the last few.
func (l look) lately() float64 {
	return median(slices.Clone(l.typical[max(0, len(l.typical)-5):]))
}

// step takes what came after a step of sizeNs against line l out of the residuals.
func (e *Estimator) step(l line, sizeNs float64) bool {
	t := float64(e.o.PeriodNs)
	stripes := math.Round(sizeNs / t)
	ns, u := stripes*t, max(t, sureNs)+e.steps.before.usual()+float64(e.o.TickNs)
	if e.takeBack(ns, u) {
		return true
	}
	i := e.border(l, sizeNs)
	if stripes == 0 || i == 0 || i == len(e.cells) {
		return false
	}
	before, after := e.cells[i-1], e.cells[i]
	if sizeNs < 0 { // each cell's earliest arrival may be the step's own
		before = e.cells[max(0, i-2)]
	}
	from, at := before.x, max(before.x+t, after.x-t)
	k := math.Round(indexOf(e.steps.warp, at, t))
	s := Step{
		From: indexOf(e.steps.warp, from, t) - 1, To: k + max(0, -stripes) + 1, At: uint64(k), Stripes: int64(stripes),
		Ns: ns, U95Ns: u, FoundAt: indexOf(e.steps.warp, e.end, t),
	}
	if !e.steps.turnAt(k, stripes, t) {
		return false
	}
	e.steps.found = append(e.steps.found, s)
	e.move(l, i, ns)
	e.moved(ns)
	return true
}

// border returns the first cell after a step: the one before it was on the old side of
// the middle.
func (e *Estimator) border(l line, sizeNs float64) int {
	i := len(e.cells)
	for i > 0 {
		if y := e.cells[i-1].y - l.at(e.cells[i-1].x); sizeNs > 0 == (y < sizeNs/2) {
			break
		}
		i--
	}
	return i
}

// moved takes note that the stream goes on ns later.
func (e *Estimator) moved(ns float64) {
	e.steps.shiftNs += ns
	e.end += ns
	e.steps.checked, e.steps.before = e.end, look{}
}

// takeBack undoes the last step where one of ns ± u would make up for it: what was late
// for a while and is not any more was slow, not lost. Stripes that come earlier than they
// can if so many were lost before prove that fewer were, however many: what is left of
// the step is found again.
func (e *Estimator) takeBack(ns, u float64) bool {
	f, t := &e.steps, float64(e.o.PeriodNs)
	n := len(f.found)
	if n == 0 {
		return false
	}
	last := f.found[n-1]
	at := streamOf(f.warp[:len(f.warp)-2], float64(last.At), t)
	caughtUp := last.Ns > 0 && ns < 0
	if last.Ns > 0 == (ns > 0) || !caughtUp && math.Abs(last.Ns+ns) > last.U95Ns+u || e.end-at > backNs {
		return false
	}
	f.found, f.warp = f.found[:n-1], f.warp[:len(f.warp)-2]
	for i := range e.cells {
		if e.cells[i].x > at {
			e.cells[i].shift(-last.Ns)
		}
	}
	e.moved(-last.Ns)
	return true
}

// shift puts a cell ns later in stream time.
func (c *cell) shift(ns float64) {
	c.x, c.end, c.y, c.high = c.x+ns, c.end+ns, c.y-ns, c.high-ns
	c.id = int64(c.x / cellNs)
}

// move shifts the cells from i on by ns of stream time. What is earlier than any can be
// then, against the line l, is of the other side of the step, and is left out; so is
// what came twice.
func (e *Estimator) move(l line, i int, ns float64) {
	cells := e.cells
	e.cells = e.cells[:0]
	var x float64
	for j, c := range cells {
		if j >= i {
			c.shift(ns)
		}
		early := c.y < l.at(c.x)-leastEarlyNs && math.Abs(float64(i-j)) < unsure
		if c.x > x && !early {
			e.cells, x = append(e.cells, c), c.x
		}
	}
}

// turnAt bends the line from stripe to stream time at stripe k: over one stripe where
// some are missing, over those that came twice where some did, so that time runs on.
func (f *stepFinder) turnAt(k, stripes, t float64) bool {
	a, b := turn{k - 1, 0}, turn{k, 0}
	if stripes < 0 {
		a.k, b.k = k+stripes, k-stripes
	}
	a.x = streamOf(f.warp, a.k, t)
	b.x = streamOf(f.warp, b.k, t) + stripes*t
	if n := len(f.warp); n > 0 && (a.k <= f.warp[n-1].k || a.x <= f.warp[n-1].x) || b.x <= a.x {
		return false
	}
	f.warp = append(f.warp, a, b)
	return true
}

// minima returns the least excess above l of each stretch of cells.
func minima(cells []cell, l line, lengthNs float64) []float64 {
	var out []float64
	start := math.Inf(-1)
	for _, c := range cells {
		if c.x >= start+lengthNs {
			start = c.x
			out = append(out, math.Inf(1))
		}
		out[len(out)-1] = min(out[len(out)-1], c.y-l.at(c.x))
	}
	return out
}

// minimum returns the least excess of cells above l.
func minimum(cells []cell, l line) float64 {
	least := math.Inf(1)
	for _, c := range cells {
		least = min(least, c.y-l.at(c.x))
	}
	return least
}
