package inrush

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/window"
	"powerd/quarch"
)

const (
	onShare  = 0.01 // of nominal voltage: the rail has begun to rise
	aboveNs  = 10e6 // mean that is held against limits, and the longest break bridged
	perSlide = 10   // stripes that a window needs
	noValue  = math.MinInt64
)

// Options say what a cycle is asked.
type Options struct {
	Step       string
	Rails      []quarch.Rail             // of the drive in use; nil = those that the module gives
	NoRails    []quarch.Rail             // that the drive has none of: they need not be measured
	WindowsUs  []float64                 // of peaks besides the raw one; nil = DefaultWindowsUs
	LimitsA    map[quarch.Rail][]float64 // currents whose excess is timed
	ReadyNs    int64                     // host time of the first command that the drive answered; 0 = not known
	ReadyU95Ns int64                     // how well that is known
	ReadyWhy   string                    // why ReadyNs is not known
	Accuracy   accuracy.Spec             // the module's
}

// DefaultWindowsUs are the windows of peaks that nobody asked for: 100 µs to 1 s.
func DefaultWindowsUs() []float64 { return []float64{100, 1e3, 10e3, 100e3, 500e3, 1e6} }

func (o Options) windowsUs() []float64 {
	if o.WindowsUs == nil {
		return DefaultWindowsUs()
	}
	return o.WindowsUs
}

// Analyzer follows one power-up in a stream's blocks.
type Analyzer struct {
	o  Options
	w  analysis.Window
	m  TimeMap
	lo uint64 // whole stripes of the window: [lo, hi)
	hi uint64

	periodNs int64
	rails    []*railState
	others   []*other // rails that the drive does not use
	total    *slider
	sum      quarch.Sum // of the total's counts since the origin
	lsb      float64    // watts of a count of the total
	ready    upTo       // of the total's counts
	early    upTo       // the same, to the earliest that it may have been, as its ± has it
	late     upTo       // and to the latest
	scratch  []int64

	first   uint64 // first stripe seen in the window
	seen    bool
	origin  uint64
	risen   bool
	lost    uint64
	taken   int // stripes since the origin
	polled  int
	noTimes string // why the course of the cycle has no times; empty if it has
	atNs    [2]int64
}

// railState is what is followed of one rail.
type railState struct {
	rail        quarch.Rail
	lsbA, lsbW  float64
	scale       float64 // its watts' LSB in the total's
	amps, watts *slider
	above       *above
	ramp        *ramp
	charge      quarch.Sum
	squares     quarch.Sum // of its amperes' counts
	energy      quarch.Sum
	rose        int64   // stripe in which it was on first; noValue = not yet
	ready       upTo    // of its watts' counts
	a, w        []int64 // scratch: counts of a block, noValue where missing
}

// other is what a rail that the drive does not use carries since the origin.
type other struct {
	rail quarch.Rail
	lsbA float64
	sum  quarch.Sum
	n    float64
}

func (o *other) follow(t *quarch.Trace) {
	for _, x := range t.A {
		if x != quarch.Missing {
			o.sum.Add(int64(x))
			o.n++
		}
	}
}

// upTo adds counts up to a place in the stream, a part of a stripe included.
type upTo struct {
	end float64 // stripe index; 0 = not known, nothing is added
	sum float64
}

// add takes in a run of counts whose first belongs to a stripe.
func (u *upTo) add(first uint64, xs []int64) {
	before := u.end - float64(first)
	if before <= 0 {
		return
	}
	whole := int(min(float64(len(xs)), math.Floor(before)))
	u.sum += float64(sum(xs[:whole]))
	if whole < len(xs) {
		u.sum += float64(xs[whole]) * (before - float64(whole))
	}
}

// New returns an Analyzer of the cycle in w, which begins before the rails rise.
func New(m TimeMap, w analysis.Window, o Options) (*Analyzer, error) {
	if w.EndNs <= w.StartNs {
		return nil, fmt.Errorf("analyse power-up %q: the window ends at %d ns, not after its start at %d ns", o.Step, w.EndNs, w.StartNs)
	}
	a := &Analyzer{
		o: o, w: w, m: m,
		lo: uint64(max(0, math.Ceil(m.IndexAt(float64(w.StartNs))))),
		hi: uint64(max(0, math.Floor(m.IndexAt(float64(w.EndNs))))),
	}
	if o.ReadyNs != 0 {
		at := float64(o.ReadyNs)
		a.ready.end = m.IndexAt(at)
		_, u := m.TimeOf(a.ready.end)
		if u = math.Hypot(u, float64(o.ReadyU95Ns)); !math.IsInf(u, 1) {
			a.early.end, a.late.end = m.IndexAt(at-u), m.IndexAt(at+u)
		}
	}
	return a, nil
}

// Add adds a block, in order. It keeps nothing of it.
func (a *Analyzer) Add(b *quarch.Block) {
	if b.PeriodNs == 0 {
		a.poll(b)
		return
	}
	lo, hi := max(a.lo, b.First), min(a.hi, b.End())
	if lo >= hi {
		return
	}
	lost := b.Lost
	b = b.Slice(int(lo-b.First), int(hi-b.First))
	if !a.seen {
		a.begin(b)
	}
	if !a.risen {
		i, ok := a.rise(b)
		if !ok {
			return
		}
		a.risen, a.origin, lost = true, b.First+uint64(i), 0
		b = b.Slice(i, b.Len())
	}
	a.lost += lost
	a.taken += b.Len()
	a.follow(b, lost > 0)
}

