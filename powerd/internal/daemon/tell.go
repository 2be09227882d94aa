package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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
	told    int   // so many of them the stores have
	meta    *results.Meta

	// Only tick's goroutine has these.
	run    *store.Run // nil = none was begun yet
	begun  bool       // all stores have it; else some may, and others still the one before
	failed string     // the last complaint of the stores
}

// add takes summaries.
func (t *teller) add(rows ...store.Rail100ms) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(append(t.pending, rows...))
}

// back keeps summaries that no store was given for the next time.
func (t *teller) back(rows []store.Rail100ms) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keep(append(rows, t.pending...))
}

// keep has rows wait, the latest of them if they are too many. The caller holds t.mu.
func (t *teller) keep(rows []store.Rail100ms) {
	over := max(0, len(rows)-tellMost)
	t.dropped += int64(over)
	t.pending = rows[over:]
}

// gap takes a gap that has ended.
func (t *teller) gap(g Gap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.gaps) == tellGaps {
		t.gaps, t.told = append(t.gaps[:0], t.gaps[1:]...), max(0, t.told-1)
	}
	t.gaps = append(t.gaps, g)
}

// of says whose summaries follow.
func (t *teller) of(m *results.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meta = m
}

// take returns what there is to hand over, and whose it is; nil if there is nothing.
func (t *teller) take() (rows []store.Rail100ms, m *results.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.meta == nil || len(t.pending) == 0 && t.told == len(t.gaps) {
		return nil, nil
	}
	rows, t.pending = t.pending, nil
	return rows, t.meta
}

// flush hands over what there is.
func (t *teller) flush(ctx context.Context, now quarch.Clock) {
	rows, m := t.take()
	if m == nil {
		return
	}
	err := t.begin(ctx, m, now)
	if err != nil {
		t.back(rows)
	} else {
		err = t.hand(ctx, rows)
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

// hand gives the run under way what there is. What a store was given it keeps.
func (t *teller) hand(ctx context.Context, rows []store.Rail100ms) error {
	t.mu.Lock()
	dropped, gaps, told := t.dropped, slices.Clone(t.gaps), t.told
	t.dropped = 0
	t.mu.Unlock()
	if dropped > 0 {
		t.log.Error("the database did not take 100 ms means: the oldest were given up", "means", dropped)
	}
	var live error
	if len(rows) > 0 {
		live = t.store.Live(ctx, rows, nil)
	}
	if told == len(gaps) {
		return live
	}
	if err := t.results(ctx, gaps); err != nil {
		return errors.Join(live, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told += len(gaps) - told
	return live
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

// begin sees to it that a run is under way whose names and clock hold. Where a store
// fails it is the same run that is begun the next time: a server gets no new one a second.
func (t *teller) begin(ctx context.Context, m *results.Meta, now quarch.Clock) error {
	next := store.Run{
		Suite: bench.RecordingSuite, Bench: t.bench, Drive: m.Drive.Model, DriveSerial: m.Drive.Serial, Firmware: m.Drive.Firmware,
		Module: m.Module.Serial, Simulated: m.Suite.Simulated, StartedUTCNs: now.UTCNs, StartedMonoNs: now.MonoNs,
	}
	fits := t.run != nil && holds(*t.run, next)
	if fits && t.begun {
		return nil
	}
	ended := t.end(ctx, now) // whichever run a store has
	if !fits {
		next.ID = bench.RecordingSuite + "-" + t.bench + "-" + time.Unix(0, now.UTCNs).UTC().Format(segmentName)
		t.run = &next
		t.anew()
	}
	if err := t.store.Begin(ctx, *t.run); err != nil {
		return errors.Join(ended, err)
	}
	t.begun = true
	return nil
}

// anew leaves the gaps to the run before that it was told of.
func (t *teller) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gaps, t.told = append(t.gaps[:0], t.gaps[t.told:]...), 0
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
	t.begun = false
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

// errNotOpen says that what a store has is not known yet.
var errNotOpen = errors.New("the stores are not open yet")

// open takes the store; whoever asks how much waits may do so before.
func (t *teller) open(s store.Store) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store = s
}

// waiting says how many points a server has not taken.
func (t *teller) waiting(ctx context.Context) (int64, error) {
	t.mu.Lock()
	st := t.store
	t.mu.Unlock()
	if st == nil {
		return 0, errNotOpen
	}
	if s, ok := st.(store.Waiter); ok {
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
