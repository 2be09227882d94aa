package fio

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"powerd/engine"
)

// fio counts latencies in bins of 1 ns below 128 ns, and in 64 bins an octave above: none
// is wider than 1/64 of its lower end. A bin is named by its middle, rounded down, and the
// last one holds everything from its lower end on (fio 3.x: stat.h, FIO_IO_U_PLAT_BITS and
// FIO_IO_U_PLAT_GROUP_NR; stat.c, plat_idx_to_val).
const (
	binBits  = 6
	lastBits = 34 // the last bin ends at 2^34 ns, 17.2 s
)

// binOf returns the ends of the bin that fio names so.
func binOf(ns uint64) (low, high int64, ok bool) {
	if ns >= 1<<lastBits {
		return 0, 0, false
	}
	octave := bits.Len64(ns) - 1
	if octave <= binBits {
		return int64(ns), int64(ns) + 1, true
	}
	width := int64(1) << (octave - binBits)
	low = int64(ns) &^ (width - 1)
	if low+width == 1<<lastBits {
		return low, math.MaxInt64, true
	}
	return low, low + width, true
}

// histogram returns the bins of a direction of one entry; nil where the report has none, or
// none that make sense.
func (m *moments) histogram() engine.Histogram {
	if m == nil {
		return nil
	}
	out := make(engine.Histogram, 0, len(m.Bins))
	for name, n := range m.Bins {
		ns, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			return nil
		}
		low, high, ok := binOf(ns)
		if !ok {
			return nil
		}
		if n > 0 {
			out = append(out, engine.Bin{LowNs: low, HighNs: high, IOs: n})
		}
	}
	if len(out) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b engine.Bin) int { return int(min(1, max(-1, a.LowNs-b.LowNs))) })
	return out
}

// histogramOf adds up the bins of a direction; nil if an entry with samples has none, or
// others than it timed.
func histogramOf(v Version, parts []*totals) engine.Histogram {
	if featuresOf(v).latencyInUs { // fio 2.x counts in other bins
		return nil
	}
	var all []engine.Histogram
	for _, t := range parts {
		m, _ := t.completion(v)
		if m == nil || value(m.N) == 0 {
			continue
		}
		h := m.histogram()
		if h.IOs() != *m.N {
			return nil
		}
		all = append(all, h)
	}
	return engine.MergeHistograms(all...)
}

// checkBins compares the bins with what fio says of the same IOs: how many they are, and
// how long they took in the mean.
func checkBins(d *document, warn warner) {
	if featuresOf(d.version).latencyInUs {
		return
	}
	for i := range d.Entries {
		e := &d.Entries[i]
		for _, t := range e.directions() {
			m, _ := t.completion(d.version)
			if m == nil || len(m.Bins) == 0 {
				continue
			}
			h := m.histogram()
			if h.IOs() != value(m.N) {
				warn("bins-disagree", "job %s: the latency histogram holds %d IOs, %d were timed; there are no percentiles", e.Name, h.IOs(), value(m.N))
				continue
			}
			sum := 0.0
			for _, b := range h {
				sum += float64(b.IOs) * b.MiddleUs()
			}
			mean := sum / float64(h.IOs())
			if last := h[len(h)-1]; m.Mean != nil && !last.Open() && math.Abs(mean-*m.Mean*1e-3) > h.WidestRel()*mean+1e-3 {
				warn("bins-disagree", "job %s: the latency histogram has its mean at %.4g µs, the report says %.4g µs", e.Name, mean, *m.Mean*1e-3)
			}
		}
	}
}
