package efficiency

import (
	"math"

	"powerd/analysis"
	"powerd/engine"
)

// latencyScatter gives the mean latency its ±. Where a slot of the queue is filled again
// as soon as its IO is done, the mean time from one filling to the next is slots ÷ IOPS,
// and as unsure as the rate. The latency is the greater part of that time, and what lies
// between does not shorten when it lengthens: its own ± is no wider.
func (c *Cell) latencyScatter() {
	slots := float64(c.QD * c.Jobs)
	if c.Latency == nil || c.DemandIOPS > 0 || c.IOPSU95Rel == nil || slots == 0 || *c.IOPS == 0 {
		return
	}
	c.Latency.MeanU95 = analysis.Some(*c.IOPSU95Rel * slots / *c.IOPS * 1e6)
}

// latency joins the two directions; why says what percentiles lack. It is nil
// where the engine gave none.
func latency(r, w engine.Latency) (l *Latency, why string) {
	n := float64(r.N + w.N)
	if n == 0 {
		return nil, ""
	}
	nr, nw := float64(r.N), float64(w.N)
	mean := (nr*r.MeanUs + nw*w.MeanUs) / n
	squares := nr*(r.StdUs*r.StdUs+(r.MeanUs-mean)*(r.MeanUs-mean)) + nw*(w.StdUs*w.StdUs+(w.MeanUs-mean)*(w.MeanUs-mean))
	l = &Latency{Mean: analysis.Some(mean), Std: analysis.Some(math.Sqrt(squares / n))}
	one := r
	switch {
	case r.N > 0 && w.N > 0:
		l.Max = analysis.Some(max(r.MaxUs, w.MaxUs))
		return l, "percentiles of reads and of writes cannot be merged"
	case r.N == 0:
		one = w
	}
	l.Max = analysis.Some(one.MaxUs)
	percentile := func(key string) *float64 {
		x, ok := one.PercentileUs[key]
		if !ok {
			return nil
		}
		return analysis.Some(x)
	}
	l.P99, l.P999, l.P9999 = percentile("99"), percentile("99.9"), percentile("99.99")
	return l, one.PercentilesWithheldBecause
}
