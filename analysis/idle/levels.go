package idle

import (
	"math"
	"slices"
)

// Level is one of two levels that an idle window has.
type Level struct {
	MedianW   float64 `json:"median_w"`   // of the seconds at this level
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
	var low, high []float64
	changes := 0
	for i, x := range seconds {
		if x < split {
			low = append(low, x)
		} else {
			high = append(high, x)
		}
		if i > 0 && (x < split) != (seconds[i-1] < split) {
			changes++
		}
	}
	if (changes+1)*runs > len(seconds) {
		return nil
	}
	levels := []Level{level(low), level(high)}
	if seconds[0] >= split {
		slices.Reverse(levels)
	}
	return levels
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

func level(xs []float64) Level {
	slices.Sort(xs)
	return Level{MedianW: xs[len(xs)/2], DurationS: float64(len(xs))}
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
