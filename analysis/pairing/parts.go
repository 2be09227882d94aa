package pairing

import (
	"math"
	"slices"

	"powerd/engine"
)

// Reads is what one burst of reads did.
type Reads struct {
	StartNs, EndNs int64 // first read submitted, last one completed; host CLOCK_MONOTONIC
	Count          int
	Intervals      []engine.Interval // completions while it lasted; nil = evenly
}

// none marks a bin of which nothing is known: reads were held up, or it lies too
// near to an edge.
const none = -1

// labels say of each bin of a trace to which part it belongs: 2b+1 is burst b, 2b the
// time without reads before it.
type labels []int

// label labels the bins of t.
func label(t *trace, reads []Reads) labels {
	l := make(labels, len(t.watts))
	bin := func(ns int64) int { return int((ns - t.startNs) / binNs) }
	for i := range l {
		l[i] = 2 * len(reads)
	}
	for b, r := range slices.Backward(reads) {
		for i := 0; i < min(bin(r.StartNs), len(l)); i++ {
			l[i] = 2 * b
		}
		for i := max(0, bin(r.StartNs)); i < min(bin(r.EndNs)+1, len(l)); i++ {
			l[i] = 2*b + 1
		}
		for _, iv := range heldUp(r.Intervals) {
			for i := max(0, bin(iv.StartNs)); i < min(bin(iv.EndNs)+1, len(l)); i++ {
				if l[i] == 2*b+1 {
					l[i] = none
				}
			}
		}
	}
	return l
}

// heldUp returns the intervals of a burst around which far fewer reads completed than
// usual: somebody kept the readers from reading, and what the drive draws meanwhile
// tells nothing. Counts scatter by their roots.
func heldUp(intervals []engine.Interval) (held []engine.Interval) {
	const around = 2 // intervals on either side
	counts := make([]float64, len(intervals))
	for i := range intervals {
		lo, hi := max(0, i-around), min(len(intervals), i+around+1)
		for _, iv := range intervals[lo:hi] {
			counts[i] += float64(iv.Reads) * (2*around + 1) / float64(hi-lo)
		}
	}
	if len(counts) == 0 {
		return nil
	}
	usual := slices.Sorted(slices.Values(counts))[len(counts)/2]
	for i, n := range counts {
		if n < 0.75*usual-2*math.Sqrt(usual) {
			held = append(held, intervals[i])
		}
	}
	return held
}

// eroded returns l without the bins that have another part within back bins before
// them or ahead bins after them.
func (l labels) eroded(back, ahead int) labels {
	out := slices.Clone(l)
	for i := 1; i < len(l); i++ {
		if l[i] == l[i-1] {
			continue
		}
		for k := max(0, i-ahead); k < min(len(l), i+back); k++ {
			out[k] = none
		}
	}
	return out
}

// shifted returns l as it lies k bins later; what comes in at an end is as the end.
func (l labels) shifted(k int) labels {
	out := make(labels, len(l))
	for i := range out {
		out[i] = l[min(max(0, i-k), len(l)-1)]
	}
	return out
}

// run is a stretch of bins [from, to) of one part.
type run struct{ from, to int }

// runs returns the stretches of a part.
func (l labels) runs(part int) (rs []run) {
	for i := 0; i < len(l); i++ {
		if l[i] != part {
			continue
		}
		from := i
		for i < len(l) && l[i] == part {
			i++
		}
		rs = append(rs, run{from, i})
	}
	return rs
}

// means returns the means of a part's blocks of size bins, without those that have no
// sample. What is left of a stretch is a block if it is at least half a one.
func (t *trace) means(l labels, part, size int) (ms []float64) {
	for _, r := range l.runs(part) {
		for i := r.from; i < r.to && 2*(r.to-i) >= size; i += size {
			if m, n := t.mean(i, min(i+size, r.to)); n > 0 {
				ms = append(ms, m)
			}
		}
	}
	return ms
}
