package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// stopPatience is how long a module may take to end its stream when powerd stops.
const stopPatience = 2500 * time.Millisecond

// record reads one stream until it breaks, is interrupted, or ctx is done; only the
// first is an error.
func (w *worker) record(ctx context.Context, m quarch.Module, info quarch.Info) error {
	wanted, cancel := context.WithCancel(ctx)
	defer cancel()
	defer closeLate(ctx, m)()
	if s, ok := m.(quarch.Sampler); ok {
		if err := s.SetPeriod(ctx, w.o.Sampling.Nanoseconds()); err != nil {
			return fmt.Errorf("set sampling: %w", err)
		}
	}
	s := &stream{info: info, meta: w.describe(info)}
	w.arm(cancel)
	defer w.arm(nil)
	var failed error
	for b, err := range m.Stream(wanted) {
		if err != nil {
			failed = err
			break
		}
		w.take(b, m, s)
	}
	if failed == nil && wanted.Err() == nil {
		failed = errors.New("the module ended its stream")
	}
	w.streamEnded(failed)
	return failed
}

// closeLate closes a module that does not end its stream in time when ctx is done, which
// ends it all the same.
func closeLate(ctx context.Context, m quarch.Module) (stop func()) {
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		patience := time.NewTimer(stopPatience)
		defer patience.Stop()
		select {
		case <-patience.C:
			_ = m.Close() // its owner closes it again, and tells
		case <-done:
		}
	})
	return func() { close(done); watch.Wait() }
}

// arm lets a run interrupt the stream; nil = not any more.
func (w *worker) arm(interrupt context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interrupt = interrupt
	if interrupt != nil && w.job != nil { // it was asked for before the stream began
		interrupt()
	}
}

// take takes a block of the stream.
func (w *worker) take(b *quarch.Block, m quarch.Module, s *stream) {
	reachedNs, ok := w.measure(b, m, s)
	if !ok {
		return
	}
	w.raw.take(b, s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reachedNs = reachedNs
}

// measure takes a block into the figures, and returns the host time that samples have
// reached; ok is false for a block that holds none.
func (w *worker) measure(b *quarch.Block, m quarch.Module, s *stream) (reachedNs int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counters.LostStripes += b.Lost
	if b.Len() == 0 {
		return 0, false
	}
	if w.state != Recording {
		if st, ok := m.(quarch.Starter); ok {
			s.sentNs, s.ackedNs = st.StreamStart()
		}
		s.info.PeriodNs = b.PeriodNs
		w.meter.Begin(s.meta.Options(b.PeriodNs), s.sentNs)
		w.recent.Reset()
		w.state, w.why, w.said, w.pause = Recording, "", "", 0
	}
	w.counters.Samples += uint64(b.Len())
	return w.meter.Add(b), true
}

// streamEnded ends what the stream had begun.
func (w *worker) streamEnded(failed error) {
	w.mu.Lock()
	if w.state == Recording {
		w.meter.End()
		w.recent.Reset()
		w.state, w.why = Waiting, "the stream has ended"
	}
	w.mu.Unlock()
	if failed != nil {
		w.raw.end(failed.Error(), results.Interrupted)
		return
	}
	w.raw.end("done", results.Completed)
}

// emit takes a rail's part of 100 ms. The caller holds w.mu.
func (w *worker) emit(endNs int64, s *quarch.RailSummary) {
	w.tell.add(live.Row(endNs, "", s))
	w.recent.Add(endNs, s)
	e := w.energy[s.Rail]
	if e == nil {
		e = &energy{}
		w.energy[s.Rail] = e
	}
	e.add(s, w.meter.PeriodNs())
}

// energy is what a rail delivered, exactly: counts are summed, and turned into joules
// only where their scale changes.
type energy struct {
	before float64 // J, under other scales
	sum    quarch.RailSummary
	period int64
}

func (e *energy) add(s *quarch.RailSummary, periodNs int64) {
	if e.period != periodNs || e.sum.LSBVolts != s.LSBVolts || e.sum.LSBAmps != s.LSBAmps {
		*e = energy{before: e.joules(), period: periodNs}
	}
	e.sum.Merge(s)
}

// joules returns what was delivered so far; a polled link adds nothing.
func (e *energy) joules() float64 { return e.before + e.sum.Joules(e.period) }
