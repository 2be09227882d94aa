package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"powerd/quarch"
)

// powerd is killed while the module is unplugged: the next one goes on with that gap, whose
// cause and beginning it is, and not with one of its own. Killed while it records, what was
// not on disk yet is told apart from the time in which it did not run.
func TestGapThatOutlivesItsPowerd(t *testing.T) {
	at := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	began := func(t *testing.T) *worker {
		o := options(t.TempDir(), benchOn("left", "/dev/none", ""))
		now := at.Add(time.Minute).UnixNano()
		o.Clock = func() quarch.Clock { return quarch.Clock{MonoNs: now, UTCNs: now} }
		w := newWorker(&o, o.Benches[0], nil)
		dir := filepath.Join(w.dir, at.Format(segmentName), captureDir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, after := range map[string]time.Duration{"part.parquet": 20 * time.Second, "events.jsonl": 24 * time.Second} {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chtimes(path, at.Add(after), at.Add(after))); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	w := began(t)
	w.notRunning()
	if w.gap.Cause != CauseStopped || !w.gap.StartUTC.Equal(at.Add(20*time.Second)) {
		t.Errorf("killed while it recorded: %+v", w.gap)
	}
	contains(t, w.gap.Text, "powerd was not running (it was until 2026-12-01T10:00:24Z or later: the last 4.0 s of samples were not on disk yet)")

	w = began(t)
	w.reachedNs = at.Add(21 * time.Second).UnixNano()
	w.waiting(CauseUnplugged, errors.New("the port is gone"))
	next := newWorker(w.o, w.bench, nil)
	next.notRunning()
	if next.gap.Cause != CauseUnplugged || !next.gap.StartUTC.Equal(at.Add(21*time.Second)) {
		t.Errorf("killed while it waited: %+v", next.gap)
	}
	contains(t, next.gap.Text, "the port is gone; then powerd was not running")
	next.endGap(next.gapUntil(at.Add(time.Minute).UnixNano()))
	last := newWorker(w.o, w.bench, nil)
	last.notRunning()
	if last.gap.Cause != CauseStopped || strings.Contains(last.gap.Text, "port") {
		t.Errorf("a gap that has ended goes on: %+v", last.gap)
	}
}

// A crash while a gap was written leaves half a line. The gap that follows, which is that
// of the crash itself, has a line of its own.
func TestGapAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	if g := lastGap(dir); g != nil {
		t.Errorf("without a file: %v", g)
	}
	end := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	if err := appendGap(dir, &Gap{Cause: CauseSilent, EndUTC: end}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, gapsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:len(whole)/2]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if g := lastGap(dir); g == nil || g.Cause != CauseSilent {
		t.Errorf("the last whole one is %v", g)
	}
	if err := appendGap(dir, &Gap{Cause: CauseStopped, EndUTC: end.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if g := lastGap(dir); g == nil || g.Cause != CauseStopped || !g.EndUTC.Equal(end.Add(time.Hour)) {
		t.Errorf("the last one is %v, want that of the crash", g)
	}
}
