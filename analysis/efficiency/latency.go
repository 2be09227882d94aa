package efficiency

import (
	"powerd/analysis"
	"powerd/analysis/latency"
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

// latencies takes those of the job, or of rounds put together, with what they lack.
func (c *Cell) latencies(l *latency.Figures) {
	if c.Latency = l; l == nil {
		return
	}
	for _, w := range l.Lacks {
		c.withhold("latency_us."+w.What, w.Why)
	}
}
