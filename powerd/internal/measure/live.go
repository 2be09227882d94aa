package measure

import (
	"sync"

	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// liveNs is the length of a live summary.
const liveNs = live.SummaryNs

// preview makes the preview of a run: 100 ms summaries for the stores, and what the
// last second drew, for a person. It places stripes by the map as known so far,
// so its figures are never results.
type preview struct {
	meta *results.Meta

	mu      sync.Mutex
	meter   live.Meter
	step    string
	lost    uint64 // stripes, of the whole run
	pending []store.Rail100ms
	recent  live.Recent
	history history

	watch *settleWatch // nil = no step waits for the drive
}

func newPreview(m *results.Meta) *preview {
	l := &preview{meta: m}
	l.meter.Emit = l.emit
	return l
}

// begin is called before the first block of a stream.
func (l *preview) begin(periodNs, sentNs int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meter.Begin(l.meta.Options(periodNs), sentNs)
	l.recent.Reset()
}

// end is called after the last block of a stream.
func (l *preview) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meter.End()
}

// setStep names the step that following summaries belong to.
func (l *preview) setStep(step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = step
}

// add takes a block and returns the host time that samples have reached.
func (l *preview) add(b *quarch.Block) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost += b.Lost
	return l.meter.Add(b)
}

// emit takes a rail's part of a summary. The caller holds l.mu.
func (l *preview) emit(endNs int64, s *quarch.RailSummary) {
	l.pending = append(l.pending, live.Row(endNs, l.step, s))
	l.watch.add(endNs, s.Rail, s)
	rails, _ := l.meter.Rails(l.meta.Bench.RailsUsed)
	l.history.add(endNs, s.Rail, s.MeanWatts(), float64(s.W.N), rails)
	l.recent.Add(endNs, s)
}

// take returns the summaries that ended since the last call.
func (l *preview) take() []store.Rail100ms {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.pending
	l.pending = nil
	return out
}

// fill fills in what the last second drew and how well it is placed.
func (l *preview) fill(s *Status, runStartNs int64, now quarch.Clock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.LostStripes = l.lost
	rails, why := l.meter.Rails(l.meta.Bench.RailsUsed)
	s.TotalWhy = why
	s.Seconds = l.history.told(now, rails)
	s.Rails, s.TotalW = l.recent.Last(now.MonoNs, rails)
	if s.Alignment = l.meter.Alignment(runStartNs); s.Alignment != nil {
		s.OffsetS, s.OffsetU95S = s.Alignment.OffsetS, s.Alignment.OffsetU95S
	}
}

// clock takes a reading of the host's clocks.
func (l *preview) clock(c quarch.Clock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meter.Clock(c)
}

// watts returns what all rails drew in the last second, nil if that is not known.
func (l *preview) watts(nowNs int64) *float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	rails, _ := l.meter.Rails(l.meta.Bench.RailsUsed)
	_, w := l.recent.Last(nowNs, rails)
	return w
}

// wellPlaced reports whether the stream's start is bounded as well as a map needs
// to be called ok.
func (l *preview) wellPlaced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.meter.WellPlaced()
}

// period returns the stripe period of the stream under way; 0 on a polled link.
func (l *preview) period() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.meter.PeriodNs()
}
