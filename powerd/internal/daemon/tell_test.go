package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// moody is a store that keeps to the contract, and fails while it is sick.
type moody struct {
	memory
	sick, begun bool
}

func (m *moody) ready(begun bool) error {
	switch {
	case m.sick:
		return errors.New("no space left on device")
	case m.begun && !begun:
		return store.ErrBegun
	case !m.begun && begun:
		return store.ErrNotBegun
	}
	return nil
}

func (m *moody) Begin(ctx context.Context, r store.Run) error {
	if err := m.ready(false); err != nil {
		return err
	}
	m.begun = true
	return m.memory.Begin(ctx, r)
}

func (m *moody) Live(ctx context.Context, rails []store.Rail100ms, _ []store.Engine100ms) error {
	if err := m.ready(true); err != nil {
		return err
	}
	return m.memory.Live(ctx, rails, nil)
}

func (m *moody) Results(ctx context.Context, doc []byte, tables []*analysis.Table) error {
	if err := m.ready(true); err != nil {
		return err
	}
	return m.memory.Results(ctx, doc, tables)
}

func (m *moody) End(ctx context.Context, outcome string, endNs int64) error {
	if err := m.ready(true); err != nil {
		return err
	}
	m.begun = false
	return m.memory.End(ctx, outcome, endNs)
}

// The disk under one of two stores is full for three seconds around midnight, when a new
// run begins: it neither ends the old run nor begins the new one, while the other does both.
// Once there is room each has all means, and the gap, of the new day in one new run.
func TestStoreThatFailsAtMidnight(t *testing.T) {
	disk, server := &moody{}, &moody{}
	tell := &teller{bench: "left", store: store.All(disk, server), log: slog.New(slog.DiscardHandler)}
	tell.of(&results.Meta{})
	midnight := time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC).UnixNano()
	second := int64(0)
	flush := func() {
		tell.add(store.Rail100ms{EndNs: second, Rail: "5v"})
		tell.flush(t.Context(), quarch.Clock{MonoNs: second, UTCNs: midnight - 2e9 + second})
		second += 1e9
	}
	flush() // 23:59:58
	flush()
	disk.sick = true
	tell.gap(Gap{Cause: CauseSilent})
	for range 3 {
		flush() // from 00:00:00 on
	}
	disk.sick = false
	flush()
	for name, s := range map[string]*moody{"that failed": disk, "beside it": server} {
		var ends []int64
		for _, r := range s.rails {
			ends = append(ends, r.EndNs/1e9)
		}
		if len(ends) != 6 || ends[0] != 0 || ends[2] != 2 || ends[5] != 5 {
			t.Errorf("the store %s has means of seconds %v, want 0 to 5, once each", name, ends)
		}
		ids := map[string]bool{}
		for _, r := range s.runs {
			ids[r.ID] = true
		}
		if len(ids) != 2 || s.gaps != 1 || !s.begun {
			t.Errorf("the store %s has runs %v and %d gaps, want one run a day and 1", name, ids, s.gaps)
		}
	}
}

// A gap is told to the run in which it ended, again with each that follows it there, and
// not to the next day's.
func TestGapsOfTheirDay(t *testing.T) {
	st := &memory{}
	tell := &teller{bench: "left", store: st, log: slog.New(slog.DiscardHandler)}
	tell.of(&results.Meta{})
	day := (24 * time.Hour).Nanoseconds()
	for i, want := range []struct{ atNs, gaps int64 }{{0, 1}, {1e9, 2}, {day, 1}, {day + 1e9, 2}} {
		tell.gap(Gap{Cause: CauseSilent})
		tell.flush(t.Context(), quarch.Clock{MonoNs: want.atNs, UTCNs: want.atNs})
		if int64(st.gaps) != want.gaps {
			t.Errorf("gap %d: the run has %d, want %d", i, st.gaps, want.gaps)
		}
	}
	if len(st.runs) != 2 {
		t.Errorf("%d runs, want one a day", len(st.runs))
	}
}

// How much waits for a server is not known before the stores are open, and no 0.
func TestNothingIsKnownOfAStoreThatIsNotOpen(t *testing.T) {
	d, err := New(inWorld(t.TempDir(), newWorld(1), &memory{}))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.Waiting(t.Context()); err == nil {
		t.Errorf("%d points wait", n)
	}
}
