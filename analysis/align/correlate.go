package align

import (
	"errors"
	"fmt"
	"math"

	"powerd/engine"
)

// ErrNotUnique is why intervals and energy cannot be laid upon each other.
var ErrNotUnique = errors.New("no unique offset")

// Energy is the energy since the first of consecutive stripes; between their ends it
// grows evenly.
type Energy struct {
	startNs, periodNs float64
	joules            []float64 // up to the start of each stripe, and to the end of the last
	missing           []int     // stripes without a value, likewise
}

// NewEnergy sums the means of consecutive stripes; NaN = missing. The first starts at
// host time startNs, as a map has it.
func NewEnergy(startNs, periodNs float64, watts []float64) *Energy {
	e := &Energy{startNs: startNs, periodNs: periodNs, joules: make([]float64, len(watts)+1), missing: make([]int, len(watts)+1)}
	for i, w := range watts {
		e.joules[i+1], e.missing[i+1] = e.joules[i]+w*periodNs*1e-9, e.missing[i]
		if math.IsNaN(w) {
			e.joules[i+1], e.missing[i+1] = e.joules[i], e.missing[i]+1
		}
	}
	return e
}

// between returns the mean watts in [from, to); false where a stripe of it is missing.
func (e *Energy) between(from, to float64) (float64, bool) {
	a, b := (from-e.startNs)/e.periodNs, (to-e.startNs)/e.periodNs
	if a < 0 || b > float64(len(e.joules)-1) || e.missing[int(math.Ceil(b))] != e.missing[int(a)] {
		return 0, false
	}
	return (e.at(b) - e.at(a)) / (to - from) * 1e9, true
}

func (e *Energy) at(k float64) float64 {
	i := min(int(k), len(e.joules)-2)
	return e.joules[i] + (k-float64(i))*(e.joules[i+1]-e.joules[i])
}

// Offset is how much later the energy lies than the engine's intervals.
type Offset struct {
	Ns, U95Ns   float64
	Correlation float64 // of power with IOs there, squared
}

const (
	leastFit   = 0.1  // share of the power's variance that the IOs explain at least
	rivalPeak  = 0.9  // of the best fit, at which another one makes it ambiguous
	leastBins  = 20   // intervals that can be compared at least
	fineNs     = 5e3  // last step of the search
	coarsePart = 4    // steps of the search within an interval, at first
	mostSteps  = 1000 // to either side
)

// Correlate shifts the energy against the intervals of an engine by up to ± withinNs and
// returns where the power of each interval follows its IOs best. It refuses where that
// is at no one place: without IOs that come and go, with a load that repeats itself, or
// with power that does not follow.
func Correlate(e *Energy, intervals []engine.Interval, withinNs float64) (Offset, error) {
	if len(intervals) < leastBins {
		return Offset{}, fmt.Errorf("%w: %d intervals are too few", ErrNotUnique, len(intervals))
	}
	length := float64(intervals[0].EndNs - intervals[0].StartNs)
	step := max(length/coarsePart, withinNs/mostSteps)
	n := int(withinNs / step)
	fits := make([]float64, 2*n+1)
	best := n
	for i := range fits {
		fits[i], _ = e.fit(intervals, float64(i-n)*step)
		if fits[i] > fits[best] {
			best = i
		}
	}
	if fits[best] < leastFit {
		return Offset{}, fmt.Errorf("%w: IOs explain %.0f %% of the power's changes at most", ErrNotUnique, 100*fits[best])
	}
	if best == 0 || best == 2*n {
		return Offset{}, fmt.Errorf("%w: the best fit is at the end of the search, %.3g ms", ErrNotUnique, float64(best-n)*step*1e-6)
	}
	if at, ok := rival(fits, best); ok {
		return Offset{}, fmt.Errorf("%w: the power follows the IOs as well %.3g ms from there", ErrNotUnique, float64(at-best)*step*1e-6)
	}
	at := float64(best-n) * step
	for s := step / 2; s > fineNs/2; s /= 2 {
		for _, try := range []float64{at - s, at + s} {
			if f, _ := e.fit(intervals, try); f > fits[best] {
				at, fits[best] = try, f
			}
		}
	}
	return e.sure(intervals, Offset{Ns: at, Correlation: fits[best]}, length)
}

// rival returns a peak that is nearly as high as the best one and apart from it: the
// fit falls in between.
func rival(fits []float64, best int) (int, bool) {
	for _, step := range []int{-1, 1} {
		valley := fits[best]
		for i := best; i >= 0 && i < len(fits); i += step {
			valley = min(valley, fits[i])
			if valley < rivalPeak*fits[best] && fits[i] > rivalPeak*fits[best] {
				return i, true
			}
		}
		if valley >= rivalPeak*fits[best] { // no fall at all: flat
			return best + step, true
		}
	}
	return 0, false
}

// sure tells U95 by how sharp the peak is: the squares of what is not explained grow
// with the distance from it. Neighbouring intervals' noise is alike, so it is doubled.
func (e *Energy) sure(intervals []engine.Interval, o Offset, length float64) (Offset, error) {
	h := length / 2
	left, n := e.fit(intervals, o.Ns-h)
	right, _ := e.fit(intervals, o.Ns+h)
	bend := (2*o.Correlation - left - right) / (h * h)
	if !(bend > 0) {
		return Offset{}, fmt.Errorf("%w: the fit is flat around %.3g ms", ErrNotUnique, o.Ns*1e-6)
	}
	o.U95Ns = 4*math.Sqrt(2*(1-o.Correlation)/float64(n-3)/bend) + fineNs
	return o, nil
}

// fit returns the squared correlation of the intervals' IOs with the power tau later,
// 0 where it falls with them, and how many intervals there are to compare.
func (e *Energy) fit(intervals []engine.Interval, tau float64) (r2 float64, n int) {
	var sx, sy, sxx, syy, sxy, x0, y0 float64
	for _, v := range intervals {
		y, ok := e.between(float64(v.StartNs)+tau, float64(v.EndNs)+tau)
		if !ok {
			continue
		}
		x := float64(v.Reads+v.Writes) / float64(v.EndNs-v.StartNs)
		if n == 0 {
			x0, y0 = x, y
		}
		n++
		x, y = x-x0, y-y0
		sx, sy, sxx, syy, sxy = sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
	}
	m := float64(n)
	cov, vx, vy := sxy-sx*sy/m, sxx-sx*sx/m, syy-sy*sy/m
	if n < leastBins || !(vx > 0) || !(vy > 0) || cov <= 0 {
		return 0, n
	}
	return cov * cov / (vx * vy), n
}
