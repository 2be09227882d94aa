package idle

import (
	"math"
	"slices"
)

// Level is one of two levels that an idle window has.
type Level struct {
	MeanW     float64 `json:"mean_w"`     // of the seconds at this level that touch no change
	DurationS float64 `json:"duration_s"` // seconds at this level
}

// findLevels looks for two levels in the means of single seconds, in time order.
// It returns them in the order in which they first appear, or nothing.
func findLevels(seconds []float64) []Level {
	const (
		atLeast = 3    // seconds at either level
		apart   = 5    // spreads between the levels: an even slope has 3.5
		matters = 0.05 // of the mean: smaller steps are not two idles
		runs    = 6    // seconds that a level lasts on average
	)
	split, distance, spread, ok := bestSplit(seconds, atLeast)
	if !ok || distance <= apart*spread || distance <= matters*math.Abs(mean(seconds)) {
		return nil
	}
	changes := 0
	for i := 1; i < len(seconds); i++ {
		if (seconds[i] < split) != (seconds[i-1] < split) {
			changes++
		}
	}
	if (changes+1)*runs > len(seconds) {
		return nil
	}
	first := seconds[0] < split
	return []Level{level(seconds, split, first), level(seconds, split, !first)}
}

// level returns the level below split, or the one above it. A second at a
// change belongs to both levels and so to neither mean.
func level(seconds []float64, split float64, below bool) Level {
	var l Level
	var sum, n, all float64
	for i, x := range seconds {
		if (x < split) != below {
			continue
		}
		l.DurationS++
		all += x
		edge := i > 0 && (seconds[i-1] < split) != below || i+1 < len(seconds) && (seconds[i+1] < split) != below
		if !edge {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		sum, n = all, l.DurationS
	}
	l.MeanW = sum / n
	return l
}

// bestSplit returns the value that parts xs into the two groups with the least
// spread within them, the distance of their means and that spread.
func bestSplit(xs []float64, atLeast int) (split, distance, spread float64, ok bool) {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	var sum, sq float64
	for _, x := range s {
		sum, sq = sum+x-s[0], sq+(x-s[0])*(x-s[0])
	}
	var left, best float64
	for i := 1; i < n; i++ {
		left += s[i-1] - s[0]
		if i < atLeast || n-i < atLeast || s[i] == s[i-1] {
			continue
		}
		a, b := left/float64(i), (sum-left)/float64(n-i)
		between := float64(i) * float64(n-i) / float64(n) * (b - a) * (b - a)
		if between > best {
			best, split, distance, ok = between, s[i], b-a, true
		}
	}
	within := sq - sum*sum/float64(n) - best
	return split, distance, math.Sqrt(max(0, within) / float64(n)), ok
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
