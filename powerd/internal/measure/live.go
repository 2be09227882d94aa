package measure

import (
	"math"
	"sync"

	"powerd/analysis/align"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

const (
	liveNs  = 100_000_000   // a live summary
	remapNs = 1_000_000_000 // the preview's map is solved anew this often
)

// live makes the preview of a run: 100 ms summaries for the stores, and what the
// last second drew, for a person. It places stripes by the map as known so far,
// so its figures are never results.
type live struct {
	mu       sync.Mutex
	periodNs int64
	est      *align.Estimator // nil on a polled link
	m        *align.Map
	mappedNs int64
	blocks   int

	endNs   int64 // of the summary under way
	upToNs  int64 // samples are in up to this host time
	step    string
	rails   []quarch.RailSummary
	order   []quarch.Rail
	lost    uint64 // stripes, of the whole run
	pending []store.Rail100ms
	recent  map[quarch.Rail][]carried // the last ten summaries
	history history

	watch *settleWatch // nil = no step waits for the drive
}

// carried is what a rail carried in one summary.
type carried struct {
	endNs int64
	VA
}

// begin is called before the first block of a stream.
func (l *live) begin(periodNs, sentNs int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.periodNs, l.endNs, l.upToNs, l.blocks, l.m, l.est = periodNs, 0, 0, 0, nil, nil
	l.rails, l.order, l.recent = nil, nil, map[quarch.Rail][]carried{}
	if periodNs > 0 {
		l.est = align.NewEstimator(align.Options{PeriodNs: periodNs})
		if sentNs > 0 {
			l.est.Bound(align.Bound{NotBeforeNs: sentNs, Kind: "stream start"})
		}
	}
}

// end is called after the last block of a stream: what is left of it is a summary
// that ends with its last sample.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endNs = l.upToNs
	l.emit()
}

// setStep names the step that following summaries belong to.
func (l *live) setStep(step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = step
}

// add takes a block and returns the host time that samples have reached.
func (l *live) add(b *quarch.Block) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost += b.Lost
	if b.Len() == 0 {
		return 0
	}
	l.learn(b)
	at := l.place(b)
	for i := 0; i < b.Len(); {
		start := at(i)
		if l.endNs == 0 || start >= float64(l.endNs) {
			l.emit()
			l.endNs = (int64(start)/liveNs + 1) * liveNs
		}
		j := i + 1
		if l.periodNs > 0 {
			j = min(b.Len(), max(j, i+int(math.Ceil((float64(l.endNs)-start)/float64(l.periodNs)))))
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
func (l *live) learn(b *quarch.Block) {
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
	if l.blocks++; l.m == nil || l.blocks < 10 || b.ReadAtNs-l.mappedNs >= remapNs {
		l.m, l.mappedNs = l.est.Map(), b.ReadAtNs
	}
}

// place returns the host time of the start of stripe i of b; for i one past the
// last, of the end.
func (l *live) place(b *quarch.Block) func(i int) float64 {
	if l.est == nil {
		return func(i int) float64 { return float64(b.AtNs[min(i, len(b.AtNs)-1)]) }
	}
	first, _ := l.m.TimeOf(float64(b.First))
	return func(i int) float64 { return first + float64(i)*float64(l.periodNs) }
}

// emit ends the summary under way.
func (l *live) emit() {
	for k, r := range l.order {
		s := &l.rails[k]
		if s.W.N+s.Missing == 0 {
			continue
		}
		w := s.LSBVolts * s.LSBAmps
		l.pending = append(l.pending, store.Rail100ms{
			EndNs: l.endNs, Rail: string(r), Step: l.step, N: int64(s.W.N), Lost: int64(s.Missing),
			V: stats(&s.V, s.LSBVolts), A: stats(&s.A, s.LSBAmps), W: stats(&s.W, w),
		})
		l.watch.add(l.endNs, r, s)
		l.history.add(l.endNs, r, s.MeanWatts(), float64(s.W.N), len(l.order))
		if s.W.N > 0 {
			keep := l.recent[r]
			if len(keep) == 10 {
				keep = keep[1:]
			}
			l.recent[r] = append(keep, carried{l.endNs, VA{s.V.Mean() * s.LSBVolts, s.A.Mean() * s.LSBAmps, s.MeanWatts()}})
		}
		*s = quarch.RailSummary{}
	}
}

func stats(s *quarch.Stat, lsb float64) store.Stats {
	if s.N == 0 {
		nan := math.NaN()
		return store.Stats{Min: nan, Mean: nan, Max: nan, Std: nan}
	}
	return store.Stats{Min: float64(s.Min) * lsb, Mean: s.Mean() * lsb, Max: float64(s.Max) * lsb, Std: s.Std() * lsb}
}

// take returns the summaries that ended since the last call.
func (l *live) take() []store.Rail100ms {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.pending
	l.pending = nil
	return out
}

// preview fills in what the last second drew and how well it is placed.
func (l *live) preview(s *Status, runStartNs int64, now quarch.Clock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.LostStripes = l.lost
	s.Seconds = l.history.told(now, len(l.order))
	s.Rails, s.TotalW = l.lastSecond(now.MonoNs)
	if l.m != nil && l.m.Status != align.StatusNone {
		ns, u := l.m.Offset()
		offset, u95 := (ns-float64(runStartNs))*1e-9, u*1e-9
		s.OffsetS, s.OffsetU95S = &offset, &u95
	}
}

// lastSecond returns what the rails carried in the last second, and in all if each
// is known. The caller holds l.mu.
func (l *live) lastSecond(nowNs int64) (rails map[quarch.Rail]VA, totalW *float64) {
	for r, all := range l.recent {
		var sum VA
		n := 0.0
		for _, c := range all {
			if nowNs-c.endNs < previewLate.Nanoseconds() {
				sum = VA{sum.Volts + c.Volts, sum.Amps + c.Amps, sum.Watts + c.Watts}
				n++
			}
		}
		if n == 0 {
			continue
		}
		if rails == nil {
			rails, totalW = map[quarch.Rail]VA{}, new(float64)
		}
		rails[r] = VA{sum.Volts / n, sum.Amps / n, sum.Watts / n}
		*totalW += sum.Watts / n
	}
	if len(rails) < len(l.order) {
		return rails, nil
	}
	return rails, totalW
}

// watts returns what all rails drew in the last second, nil if that is not known.
func (l *live) watts(nowNs int64) *float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, w := l.lastSecond(nowNs)
	return w
}

// wellPlaced reports whether the stream's start is bounded as well as a map needs
// to be called ok. A polled link has no start to bound.
func (l *live) wellPlaced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.est == nil {
		return true
	}
	return l.est.Map().Status == align.StatusOK
}

// period returns the stripe period of the stream under way; 0 on a polled link.
func (l *live) period() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.periodNs
}
