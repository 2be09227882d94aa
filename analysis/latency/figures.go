package latency

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/engine"
)

// Figures are completion latencies in µs, with the JSON keys of results.json. What is nil
// is in Lacks.
type Figures struct {
	Mean    *float64 `json:"mean,omitempty"`
	MeanU95 *float64 `json:"mean_u95,omitempty"` // absent where the IO came at a demanded rate
	Std     *float64 `json:"std,omitempty"`
	P50     *float64 `json:"p50,omitempty"`
	P99     *float64 `json:"p99,omitempty"`
	P999    *float64 `json:"p999,omitempty"`
	P9999   *float64 `json:"p9999,omitempty"`
	P99999  *float64 `json:"p99999,omitempty"`
	Max     *float64 `json:"max,omitempty"`

	IOs           uint64              `json:"-"` // that were timed
	Reads, Writes engine.Histogram    `json:"-"` // nil = the engine left none
	Lacks         []analysis.Withheld `json:"-"` // what percentiles lack; What is "percentiles", or the first that lacks it
}

// percentile is one of them, and the share of IOs beyond it.
type percentile struct {
	key, ordinal string
	engine       string // as engines name it
	beyond       uint64 // of 100 000 IOs
	of           func(*Figures) **float64
}

func percentiles() []percentile {
	return []percentile{
		{"p50", "50th", "50", 50_000, func(f *Figures) **float64 { return &f.P50 }},
		{"p99", "99th", "99", 1000, func(f *Figures) **float64 { return &f.P99 }},
		{"p999", "99.9th", "99.9", 100, func(f *Figures) **float64 { return &f.P999 }},
		{"p9999", "99.99th", "99.99", 10, func(f *Figures) **float64 { return &f.P9999 }},
		{"p99999", "99.999th", "99.999", 1, func(f *Figures) **float64 { return &f.P99999 }},
	}
}

// leastBeyond is how many IOs a percentile needs beyond it.
const leastBeyond = 10

// Join puts the two directions of a job together; nil if no IO was timed.
func Join(r, w engine.Latency) *Figures {
	n := float64(r.N + w.N)
	if n == 0 {
		return nil
	}
	nr, nw := float64(r.N), float64(w.N)
	mean := (nr*r.MeanUs + nw*w.MeanUs) / n
	squares := nr*(r.StdUs*r.StdUs+(r.MeanUs-mean)*(r.MeanUs-mean)) + nw*(w.StdUs*w.StdUs+(w.MeanUs-mean)*(w.MeanUs-mean))
	f := &Figures{
		Mean: analysis.Some(mean), Std: analysis.Some(math.Sqrt(squares / n)), IOs: r.N + w.N, Reads: r.Histogram, Writes: w.Histogram,
	}
	one := r
	switch {
	case r.N > 0 && w.N > 0:
		f.Max = analysis.Some(max(r.MaxUs, w.MaxUs))
		if r.Histogram == nil || w.Histogram == nil {
			f.lack("percentiles", "percentiles of reads and of writes cannot be merged, and the engine left no histogram")
			return f
		}
		f.fromBins()
		return f
	case r.N == 0:
		one = w
	}
	f.Max = analysis.Some(one.MaxUs)
	if one.Histogram != nil {
		f.fromBins()
		return f
	}
	f.fromEngine(one)
	return f
}

// Add puts rounds together, by their IOs; nil if one of them has no latencies.
func Add(rounds []*Figures) *Figures {
	out := &Figures{}
	sum, squares, highest := 0.0, 0.0, 0.0
	var reads, writes []engine.Histogram
	without := false
	for _, f := range rounds {
		if f == nil || f.Mean == nil || f.Std == nil || f.Max == nil || f.IOs == 0 {
			return nil
		}
		n := float64(f.IOs)
		out.IOs += f.IOs
		sum, squares = sum+n**f.Mean, squares+n*(*f.Std**f.Std+*f.Mean**f.Mean)
		highest = max(highest, *f.Max)
		without = without || !f.binned()
		reads, writes = append(reads, f.Reads), append(writes, f.Writes)
	}
	if out.IOs == 0 {
		return nil
	}
	n := float64(out.IOs)
	mean := sum / n
	out.Mean, out.Std, out.Max = &mean, analysis.Some(math.Sqrt(max(0, squares/n-mean*mean))), &highest
	if without {
		out.lack("percentiles", "percentiles of rounds cannot be merged, and the engine left no histogram of some")
		return out
	}
	out.Reads, out.Writes = engine.MergeHistograms(reads...), engine.MergeHistograms(writes...)
	out.fromBins()
	return out
}

// binned reports whether the bins hold all IOs that were timed.
func (f *Figures) binned() bool { return f.Reads.IOs()+f.Writes.IOs() == f.IOs }

// Histogram returns the bins of reads and writes together.
func (f *Figures) Histogram() engine.Histogram { return engine.MergeHistograms(f.Reads, f.Writes) }

func (f *Figures) lack(what, why string) {
	f.Lacks = append(f.Lacks, analysis.Withheld{What: what, Why: why})
}

// fromBins gives the percentiles that the histogram supports.
func (f *Figures) fromBins() {
	h := f.Histogram()
	for _, p := range percentiles() {
		if !f.supports(p) {
			return
		}
		us, ok := at(h, f.IOs-beyond(f.IOs, p))
		if !ok {
			f.lack(p.key, fmt.Sprintf("the %s percentile is above %.3g s, where the engine's bins end", p.ordinal, us*1e-6))
			return
		}
		*p.of(f) = analysis.Some(min(us, *f.Max))
	}
}

// fromEngine takes the engine's own percentiles: those of a report without bins.
func (f *Figures) fromEngine(l engine.Latency) {
	if l.PercentilesWithheldBecause != "" {
		f.lack("percentiles", l.PercentilesWithheldBecause)
		return
	}
	for _, p := range percentiles() {
		x, given := l.PercentileUs[p.engine]
		if !given {
			continue
		}
		if !f.supports(p) {
			return
		}
		*p.of(f) = analysis.Some(x)
	}
}

// supports reports whether there are IOs enough for a percentile. That those for the
// 99.999th are missing is the rule, and needs no word.
func (f *Figures) supports(p percentile) bool {
	n := beyond(f.IOs, p)
	if n >= leastBeyond {
		return true
	}
	if p.key != "p99999" {
		f.lack(p.key, fmt.Sprintf("%d of %d IOs are beyond the %s percentile, %d are needed", n, f.IOs, p.ordinal, leastBeyond))
	}
	return false
}

// beyond returns how many of n IOs lie beyond a percentile.
func beyond(n uint64, p percentile) uint64 {
	const of = 100_000
	return n/of*p.beyond + n%of*p.beyond/of
}

// at returns the latency of the IO that comes rank-th by length, the first being 1; ok is
// false where that is in an open bin.
func at(h engine.Histogram, rank uint64) (us float64, ok bool) {
	for _, b := range h {
		if rank <= b.IOs {
			return b.MiddleUs(), !b.Open()
		}
		rank -= b.IOs
	}
	return 0, false
}

// Reason returns why a percentile is absent, by its key; empty if it is there.
func (f *Figures) Reason(key string) string {
	absent := false
	for _, p := range percentiles() {
		for _, l := range f.Lacks {
			absent = absent || l.What == p.key || l.What == "percentiles"
		}
		if p.key == key {
			break
		}
	}
	if !absent {
		return ""
	}
	return f.Lacks[0].Why
}
