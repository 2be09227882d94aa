package measure_test

import (
	"context"
	"iter"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"powerd/analysis/idle"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/ppm"
)

// calming is a module whose drive calms down evenly until a host time: 5 V carries
// ampsPerS more for each second that is left.
type calming struct {
	*ppm.Module
	untilNs  int64
	ampsPerS float64
}

func (m *calming) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for b, err := range m.Module.Stream(ctx) {
			if b != nil {
				m.add(b)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (m *calming) add(b *quarch.Block) {
	t := b.Trace(quarch.Rail5V)
	for i := range t.A {
		atNs := b.ReadAtNs - int64(len(t.A)-i)*b.PeriodNs
		if left := time.Duration(m.untilNs - atNs); left > 0 {
			t.A[i] += int32(m.ampsPerS * left.Seconds() / t.LSBAmps)
		}
	}
}

// A drive calms down for 20 s after the step began. The step waits until its means of 2 s
// have stayed within 1 % for 6 s, and then measures 10 s of 2.7 W. What came before is
// not in the figure; that the results say so rests on the folder alone. The time left
// never rises, and is no shorter than the truth once the wait is over.
func TestIdleStepWaitsUntilTheDriveHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.replace = &calming{Module: b.module, untilNs: b.now() + 20e9, ampsPerS: 0.02}
		st := idleStep("idle", 10*time.Second)
		st.Settle = &idle.Rule{Mean: 2 * time.Second, WithinPct: 1, For: 6 * time.Second, AtMost: time.Minute}
		d, err := b.run(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start", "step_start idle", "window idle", "step_end idle", "run_end")
		r := d.Idle
		about(t, "total", r.Total.MeanW, 2.7, 1e-9)
		about(t, "length", &r.DurationS, 10, 1e-3)
		step := d.Steps[0]
		if waited := float64(r.StartMonoNs-step.StartMonoNs) * 1e-9; waited < 24 || waited > 29 {
			t.Errorf("it waited %.1f s, want 6 s after the 20 s", waited)
		}
		if r.Settled == nil || !*r.Settled || r.SettledAfterS == nil || math.Abs(*r.SettledAfterS-20) > 2 {
			t.Errorf("settled %v after %v s", r.Settled, r.SettledAfterS)
		}
		left := math.Inf(1)
		for _, s := range b.shown {
			if s.LeftS > left+1e-9 {
				t.Errorf("%.1f s left, after %.1f s", s.LeftS, left)
			}
			left = s.LeftS
			if now := s.ElapsedS; now < 20 && s.LeftS < 10 {
				t.Errorf("after %.1f s %.1f s are said to be left, and 10 s are still to be measured", now, s.LeftS)
			}
		}
	})
}

// A drive that never settles: the wait ends after 12 s, the figure is given, and says
// what it is worth.
func TestIdleStepThatNeverSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.replace = &calming{Module: b.module, untilNs: b.now() + int64(10*time.Minute), ampsPerS: 0.01} // from 6 A on
		st := idleStep("idle", 5*time.Second)
		st.Settle = &idle.Rule{Mean: time.Second, WithinPct: 0.01, For: 4 * time.Second, AtMost: 12 * time.Second}
		d, err := b.run(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		r := d.Idle
		if r.Settled == nil || *r.Settled || r.Total.MeanW == nil || !strings.Contains(r.UnsettledWhy, "still differ") {
			t.Errorf("settled %v because %q", r.Settled, r.UnsettledWhy)
		}
		if waited := float64(r.StartMonoNs-d.Steps[0].StartMonoNs) * 1e-9; math.Abs(waited-12) > 0.5 {
			t.Errorf("it waited %.1f s, want 12 s", waited)
		}
	})
}

// A run that is stopped while it waits has no idle figure, and says why.
func TestInterruptedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		st := idleStep("idle", 5*time.Second)
		rule := idle.DefaultRule()
		st.Settle = &rule
		d, err := b.run(ctx, st)
		if err == nil || d == nil {
			t.Fatalf("document %v, error %v", d, err)
		}
		if len(d.Idles) != 0 || len(d.Withheld) != 1 || !strings.Contains(d.Withheld[0].Why, "waited for the drive to settle") || d.Run.Outcome != results.Interrupted {
			t.Errorf("%d idles, withheld %v, outcome %s", len(d.Idles), d.Withheld, d.Run.Outcome)
		}
	})
}

// Nothing may wake a drive while its idle power is measured: in an idle step, wait and
// all, powerd does not open, read, write or even look into the target, and starts no
// process that could. The kernel tells of the one by inotify; of the other by the
// resources of children, which any child that ended adds to.
func TestNothingIsAskedOfAnIdleDrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(watch)
		if _, err := unix.InotifyAddWatch(watch, b.target, unix.IN_ALL_EVENTS); err != nil {
			t.Fatal(err)
		}
		children := func() unix.Rusage {
			var u unix.Rusage
			if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
				t.Fatal(err)
			}
			return u
		}
		before := children()
		asked := func() int {
			buf := make([]byte, 4096)
			n, err := unix.Read(watch, buf)
			if n < 0 && err != unix.EAGAIN {
				t.Fatal(err)
			}
			return max(0, n)
		}
		b.onShow = func(s measure.Status) {
			if n := asked(); n > 0 {
				t.Errorf("the target was touched in step %s", s.Step)
			}
		}
		st := idleStep("idle", 20*time.Second)
		st.Settle = &idle.Rule{Mean: time.Second, WithinPct: 1, For: 3 * time.Second, AtMost: time.Minute}
		if _, err := b.run(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		if after := children(); after != before {
			t.Errorf("a process was started: %+v, before %+v", after, before)
		}
		if n := asked(); n > 0 {
			t.Error("the target was touched")
		}
		if _, err := unix.Open(b.target, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil { // it would have been seen
			t.Fatal(err)
		}
		if asked() == 0 {
			t.Error("the watch sees nothing")
		}
	})
}
