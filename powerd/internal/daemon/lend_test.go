package daemon

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/measure"
	"powerd/quarch"
)

// aRun is a run that a test holds in its hand.
type aRun struct {
	module chan quarch.Module // that it got
	end    chan string        // outcome with which it is to end
}

// lending returns options whose runs are the test's. A run ends when the test says so, or
// as interrupted when it is canceled.
func lending(o Options) (Options, *aRun) {
	r := &aRun{module: make(chan quarch.Module, 1), end: make(chan string, 1)}
	o.Prepare = func(q RunRequest) (Prepared, error) {
		if q.Suite == "wrong" {
			return Prepared{}, errors.New("line 1: no suite")
		}
		return Prepared{Suite: q.Suite, Run: func(ctx context.Context, m quarch.Module, tell Tell) (string, error) {
			r.module <- m
			tell.Begun("/runs/x")
			tell.Status(measure.Status{Step: "idle"})
			select {
			case outcome := <-r.end:
				return outcome, nil
			case <-ctx.Done():
				return "interrupted", errors.New("interrupted")
			}
		}}, nil
	}
	return o, r
}

// What a killed run has left of the supply is asked for each time before samples are taken,
// told of once in the log, and told for as long as it is so.
func TestSupplyThatWasLeftIsTold(t *testing.T) {
	m := newModule(t, "QTL1999-02-001")
	o, run := lending(options(t.TempDir(), benchOn("left", m.port, "QTL1999-02-001")))
	var log strings.Builder
	var left atomic.Value
	left.Store("run x has left it off")
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	o.Left = func(context.Context, string, quarch.Module) (string, error) { return left.Load().(string), nil }
	d := start(t, o)
	if s := d.recording(t, "left"); s.Left != "run x has left it off" {
		t.Errorf("%+v", s)
	}
	for _, now := range []string{"run x has left it off", ""} {
		left.Store(now)
		if _, err := d.Submit(RunRequest{Suite: "idle", Bench: "left"}); err != nil {
			t.Fatal(err)
		}
		<-run.module
		run.end <- "completed"
		until(t, "the run is over", func() bool { j := d.Jobs()[0]; return j.Over() })
		if s := d.recording(t, "left"); s.Left != now {
			t.Errorf("%+v, want %q", s, now)
		}
	}
	d.end(t)
	if n := strings.Count(log.String(), "not as it was found"); n != 1 {
		t.Errorf("told %d times, want once: %s", n, log.String())
	}
}

// A run gets the open module; meanwhile nobody else does, and the bench is not recorded.
// When it is over, samples come again, and the gap names the run as its cause. The next
// run may be asked for at once.
func TestModuleIsLentToARun(t *testing.T) {
	m := newModule(t, "QTL1999-02-001")
	o, run := lending(options(t.TempDir(), benchOn("left", m.port, "QTL1999-02-001"), benchOn("right", filepath.Join(t.TempDir(), "none"), "")))
	d := start(t, o)
	d.recording(t, "left")
	j, err := d.Submit(RunRequest{Suite: "idle", Bench: "left"})
	if err != nil {
		t.Fatal(err)
	}
	lent := <-run.module
	if info, err := lent.Info(t.Context()); err != nil || info.Serial != "QTL1999-02-001" {
		t.Errorf("the run got module %+v, %v", info, err)
	}
	until(t, "the run says of itself", func() bool { j, _ := d.Job(j.ID); return j.Status != nil && j.Dir == "/runs/x" })
	if s := d.bench("left"); s.State != Lent || s.Run != j.ID {
		t.Errorf("%+v", s)
	}
	_, err = d.Submit(RunRequest{Suite: "idle", Bench: "left"})
	if !errors.Is(err, ErrTaken) {
		t.Errorf("a second run at once: %v", err)
	}
	contains(t, err.Error(), j.ID)
	run.end <- "completed"
	until(t, "the run is over", func() bool { j, _ := d.Job(j.ID); return j.Over() })
	next, err := d.Submit(RunRequest{Suite: "idle", Bench: "left"})
	if err != nil {
		t.Fatalf("the next run, at once: %v", err)
	}
	<-run.module
	if _, err := d.Cancel(next.ID); err != nil {
		t.Error(err)
	}
	s := d.recording(t, "left")
	if next, _ = d.Job(next.ID); next.Outcome != "interrupted" || next.Error != "interrupted" {
		t.Errorf("%+v", next)
	}
	if s.Gap == nil || s.Gap.Cause != CauseRun {
		t.Fatalf("gap %v", s.Gap)
	}
	contains(t, s.Gap.Text, next.ID)
	if again := s.Gap.EndUTC.Sub(next.Ended); again > time.Second {
		t.Errorf("recorded again %v after the run, want less than 1 s", again)
	}
	if s.Counters.Reconnects != 0 {
		t.Errorf("the module was opened %d times again", s.Counters.Reconnects)
	}
	if all := d.Jobs(); len(all) != 2 || all[0].ID != next.ID {
		t.Errorf("%+v", all)
	}
}

