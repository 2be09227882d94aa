package idle

import (
	"cmp"
	"math"
	"slices"
)

// rhythm is a series of pulses that come when they are due.
type rhythm struct {
	hits  []int     // which of the pulses, in time order
	turns []float64 // how many periods after the first each of them came
	at    []float64 // when, in cells
}

const (
	tries    = 64   // pulses that a rhythm is looked for from
	nextOnes = 8    // pulses after one of them that may be the rhythm's next
	chance   = 1e-3 // of finding a rhythm in pulses at random times
)

// findRhythm looks for the shortest period at which pulses come, in n cells; nil if
// there is none. Others may come in between, and some may be missing.
func findRhythm(found []pulse, n int) *rhythm {
	if len(found) < minPulses {
		return nil
	}
	at := make([]float64, len(found))
	for i, p := range found {
		at[i] = float64(p.from)
	}
	density := float64(len(found)) / float64(n)
	type candidate struct {
		from   int
		period float64
	}
	var all []candidate
	step := max(1, len(at)/tries)
	for i := 0; i < len(at); i += step {
		for j := i + 1; j < len(at) && j <= i+nextOnes; j++ {
			all = append(all, candidate{i, at[j] - at[i]})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.period, b.period) })
	for _, c := range all {
		if c.period < 4 { // cells: what comes in every one of them is no pulse
			continue
		}
		r := follow(at, c.from, c.period, n)
		if len(r.hits) < minPulses {
			continue
		}
		period, _ := r.period() // of all of them, which two that came early and late do not tell
		if r = follow(at, c.from, period, n); r.holds(density, n, len(all)) {
			return r
		}
	}
	return nil
}

// follow goes from one pulse to those that are due before and after it.
func follow(at []float64, from int, period float64, n int) *rhythm {
	r := &rhythm{}
	tolerance := max(2, jitter*period)
	walk := func(direction float64) {
		const patience = 4 // missing ones, beside half of all
		last, turn, hits := at[from], 0.0, 0
		for k := direction; ; k += direction {
			due := last + period*(k-turn)
			if due < -tolerance || due > float64(n)+tolerance {
				return
			}
			if i, ok := nearest(at, due, tolerance); ok {
				r.hits, r.turns, r.at = append(r.hits, i), append(r.turns, k), append(r.at, at[i])
				last, turn, hits = at[i], k, hits+1
			} else if hits+patience < int(math.Abs(k))/2 { // not this period
				return
			}
		}
	}
	walk(-1)
	slices.Reverse(r.hits)
	slices.Reverse(r.turns)
	slices.Reverse(r.at)
	r.hits, r.turns, r.at = append(r.hits, from), append(r.turns, 0), append(r.at, at[from])
	walk(1)
	return r
}

// nearest returns the pulse nearest to a time, if it is as near as tolerance.
func nearest(at []float64, due, tolerance float64) (int, bool) {
	i, _ := slices.BinarySearch(at, due)
	if i == len(at) || i > 0 && due-at[i-1] < at[i]-due {
		i--
	}
	return i, math.Abs(at[i]-due) <= tolerance
}

// holds reports whether the rhythm is there nearly all the time, and not by chance:
// two pulses make a period, each further one is due at a time near which one lies
// anyway with the chance p.
func (r *rhythm) holds(density float64, n, candidates int) bool {
	if len(r.hits) < minPulses {
		return false
	}
	period, _ := r.period()
	due := math.Floor(float64(n)/period) - 0.5 // one more or less is inside
	if float64(len(r.hits)) < hitShare*due {
		return false
	}
	p := -math.Expm1(-2 * max(2, jitter*period) * density)
	slots := max(due, float64(len(r.hits))) - 2
	ways := logChoose(slots, float64(len(r.hits)-2))
	return ways+float64(len(r.hits)-2)*math.Log(p)+math.Log(float64(candidates)) < math.Log(chance)
}

// logChoose returns the logarithm of in how many ways k of n can be chosen.
func logChoose(n, k float64) float64 {
	if k >= n {
		return 0
	}
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// period returns the period in cells by a straight line through the pulses, and the
// half-width of its 95 % interval. A pulse's place is not known better than a cell.
func (r *rhythm) period() (cells, u95 float64) {
	x, y := mean(r.turns), mean(r.at)
	var xx, xy float64
	for i := range r.at {
		xx += (r.turns[i] - x) * (r.turns[i] - x)
		xy += (r.turns[i] - x) * (r.at[i] - y)
	}
	slope := xy / xx
	var rest float64
	for i := range r.at {
		d := r.at[i] - y - slope*(r.turns[i]-x)
		rest += d * d
	}
	n := float64(len(r.at))
	s := math.Hypot(math.Sqrt(rest/(n-2)), 1/math.Sqrt(12))
	t := 1.96 + 5/(n-2) // Student's factor, not too small for two degrees of freedom and more
	return slope, t * s / math.Sqrt(xx)
}
