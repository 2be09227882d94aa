package live

import (
	"math"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/quarch"
)

const (
	// SummaryNs is the length of a summary.
	SummaryNs = 100_000_000

	remapNs = 1_000_000_000 // the map is solved anew this often
	eager   = 10            // blocks of a stream after each of which it is, at first
)

// Meter sums the stripes of one stream after another. It is not safe for concurrent
// use.
type Meter struct {
	// Emit takes each rail's part of a summary, in the module's order; it is lent for
	// the call. A summary without a stripe is left out.
	Emit func(endNs int64, rail *quarch.RailSummary)

	o        align.Options    // of the stream; its PeriodNs is 0 on a polled link
	sentNs   int64            // its stripe 0 did not begin before; 0 = not known
	stream   int              // its number, from 1
	lost     uint64           // stripes of it
	reached  uint64           // one past its last stripe
	clock    quarch.Clock     // the last reading of the host's clocks; its RawNs is 0 before any
	clocked  bool             // the map was told one from its begin on
	est      *align.Estimator // nil on a polled link
	m        *align.Map
	mappedNs int64
	blocks   int

	endNs  int64 // of the summary under way
	upToNs int64 // samples are in up to this host time
	rails  []quarch.RailSummary
	order  []quarch.Rail
}

// Begin is called before the first block of a stream of which o says what is known. Its
// stripe 0 cannot have begun before sentNs, 0 if that is not known. PeriodNs is 0 on a
// polled link.
func (l *Meter) Begin(o align.Options, sentNs int64) {
	o.Causal, o.Forget = true, true // what was shown stays true, and a stream may be months long
	*l = Meter{Emit: l.Emit, o: o, sentNs: sentNs, stream: l.stream + 1, clock: l.clock, clocked: l.clock.RawNs > 0}
	if o.PeriodNs == 0 {
		return
	}
	l.est = align.NewEstimator(o)
	if l.clocked {
		l.est.Clock(l.clock)
	}
	if sentNs > 0 {
		l.est.Bound(align.Bound{NotBeforeNs: sentNs, Kind: "stream start"})
	}
}

// Clock takes a reading of the host's clocks, about once a second. A stream that began
// before the first one does without: all of it is on one clock, or none.
func (l *Meter) Clock(c quarch.Clock) {
	l.clock = c
	if l.est != nil && l.clocked {
		l.est.Clock(c)
	}
}

// End is called after the last block of a stream: what is left of it is a summary
// that ends with its last sample.
func (l *Meter) End() {
	l.endNs = l.upToNs
	l.emit()
}

// Add takes a block and returns the host time that samples have reached; 0 for an
// empty block.
func (l *Meter) Add(b *quarch.Block) int64 {
	if b.Len() == 0 {
		return 0
	}
	l.lost, l.reached = l.lost+b.Lost, b.End()
	l.learn(b)
	at := l.place(b)
	for i := 0; i < b.Len(); {
		start := at(i)
		if l.endNs == 0 || start >= float64(l.endNs) {
			l.emit()
			l.endNs = (int64(start)/SummaryNs + 1) * SummaryNs
		}
		j := i + 1
		if l.o.PeriodNs > 0 {
			j = min(b.Len(), max(j, i+int(math.Ceil((float64(l.endNs)-start)/float64(l.o.PeriodNs)))))
		} else {
			for j < b.Len() && at(j) < float64(l.endNs) {
				j++
			}
		}
		for k := range b.Traces {
			l.rails[k].Add(&b.Traces[k], i, j)
		}
		i = j
	}
	l.upToNs = int64(at(b.Len()))
	return l.upToNs
}

// learn updates the map and, at first, which rails there are.
func (l *Meter) learn(b *quarch.Block) {
	if len(l.order) != len(b.Traces) {
		l.order = l.order[:0]
		for _, t := range b.Traces {
			l.order = append(l.order, t.Rail)
		}
		l.rails = make([]quarch.RailSummary, len(l.order))
	}
	if l.est == nil {
		return
	}
	l.est.Add(b.Arrival())
	if l.blocks++; l.m == nil || l.blocks < eager || b.ReadAtNs-l.mappedNs >= remapNs {
		l.m, l.mappedNs = l.est.Map(), b.ReadAtNs
	}
}

// place returns the host time of the start of stripe i of b; for i one past the
// last, of the end.
func (l *Meter) place(b *quarch.Block) func(i int) float64 {
	if l.est == nil {
		return func(i int) float64 { return float64(b.AtNs[min(i, len(b.AtNs)-1)]) }
	}
	first, _ := l.m.TimeOf(float64(b.First))
	return func(i int) float64 { return first + float64(i)*float64(l.o.PeriodNs) }
}

// emit ends the summary under way.
func (l *Meter) emit() {
	for k := range l.rails {
		s := &l.rails[k]
		if s.W.N+s.Missing == 0 {
			continue
		}
		l.Emit(l.endNs, s)
		*s = quarch.RailSummary{}
	}
}

// Map returns the map as known so far; nil on a polled link and before the first
// block.
func (l *Meter) Map() *align.Map { return l.m }

// PeriodNs returns the stripe period of the stream under way; 0 on a polled link.
func (l *Meter) PeriodNs() int64 { return l.o.PeriodNs }

// Rails returns the rails of a total: those that the drive uses, nil standing for all
// that the stream has. why says what the stream lacks of them; empty before its first
// block.
func (l *Meter) Rails(used []quarch.Rail) (rails []quarch.Rail, why string) {
	switch {
	case used == nil:
		return l.order, ""
	case len(l.order) == 0:
		return used, ""
	}
	return used, analysis.NoTotal(analysis.Lacking(used, l.order, nil))
}

// WellPlaced reports whether the stream's start is bounded as well as a map needs
// to be called ok. A polled link has no start to bound.
func (l *Meter) WellPlaced() bool { return l.est == nil || l.est.Map().Status == align.StatusOK }
