package watch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
)

// author writes the status of a run as its powerd does.
type author struct {
	t    *testing.T
	dir  string
	held atomic.Bool
}

// working is a powerd at work.
func working(t *testing.T) *author {
	a := &author{t: t, dir: t.TempDir()}
	a.held.Store(true)
	return a
}

func (a *author) write(s measure.Status) {
	a.t.Helper()
	s.UpdatedUTC = time.Now().UTC().Format(time.RFC3339)
	b, err := json.Marshal(s)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "status.json"), b, 0o644); err != nil {
		a.t.Fatal(err)
	}
}

func (a *author) watcher() *Watcher {
	return &Watcher{dir: a.dir, held: func(string) bool { return a.held.Load() }}
}

// follow runs Follow beside do, and returns how it ended, and when.
func (a *author) follow(do func()) (v View, shown []View, took time.Duration) {
	a.t.Helper()
	began := time.Now()
	done := make(chan error, 1)
	go func() {
		var err error
		v, err = a.watcher().Follow(a.t.Context(), nil, func(v View) error { shown = append(shown, v); return nil })
		took = time.Since(began)
		done <- err
	}()
	do()
	if err := <-done; err != nil {
		a.t.Error(err)
	}
	return v, shown, took
}

func pass(d time.Duration) { <-time.NewTimer(d).C }

// A watcher ends with the run, within the second.
func TestFollowEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := working(t)
		a.write(measure.Status{Outcome: results.Running, StepNumber: 1})
		v, shown, took := a.follow(func() {
			for i := range 5 {
				pass(time.Second)
				a.write(measure.Status{Outcome: results.Running, StepNumber: i + 2})
			}
			pass(time.Second)
			a.write(measure.Status{Outcome: results.Completed})
		})
		if v.Status.Outcome != results.Completed || took > 7*time.Second || len(shown) < 7 || !strings.Contains(Outcome(v), "completed") {
			t.Errorf("%+v after %v, shown %d times", v, took, len(shown))
		}
	})
}

// A powerd that is killed leaves a status that says "running". Within three seconds
// it is said that it is gone.
func TestFollowSaysThatARunWasCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := working(t)
		a.write(measure.Status{Outcome: results.Running})
		v, _, took := a.follow(func() {
			for range 10 {
				pass(time.Second)
				a.write(measure.Status{Outcome: results.Running})
			}
			pass(200 * time.Millisecond)
			a.held.Store(false)
		})
		if gone := took - 10200*time.Millisecond; v.Status.Outcome != runs.CutOff || gone > 3*time.Second {
			t.Errorf("outcome %q %v after its end", v.Status.Outcome, gone)
		}
		if !strings.Contains(Outcome(v), "cut off") || !strings.Contains(Outcome(v), "powerd analyze") {
			t.Errorf("%q", Outcome(v))
		}
	})
}

// One that is stopped, or whose disk hangs, is there and silent: that is said, and
// taken back with its next word.
func TestFollowSaysThatARunIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := working(t)
		a.write(measure.Status{Outcome: results.Running})
		_, shown, _ := a.follow(func() {
			pass(20 * time.Second)
			a.write(measure.Status{Outcome: results.Running})
			pass(1500 * time.Millisecond)
			a.write(measure.Status{Outcome: results.Completed})
		})
		var first time.Duration
		for _, v := range shown {
			if v.Silent > 0 && first == 0 {
				first = v.Silent
			}
		}
		if first < 3*time.Second || first > 4*time.Second {
			t.Errorf("silence first said after %v, want 3 to 4 s", first)
		}
		if last := shown[len(shown)-2]; last.Silent != 0 {
			t.Errorf("after its next word: %v", last.Silent)
		}
	})
}

// A first look knows how old the word is.
func TestFirstLookKnowsAnOldStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &author{t: t, dir: t.TempDir()}
		a.write(measure.Status{Outcome: results.Running})
		pass(time.Hour)
		if v, err := a.watcher().Look(); err != nil || v.Status.Outcome != runs.CutOff || v.Silent < 59*time.Minute {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

func TestLookWithoutStatus(t *testing.T) {
	if _, err := New(t.TempDir()).Look(); err == nil || !strings.Contains(err.Error(), "status.json") {
		t.Errorf("%v, want the file's name", err)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := working(t)
		a.write(measure.Status{Outcome: results.Running})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := a.watcher().Follow(ctx, nil, func(View) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Whatever stands in status.json, looking at it ends, in an error or on a screen.
func FuzzStatus(f *testing.F) {
	good, err := json.Marshal(status())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(good), "", "null", "{}", `{"plan": [{}], "step_number": -1, "seconds": {}}`, `{"left_s": 1e300, "rails": {"\u001b[2J": {"watts": -1e308}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "status.json"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := New(dir).Look()
		if err != nil {
			return
		}
		for _, l := range append(Screen(v, 80, 24), Line(v.Status), Outcome(v)) {
			if strings.ContainsAny(l, "\x1b\n") {
				t.Errorf("control characters in %q", l)
			}
		}
	})
}
