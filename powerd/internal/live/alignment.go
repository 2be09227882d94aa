package live

import (
	"powerd/analysis/align"
	"powerd/powerd/internal/results"
)

// Alignment says how well the stream under way is placed in host time, by the map as
// known so far; nil before its first block. The offset counts from a host time, 0 for
// when the stream was asked for.
func (l *Meter) Alignment(fromNs int64) *results.StreamAlignment {
	if len(l.order) == 0 {
		return nil
	}
	if fromNs == 0 {
		fromNs = l.sentNs
	}
	var a results.StreamAlignment
	if l.m != nil {
		a = results.AlignmentOf(l.m, fromNs)
	} else {
		a.Method, a.Status, a.Why = "polled", align.StatusDegraded, "polled: each reading has the host's own time, and stands for the time about it"
	}
	a.Stream, a.PeriodUs = l.stream, float64(l.o.PeriodNs)*1e-3
	a.Stripes, a.LostStripes = l.reached-l.lost, l.lost
	return &a
}
