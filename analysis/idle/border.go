package idle

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
)

// A change too close to a border of the window shows no second level, since nobody knows
// whether it lasts: the drive may have fallen asleep there, or been woken just before. The
// mean is of both all the same.

// border is a stretch at the beginning or the end of a window, too short to be a level,
// in which the power is another than in all the rest.
type border struct {
	seconds int
	last    bool // at the end
	meanW   float64
	restW   float64
}

// findBorder looks for one in the means of single seconds (NaN where there are none); the
// longer one if there are two. The rest has to be flat: what comes and goes in it too is
// the drive's idle.
func findBorder(means []float64) *border {
	_, xs := withPlaces(means)
	last := borderOf(xs)
	slices.Reverse(xs)
	first := borderOf(xs)
	switch {
	case last != nil && (first == nil || last.seconds >= first.seconds):
		last.last = true
		return last
	default:
		return first
	}
}

// borderOf looks at the end. The second of the change itself may be of both.
func borderOf(xs []float64) *border {
	for k := beside; k >= 1; k-- {
		n := len(xs) - k - 1
		if n < 2*beside {
			continue
		}
		rest, tail := xs[:n], xs[n+1:]
		b := &border{seconds: k, meanW: mean(tail), restW: mean(rest)}
		distance := math.Abs(b.meanW - b.restW)
		if distance <= matters*math.Abs(b.meanW+b.restW)/2 {
			continue
		}
		flat := func(about float64) func(x float64) bool {
			return func(x float64) bool { return math.Abs(x-about) > distance/apart }
		}
		if !slices.ContainsFunc(rest, flat(b.restW)) && !slices.ContainsFunc(tail, flat(b.meanW)) {
			return b
		}
	}
	return nil
}

// judgeBorder warns of a change that the mean hides.
func (a *Analyzer) judgeBorder(r *Result) {
	if r.Total.MeanW == nil {
		return
	}
	b := findBorder(a.seconds.means())
	if b == nil {
		return
	}
	r.changes = true
	side := "first"
	if b.last {
		side = "last"
	}
	r.warn("changes_at_border", fmt.Sprintf("its %s %d s draw %s W, all the rest %s W: the mean is of both; a longer step tells whether that lasts",
		side, b.seconds, analysis.FormatValue(b.meanW, 0, 3), analysis.FormatValue(b.restW, 0, 3)))
}
