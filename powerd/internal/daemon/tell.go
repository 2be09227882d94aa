package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

const (
	tellMost     = 60_000 // summaries that wait for a store that fails: 50 min of two rails
	tellGaps     = 1000   // of a day, in the stores
	wallStepNs   = int64(time.Second)
	closeTimeout = 2 * time.Second // of a store, at the end
)

// teller hands a bench's summaries and gaps to its stores. To them a recording is a run a
// day: one without end would bear the clock's state of its first moment for ever, one a
// segment a new name of each series every ten minutes.
type teller struct {
	bench string
	store store.Store
	log   *slog.Logger

	mu      sync.Mutex
	pending []store.Rail100ms
	dropped int64
	gaps    []Gap // of the run under way
	fresh   bool  // there is one that the stores do not have
	meta    *results.Meta

	run    *store.Run // begun; only tick's goroutine reads and writes it
	failed string     // the last complaint of the stores
}

// add takes summaries.
func (t *teller) add(rows ...store.Rail100ms) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = append(t.pending, rows...)
	if over := len(t.pending) - tellMost; over > 0 {
		t.dropped += int64(over)
		t.pending = append(t.pending[:0], t.pending[over:]...)
	}
}

// gap takes a gap that has ended.
func (t *teller) gap(g Gap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.gaps) == tellGaps {
		t.gaps = append(t.gaps[:0], t.gaps[1:]...)
	}
	t.gaps, t.fresh = append(t.gaps, g), true
}

// of says whose summaries follow.
func (t *teller) of(m *results.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meta = m
}

// take returns what there is to hand over.
func (t *teller) take() (rows []store.Rail100ms, gaps []Gap, dropped int64, m *results.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows, t.pending = t.pending, nil
	dropped, t.dropped = t.dropped, 0
	if t.fresh {
		gaps = append(gaps, t.gaps...)
		t.fresh = false
	}
	return rows, gaps, dropped, t.meta
}

// flush hands over what there is.
func (t *teller) flush(ctx context.Context, now quarch.Clock) {
	rows, gaps, dropped, m := t.take()
	if dropped > 0 {
		t.log.Error("the database does not take 100 ms means: the oldest were given up", "means", dropped)
	}
	if m == nil || len(rows)+len(gaps) == 0 {
		return
	}
	err := t.begin(ctx, m, now)
	if err == nil && len(rows) > 0 {
		err = t.store.Live(ctx, rows, nil)
	}
	if err == nil && len(gaps) > 0 {
		err = t.results(ctx, gaps)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != t.failed {
		t.log.Error("not stored", "error", err)
	}
	t.failed = text
}

func (t *teller) results(ctx context.Context, gaps []Gap) error {
	doc, err := json.Marshal(struct {
		Gaps []Gap `json:"gaps"`
	}{gaps})
	if err != nil {
		return fmt.Errorf("encode gaps: %w", err)
	}
	return t.store.Results(ctx, doc, []*analysis.Table{GapTable(gaps)})
}

// begin sees to it that a run is under way whose names and clock hold.
func (t *teller) begin(ctx context.Context, m *results.Meta, now quarch.Clock) error {
	next := store.Run{
		Suite: bench.RecordingSuite, Bench: t.bench, Drive: m.Drive.Model, DriveSerial: m.Drive.Serial, Firmware: m.Drive.Firmware,
		Module: m.Module.Serial, Simulated: m.Suite.Simulated, StartedUTCNs: now.UTCNs, StartedMonoNs: now.MonoNs,
	}
	if t.run != nil && holds(*t.run, next) {
		return nil
	}
	err := t.end(ctx, now)
	next.ID = bench.RecordingSuite + "-" + t.bench + "-" + time.Unix(0, now.UTCNs).UTC().Format(segmentName)
	if err := t.store.Begin(ctx, next); err != nil {
		return err
	}
	t.run = &next
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gaps = t.gaps[:0]
	return err
}

// holds reports whether a run may go on: same names, same day, and a wall clock that
// nobody has set.
func holds(run, next store.Run) bool {
	step := run.UTCNs(next.StartedMonoNs) - next.StartedUTCNs
	day := func(r store.Run) string { return time.Unix(0, r.StartedUTCNs).UTC().Format(time.DateOnly) }
	same := day(run) == day(next) && step < wallStepNs && step > -wallStepNs
	next.ID, next.StartedUTCNs, next.StartedMonoNs = run.ID, run.StartedUTCNs, run.StartedMonoNs
	return same && run == next
}

func (t *teller) end(ctx context.Context, now quarch.Clock) error {
	if t.run == nil {
		return nil
	}
	t.run = nil
	return t.store.End(ctx, store.Completed, now.MonoNs)
}

// trim has the stores forget summaries of before.
func (t *teller) trim(ctx context.Context, beforeUTCNs int64) {
	s, ok := t.store.(store.Trimmer)
	if !ok {
		return
	}
	if err := s.TrimLive(ctx, bench.RecordingSuite, beforeUTCNs); err != nil && ctx.Err() == nil {
		t.log.Error("old 100 ms means are not forgotten", "error", err)
	}
}

// waiting says how many points a server has not taken.
func (t *teller) waiting(ctx context.Context) (int64, error) {
	if s, ok := t.store.(store.Waiter); ok {
		return s.Waiting(ctx)
	}
	return 0, nil
}

// close lets the stores write what they hold back. What a server does not take meanwhile
// is no error: it stays in the outbox.
func (t *teller) close(ctx context.Context) error {
	if t.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	rep, err := t.store.Close(ctx)
	if unsent := rep.Err(); unsent != nil {
		t.log.Warn("the next start sends what waits", "report", unsent.Error())
	}
	if errors.Is(err, store.ErrClosed) {
		return nil
	}
	return err
}
