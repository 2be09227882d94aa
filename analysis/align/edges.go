package align

import (
	"errors"
	"fmt"
	"math"
)

// ErrNoEdge is why there is no edge to be used.
var ErrNoEdge = errors.New("no clear edge")

// Edge is a step of the power, placed between stripes.
type Edge struct {
	Stripe float64 // where the step is; 7.25 = a quarter of stripe 7 was before it
	UNs    float64 // 95 % half-width of that
	StepW  float64 // positive = it rises
}

// clearStep is how many deviations of a side's mean a step must be high.
const clearStep = 10

// FindEdge finds the one step in watts, the means of consecutive stripes of which the
// first is number first; NaN = missing. The stripe in which the power steps is a mean of
// both sides, and tells by how much it lies on which. Whoever looks for one edge of
// several gives the stripes around that one.
func FindEdge(watts []float64, first uint64, periodNs float64) (Edge, error) {
	const least = 4 // stripes on either side
	sums := make([][3]float64, len(watts)+1)
	for i, w := range watts {
		if math.IsNaN(w) {
			return Edge{}, fmt.Errorf("%w: stripe %d is missing", ErrNoEdge, first+uint64(i))
		}
		w -= watts[0] // keeps the squares small against their differences
		s := sums[i]
		sums[i+1] = [3]float64{s[0] + 1, s[1] + w, s[2] + w*w}
	}
	side := func(from, to int) (mean, squares float64) {
		n, sum := sums[to][0]-sums[from][0], sums[to][1]-sums[from][1]
		return sum / n, sums[to][2] - sums[from][2] - sum*sum/n
	}
	at, share := -1, 0.0
	var left, right float64
	best := math.Inf(1)
	for i := least; i+least < len(watts); i++ {
		l, sl := side(0, i)
		r, sr := side(i+1, len(watts))
		w := watts[i] - watts[0]
		f := 0.5 // share of the stripe after the step
		if l != r {
			f = min(max((w-l)/(r-l), 0), 1)
		}
		off := w - l - f*(r-l)
		if s := sl + sr + off*off; s < best {
			best, at, share, left, right = s, i, f, l, r
		}
	}
	if at < 0 {
		return Edge{}, fmt.Errorf("%w: %d stripes are too few to see one", ErrNoEdge, len(watts))
	}
	step := right - left
	sigma := math.Sqrt(max(0, best) / float64(len(watts)-3))
	shorter := math.Sqrt(float64(min(at, len(watts)-at-1)))
	if math.Abs(step)*shorter < clearStep*sigma || step == 0 {
		return Edge{}, fmt.Errorf("%w: a step of %.3g W in a noise of %.3g W", ErrNoEdge, step, sigma)
	}
	// The share is as good as the stripe's noise against the step; in much noise
	// another stripe may fit as well.
	ratio := sigma / math.Abs(step)
	return Edge{
		Stripe: float64(first) + float64(at) + 1 - share,
		UNs:    periodNs * (2*ratio*math.Sqrt(1+1/(shorter*shorter)) + 8*ratio*ratio),
		StepW:  step,
	}, nil
}