func (a *Analyzer) poll(b *quarch.Block) {
	for _, t := range b.AtNs {
		if a.polled == 0 {
			a.atNs[0] = t
		}
		a.atNs[1] = t
		a.polled++
	}
}

// begin sets up what is followed, by the window's first block.
func (a *Analyzer) begin(b *quarch.Block) {
	a.seen, a.first, a.periodNs = true, b.First, b.PeriodNs
	stripes := a.windows()
	a.lsb = math.Inf(1)
	for _, r := range window.Measured(b) {
		t := b.Trace(r)
		if !analysis.Uses(a.o.Rails, r) {
			a.others = append(a.others, &other{rail: r, lsbA: t.LSBAmps})
			continue
		}
		a.lsb = min(a.lsb, t.LSBWatts())
		a.rails = append(a.rails, &railState{
			rail: r, lsbA: t.LSBAmps, lsbW: t.LSBWatts(), rose: noValue,
			amps: newSlider(stripes, a.periodNs), watts: newSlider(stripes, a.periodNs),
			ready: upTo{end: a.ready.end},
			above: newAbove(max(1, int(math.Round(aboveNs/float64(a.periodNs)))), a.limits(r), t.LSBAmps, a.o.Accuracy.U95Amps),
			ramp:  newRamp(r, float64(a.periodNs)),
		})
	}
	for _, r := range a.rails {
		r.scale = r.lsbW / a.lsb
	}
	a.total = newSlider(stripes, a.periodNs)
}

// windows returns the lengths of the supported windows in stripes, the raw one
// first.
func (a *Analyzer) windows() []float64 {
	stripes := []float64{1}
	for _, us := range a.o.windowsUs() {
		if n := us * 1e3 / float64(a.periodNs); n >= perSlide {
			stripes = append(stripes, n)
		}
	}
	return stripes
}

// limits returns the limits of a rail whose excess the samples can time.
func (a *Analyzer) limits(r quarch.Rail) []float64 {
	if float64(a.periodNs) > aboveNs/perSlide {
		return nil
	}
	return a.o.LimitsA[r]
}

// rise returns the first stripe of b in which a rail is on.
func (a *Analyzer) rise(b *quarch.Block) (int, bool) {
	for i := range b.Len() {
		for _, r := range a.rails {
			t := b.Trace(r.rail)
			if t == nil {
				continue
			}
			if r.on(t, i) {
				return i, true
			}
		}
	}
	return 0, false
}

// on says whether the rail is on in the i-th stripe.
func (r *railState) on(t *quarch.Trace, i int) bool {
	v, ok := t.Volts(i)
	return ok && float64(v) >= onShare*r.rail.NominalVolts()
}

// follow takes in stripes since the origin.
func (a *Analyzer) follow(b *quarch.Block, gap bool) {
	n := b.Len()
	if cap(a.scratch) < n {
		a.scratch = make([]int64, n)
	}
	a.scratch = a.scratch[:n]
	clear(a.scratch)
	for _, o := range a.others {
		if t := b.Trace(o.rail); t != nil {
			o.follow(t)
		}
	}
	for _, r := range a.rails {
		t := b.Trace(r.rail)
		if t == nil {
			for i := range a.scratch {
				a.scratch[i] = noValue
			}
			continue
		}
		if gap {
			r.ramp.gap()
		}
		r.follow(b.First, t, a.scratch)
	}
	runs(a.scratch, func(i, j int) {
		xs := a.scratch[i:j]
		a.total.add(b.First+uint64(i), xs)
		a.sum.Add(sum(xs))
		for _, e := range []*upTo{&a.ready, &a.early, &a.late} {
			e.add(b.First+uint64(i), xs)
		}
	})
}

// follow takes in a rail's stripes and adds its watts to total.
func (r *railState) follow(first uint64, t *quarch.Trace, total []int64) {
	n := len(t.V)
	r.a, r.w = slices.Grow(r.a[:0], n)[:n], slices.Grow(r.w[:0], n)[:n]
	for i, v := range t.V {
		a := t.A[i]
		if v == quarch.Missing || a == quarch.Missing {
			r.a[i], r.w[i], total[i] = noValue, noValue, noValue
			r.ramp.gap()
			continue
		}
		w := int64(v) * int64(a)
		r.a[i], r.w[i] = int64(a), w
		r.squares.Add(int64(a) * int64(a))
		if r.rose == noValue && r.on(t, i) {
			r.rose = int64(first) + int64(i)
		}
		r.ramp.add(float64(v)*t.LSBVolts, float64(a)*t.LSBAmps)
		if total[i] != noValue {
			if r.scale != 1 {
				w = int64(math.Round(float64(w) * r.scale))
			}
			total[i] += w
		}
	}
	runs(r.a, func(i, j int) {
		r.amps.add(first+uint64(i), r.a[i:j])
		r.watts.add(first+uint64(i), r.w[i:j])
		r.above.add(first+uint64(i), r.a[i:j])
		r.charge.Add(sum(r.a[i:j]))
		r.energy.Add(sum(r.w[i:j]))
		r.ready.add(first+uint64(i), r.w[i:j])
	})
}

// sum adds the counts of a run; 10⁷ of the largest products fit.
func sum(xs []int64) int64 {
	var s int64
	for _, x := range xs {
		s += x
	}
	return s
}

// runs calls f for each unbroken run [i, j) of values.
func runs(xs []int64, f func(i, j int)) {
	i := 0
	for k, x := range xs {
		if x != noValue {
			continue
		}
		if i < k {
			f(i, k)
		}
		i = k + 1
	}
	if i < len(xs) {
		f(i, len(xs))
	}
}
