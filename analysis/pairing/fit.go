package pairing

import "math"

// fit is where the pattern lies in the power.
type fit struct {
	bins      int     // how much later than the reads it fits best
	best      float64 // correlation there
	elsewhere float64 // the best one farther than apartBins from there; of a whole pattern
}

const (
	searchBins = 150 // 1.5 s to either side
	apartBins  = 40  // 0.4 s: the slope of the best fit ends before
)

// find shifts the pattern of l against the power.
func (t *trace) find(l labels) fit {
	var rs [2*searchBins + 1]float64
	f := fit{best: math.Inf(-1), elsewhere: math.Inf(-1)}
	for i := range rs {
		rs[i] = t.correlation(l, i-searchBins, 0, len(l))
		if rs[i] > f.best {
			f.best, f.bins = rs[i], i-searchBins
		}
	}
	for i, r := range rs {
		if abs(i-searchBins-f.bins) > apartBins {
			f.elsewhere = math.Max(f.elsewhere, r)
		}
	}
	return f
}

// inPlace says whether the power's pattern lies where the reads' does, as far as a map
// within u bins and the drive's lag leave that open.
func (f fit) inPlace(u int) bool { return f.bins >= -u-1 && f.bins <= u+bins(lagNs)+1 }

// findBurst shifts burst b and the parts beside it alone against the power.
func (t *trace) findBurst(l labels, b int) (f fit) {
	around := append(append(l.runs(2*b), l.runs(2*b+1)...), l.runs(2*b+2)...)
	from, to := len(l), 0
	for _, r := range around {
		from, to = min(from, r.from), max(to, r.to)
	}
	f.best = math.Inf(-1)
	for k := -apartBins; k <= apartBins; k++ {
		if r := t.correlation(l, k, from, to); r > f.best {
			f.best, f.bins = r, k
		}
	}
	return f
}

// correlation returns the correlation of power with reads (1 in a burst, 0 without)
// over the bins [from, to), with the reads k bins later; -1 where there is none.
func (t *trace) correlation(l labels, k, from, to int) float64 {
	var on, off, sumOn, sumOff, squares float64
	reference := math.NaN() // keeps the squares small against their differences
	for i := from; i < to; i++ {
		w := t.watts[i]
		part := l[min(max(0, i-k), len(l)-1)]
		if part == none || math.IsNaN(w) {
			continue
		}
		if math.IsNaN(reference) {
			reference = w
		}
		w -= reference
		squares += w * w
		if part%2 == 1 {
			on, sumOn = on+1, sumOn+w
		} else {
			off, sumOff = off+1, sumOff+w
		}
	}
	n := on + off
	mean := (sumOn + sumOff) / n
	scatter := squares - n*mean*mean
	if on == 0 || off == 0 || !(scatter > 0) {
		return -1
	}
	return (sumOn/on - sumOff/off) * math.Sqrt(on*off/n/scatter)
}

// sideBins is the length of the means that must be on their side.
const sideBins = 5

// sides counts the 50 ms means of all parts, those that are not on their side of the
// middle between a burst and its surroundings, and those of the latter that stand at
// an end of their part, where a pattern that is not the reads' shows first. l are the
// parts without their edges.
func (t *trace) sides(l labels, levels []level) (all, wrong, wrongEnds int) {
	bursts := len(levels) / 2
	middle := make([]float64, bursts)
	for b := range middle {
		middle[b] = levels[2*b+1].watts/2 + (levels[2*b].watts+levels[2*b+2].watts)/4
	}
	for p := range levels {
		of := middle[max(0, p/2-1+p%2)]/2 + middle[min(p/2, bursts-1)]/2
		ms := t.means(l, p, sideBins)
		all += len(ms)
		for i, m := range ms {
			if (m > of) == (p%2 == 1) {
				continue
			}
			wrong++
			if i == 0 && p > 0 || i == len(ms)-1 && p < len(levels)-1 {
				wrongEnds++
			}
		}
	}
	return all, wrong, wrongEnds
}

func abs(i int) int { return max(i, -i) }
