package engine

import (
	"cmp"
	"math"
	"slices"
)

// Bin is how many IOs took from LowNs to HighNs, which is not in it.
type Bin struct {
	LowNs, HighNs int64
	IOs           uint64
}

// Open reports whether the bin has no upper end: it holds all that took longer than the
// engine counts apart.
func (b Bin) Open() bool { return b.HighNs == math.MaxInt64 }

// MiddleUs is what the IOs of a bin are taken to last, in µs; an open one has its lower end.
func (b Bin) MiddleUs() float64 {
	if b.Open() {
		return float64(b.LowNs) * 1e-3
	}
	return (float64(b.LowNs) + float64(b.HighNs)) / 2 * 1e-3
}

// Histogram is latencies by size, ascending; a bin without IOs is left out. Unlike
// percentiles, histograms of jobs, directions and rounds can be added up.
type Histogram []Bin

// IOs returns how many it holds.
func (h Histogram) IOs() uint64 {
	n := uint64(0)
	for _, b := range h {
		n += b.IOs
	}
	return n
}

// WidestRel returns the width of its widest bin over that bin's lower end: what a
// percentile cannot be told finer than. Bins of a nanosecond and the open one do not count.
func (h Histogram) WidestRel() float64 {
	widest := 0.0
	for _, b := range h {
		if !b.Open() && b.LowNs > 0 && b.HighNs-b.LowNs > 1 {
			widest = max(widest, float64(b.HighNs-b.LowNs)/float64(b.LowNs))
		}
	}
	return widest
}

// MergeHistograms adds histograms up, bin by bin.
func MergeHistograms(parts ...Histogram) Histogram {
	var all Histogram
	for _, h := range parts {
		all = append(all, h...)
	}
	slices.SortFunc(all, func(a, b Bin) int {
		return cmp.Or(cmp.Compare(a.LowNs, b.LowNs), cmp.Compare(a.HighNs, b.HighNs))
	})
	var out Histogram
	for _, b := range all {
		if k := len(out) - 1; k >= 0 && out[k].LowNs == b.LowNs && out[k].HighNs == b.HighNs {
			out[k].IOs += b.IOs
			continue
		}
		out = append(out, b)
	}
	return out
}