// What cannot be run is refused at once, and the recording goes on.
func TestRunsThatAreRefused(t *testing.T) {
	m := newModule(t, "QTL1999-02-001")
	o, _ := lending(options(t.TempDir(), benchOn("left", m.port, ""), benchOn("right", filepath.Join(t.TempDir(), "none"), "")))
	d := start(t, o)
	d.recording(t, "left")
	for _, c := range []struct {
		q    RunRequest
		want error
	}{
		{RunRequest{Suite: "idle", Bench: "middle"}, ErrUnknown},
		{RunRequest{Suite: "idle", Bench: "right"}, ErrNotReady},
		{RunRequest{Suite: "wrong", Bench: "left"}, ErrRefused},
	} {
		if _, err := d.Submit(c.q); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, err, c.want)
		}
	}
	if _, err := d.Cancel("none"); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v", err)
	}
	if s := d.bench("left"); s.State != Recording || s.Counters.Gaps != 0 {
		t.Errorf("%+v", s)
	}
}

// The daemon is stopped while a run has the module: the run is interrupted, in its own
// orderly way.
func TestStopInterruptsARun(t *testing.T) {
	m := newModule(t, "QTL1999-02-001")
	o, run := lending(options(t.TempDir(), benchOn("left", m.port, "")))
	d := start(t, o)
	d.recording(t, "left")
	j, err := d.Submit(RunRequest{Suite: "idle", Bench: "left"})
	if err != nil {
		t.Fatal(err)
	}
	<-run.module
	d.end(t)
	if j, _ = d.Job(j.ID); j.Outcome != "interrupted" {
		t.Errorf("%+v", j)
	}
}

// The neighbour's module comes to sit on a bench's path, as after a reboot. It is refused
// and not touched; the other bench goes on. Once the right one is back, it is recorded.
func TestOtherModuleOnThePath(t *testing.T) {
	dir, path, log := t.TempDir(), filepath.Join(t.TempDir(), "usb-left"), &logged{}
	mine, other, right := newModule(t, "QTL1999-02-001"), newModule(t, "QTL1999-02-002"), newModule(t, "QTL1999-02-003")
	mine.link(t, path)
	o := options(dir, benchOn("left", path, "QTL1999-02-001"), benchOn("right", right.port, "QTL1999-02-003"))
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	d := start(t, o)
	d.recording(t, "left")
	mine.pull()
	other.link(t, path)
	until(t, "the other module is refused", func() bool {
		s := d.bench("left")
		return s.State == Waiting && s.Gap != nil && s.Module.Serial == "QTL1999-02-001" && strings.Contains(s.Why, "QTL1999-02-002")
	})
	d.recording(t, "right")
	after(1500 * time.Millisecond) // some attempts more
	mine = newModule(t, "QTL1999-02-001")
	mine.link(t, path)
	g := d.recording(t, "left").Gap
	contains(t, g.Text, "QTL1999-02-002")
	if n := d.bench("right").Counters.Gaps; n != 0 {
		t.Errorf("the other bench has %d gaps", n)
	}
	if n := strings.Count(log.String(), "cause="+CauseOther); n != 1 {
		t.Errorf("it is said %d times, want once", n)
	}
	if len(other.module.PowerEvents()) != 1 { // that it is on from the start
		t.Error("the other module was touched")
	}
}

// deaf is a module that does not end its stream until it is closed.
type deaf struct {
	quarch.Module
	closed atomic.Bool
	wake   chan struct{}
}

func (m *deaf) Close() error {
	if !m.closed.Swap(true) {
		close(m.wake)
	}
	return m.Module.Close()
}

func (m *deaf) Stream(context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for b, err := range m.Module.Stream(context.Background()) {
			if m.closed.Load() || !yield(b, err) {
				return
			}
		}
		<-m.wake
	}
}

// A module that does not listen does not keep the daemon from ending in time, nor from
// keeping what came before.
func TestDeafModuleDoesNotHoldUpTheEnd(t *testing.T) {
	dir := t.TempDir()
	m := newModule(t, "QTL1999-02-001")
	o := options(dir, benchOn("left", m.port, ""))
	real := o.Open
	o.Open = func(ctx context.Context, b config.Bench, link string) (quarch.Module, quarch.Info, error) {
		m, info, err := real(ctx, b, link)
		return &deaf{Module: m, wake: make(chan struct{})}, info, err
	}
	d := start(t, o)
	d.recording(t, "left")
	if took := d.end(t); took > 5*time.Second {
		t.Errorf("it took %v to stop, want at most 5 s", took)
	}
	if on, came := stripesIn(t, benchDir(dir, "left")), d.bench("left").Counters.Samples; on != came {
		t.Errorf("%d stripes on disk, %d came", on, came)
	}
}

// Nothing ran for a while: the next daemon tells from when on nothing was recorded, and keeps
// what is there.
func TestTimeWithoutADaemon(t *testing.T) {
	dir := t.TempDir()
	m := newModule(t, "QTL1999-02-001")
	d := start(t, options(dir, benchOn("left", m.port, "")))
	d.recording(t, "left")
	d.end(t)
	before := stripesIn(t, benchDir(dir, "left"))
	after(1200 * time.Millisecond)
	d = start(t, options(dir, benchOn("left", m.port, "")))
	g := d.recording(t, "left").Gap
	if g == nil || g.Cause != CauseStopped || g.Seconds() < 1 || g.Seconds() > 30 {
		t.Errorf("gap %v", g)
	}
	d.end(t)
	if now := stripesIn(t, benchDir(dir, "left")); now != before+d.bench("left").Counters.Samples {
		t.Errorf("%d stripes on disk, want %d and %d", now, before, d.bench("left").Counters.Samples)
	}
	if data, err := os.ReadFile(filepath.Join(benchDir(dir, "left"), gapsFile)); err != nil || strings.Count(string(data), CauseStopped) != 1 {
		t.Errorf("%s %v", data, err)
	}
}
