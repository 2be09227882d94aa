package measure_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/ppm"
)

// A job that fails is not the end: the steps after it run, the run is failed, and each
// is told as what it was.
func TestFailingJobLetsLaterStepsRun(t *testing.T) {
	for name, fail := range map[string]enginetest.Outcome{
		"it starts and fails": {ReadIOPS: 1000, Err: &engine.JobError{Step: "bad", Why: "exit code 1"}},
		"it does not start":   {StartErr: errors.New("exit code 1: cannot fork")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.engine.script = func(j engine.Job) enginetest.Outcome {
					if j.Step == "bad" {
						return fail
					}
					return enginetest.Outcome{ReadIOPS: 1000}
				}
				d, err := b.run(t.Context(), loadStep("bad", 2*time.Second), loadStep("good", 2*time.Second))
				if !errors.Is(err, measure.ErrStep) || !strings.Contains(err.Error(), "exit code 1") {
					t.Errorf("error %v, want ErrStep with the engine's words", err)
				}
				if d.Run.Outcome != results.Failed || d.Steps[0].Outcome != results.Failed || d.Steps[1].Outcome != results.Completed {
					t.Errorf("outcome %s, steps %+v", d.Run.Outcome, d.Steps)
				}
				if len(d.Efficiency) != 1 || d.Efficiency[0].Step != "good" || len(d.Withheld) != 1 || d.Withheld[0].What != "efficiency.bad" {
					t.Errorf("rows %v, withheld %v", d.Efficiency, d.Withheld)
				}
				if b.store.calls[len(b.store.calls)-1] != "end failed" {
					t.Errorf("the store was told %q", b.store.calls)
				}
			})
		})
	}
}

// breaking is a module whose stream breaks at a time.
type breaking struct {
	*ppm.Module
	now  func() int64
	atNs int64
	err  error // nil: it just ends
}

func (m *breaking) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for b, err := range m.Module.Stream(ctx) {
			if m.now() >= m.atNs {
				if m.err != nil {
					yield(nil, m.err)
				}
				return
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// The module overruns in the middle of a step. There is nothing to measure with any
// more: the run ends, failed, with what came before; the engine is told to stop, and
// power that was cut is on again.
func TestOverrunEndsTheRun(t *testing.T) {
	overrun := fmt.Errorf("module emulated: %w: raise the averaging", quarch.ErrOverrun)
	for name, second := range map[string]func(*bench) (*results.Document, error){
		"idle": func(b *bench) (*results.Document, error) {
			return b.run(b.t.Context(), idleStep("first", 2*time.Second), idleStep("hit", 10*time.Second), idleStep("never", time.Second))
		},
		"load": func(b *bench) (*results.Document, error) {
			return b.run(b.t.Context(), idleStep("first", 2*time.Second), loadStep("hit", 10*time.Second), idleStep("never", time.Second))
		},
		"power off": func(b *bench) (*results.Document, error) {
			return b.run(b.t.Context(), idleStep("first", 2*time.Second), cycleStep("hit", 10*time.Second, time.Second), idleStep("never", time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.replace = &breaking{Module: b.module, now: b.now, atNs: b.now() + 6e9, err: overrun}
				began := b.now()
				d, err := second(b)
				if !errors.Is(err, quarch.ErrOverrun) || !strings.Contains(err.Error(), "hit") {
					t.Errorf("error %v, want the overrun and the step", err)
				}
				if d == nil || d.Run.Outcome != results.Failed || len(d.Steps) != 2 || d.Steps[1].Outcome != results.Failed {
					t.Fatalf("results %+v", d)
				}
				about(t, "idle before", d.Idle.Total.MeanW, 2.7, 1e-9)
				if len(d.Efficiency) != 0 {
					t.Error("a row of efficiency for the step that was cut short")
				}
				if took := b.now() - began; took > 7e9 {
					t.Errorf("it took %.1f s to end a run whose stream broke after 6", float64(took)*1e-9)
				}
				if name == "power off" {
					b.same("power", b.power(), "off", "on")
				}
				events := b.events()
				b.same("last event", events[len(events)-1:], "run_end")
			})
		})
	}
}

// A module that ends its stream without a word is no success either.
func TestStreamThatJustEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.replace = &breaking{Module: b.module, now: b.now, atNs: b.now() + 2e9}
		d, err := b.run(t.Context(), idleStep("idle", 5*time.Second))
		if err == nil || !strings.Contains(err.Error(), "ended its stream") || d.Run.Outcome != results.Failed {
			t.Errorf("error %v, outcome %s", err, d.Run.Outcome)
		}
	})
}

// Ctrl-C in any kind of step: what was measured is concluded from and kept, the store
// is still told, and the drive is left on.
func TestInterrupted(t *testing.T) {
	stop := errors.New("stopped by a signal")
	for name, run := range map[string]func(*bench, context.Context) (*results.Document, error){
		"idle": func(b *bench, ctx context.Context) (*results.Document, error) {
			return b.run(ctx, idleStep("hit", 60*time.Second), idleStep("never", time.Second))
		},
		"load": func(b *bench, ctx context.Context) (*results.Document, error) {
			return b.run(ctx, loadStep("hit", 60*time.Second), idleStep("never", time.Second))
		},
		"off": func(b *bench, ctx context.Context) (*results.Document, error) {
			return b.run(ctx, cycleStep("hit", 60*time.Second, time.Second), idleStep("never", time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				b.onShow = func(s measure.Status) {
					if s.ElapsedS > 4.5 {
						cancel(stop)
					}
				}
				d, err := run(b, ctx)
				if !errors.Is(err, stop) {
					t.Errorf("error %v, want the cause", err)
				}
				if d == nil || d.Run.Outcome != results.Interrupted || len(d.Steps) != 1 || d.Steps[0].Outcome != results.Interrupted {
					t.Fatalf("results %+v", d)
				}
				switch name {
				case "idle":
					about(t, "idle", d.Idle.Total.MeanW, 2.7, 1e-9)
				case "load":
					about(t, "IOPS", d.Efficiency[0].IOPS, 1000, 1e-3)
					if !d.Efficiency[0].Interrupted {
						t.Error("the row does not say that the job was stopped")
					}
				case "off":
					b.same("power", b.power(), "off", "on")
				}
				if calls := b.store.calls; calls[len(calls)-1] != "end interrupted" || b.store.ctxErr != nil {
					t.Errorf("the store was told %q (%v)", calls, b.store.ctxErr)
				}
			})
		})
	}
}

// switches is a module whose power commands fail as asked.
type switches struct {
	*ppm.Module
	fail func(on bool, n int) error // n counts from 1
	n    int
}

func (m *switches) SetPower(ctx context.Context, on bool) error {
	m.n++
	if err := m.fail(on, m.n); err != nil {
		return err
	}
	return m.Module.SetPower(ctx, on)
}

// A power command that fails fails the step; the module is asked what came of it, the
// drive is on afterwards, and the next step runs.
func TestPowerCommandsThatFail(t *testing.T) {
	refused := fmt.Errorf("run:power: %w: FAIL", quarch.ErrRefused)
	for name, c := range map[string]struct {
		fail     func(on bool, n int) error
		want     []string // what became of the rails
		commands int
	}{
		"off is refused": {func(_ bool, n int) error {
			if n == 1 {
				return refused
			}
			return nil
		}, nil, 1}, // it never went off: asked, the module says so, and nothing is to be put back
		"on is refused once": {func(_ bool, n int) error {
			if n == 2 {
				return refused
			}
			return nil
		}, []string{"off", "on"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				m := &switches{Module: b.module, fail: c.fail}
				b.replace = m
				d, err := b.run(t.Context(), cycleStep("up", time.Second, time.Second), idleStep("idle", 2*time.Second))
				if !errors.Is(err, measure.ErrStep) || !errors.Is(err, quarch.ErrRefused) {
					t.Errorf("error %v, want a failed step that was refused", err)
				}
				b.same("power", b.power(), c.want...)
				if m.n != c.commands {
					t.Errorf("%d power commands, want %d", m.n, c.commands)
				}
				if d.Run.Outcome != results.Failed || d.Steps[1].Outcome != results.Completed || len(d.Idles) != 1 {
					t.Errorf("outcome %s, steps %+v", d.Run.Outcome, d.Steps)
				}
			})
		})
	}
}

// A store that takes nothing is no reason to stop measuring. It is told once.
func TestStoreThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.store.fails = errors.New("database: disk I/O error")
		d, err := b.run(t.Context(), idleStep("idle", 4*time.Second))
		if !errors.Is(err, b.store.fails) || strings.Count(err.Error(), "disk I/O error") != 1 {
			t.Errorf("error %v, want the store's, once", err)
		}
		if d.Run.Outcome != results.Completed {
			t.Errorf("outcome %s, want completed: everything was measured", d.Run.Outcome)
		}
		about(t, "idle", d.Idle.Total.MeanW, 2.7, 1e-9)
	})
}

// Samples that cannot be written are lost: the run ends at once and names the folder.
func TestDiskThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		samples := filepath.Join(b.dir, "capture", "QTL1999-02-001")
		b.onShow = func(s measure.Status) {
			if s.ElapsedS > 2.5 && s.Outcome == results.Running { // its folder is gone, and cannot be made again
				os.RemoveAll(samples)
				os.WriteFile(samples, nil, 0o644)
			}
		}
		began := b.now()
		_, err := b.run(t.Context(), idleStep("idle", 60*time.Second))
		if err == nil || !strings.Contains(err.Error(), samples) {
			t.Errorf("error %v, want one that names %s", err, samples)
		}
		if took := b.now() - began; took > 6e9 {
			t.Errorf("the run went on for %.1f s", float64(took)*1e-9)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.dir = b.target // a file
		if d, err := b.run(t.Context(), idleStep("idle", time.Second)); err == nil || d != nil || !strings.Contains(err.Error(), b.target) {
			t.Errorf("a folder that cannot be made gave %v, %v", d, err)
		}
	})
}

// The module goes away in mid-step: the port is named, the rest is kept.
func TestUnplugged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.onShow = func(s measure.Status) {
			if s.ElapsedS > 3.5 {
				b.conn.Close()
			}
		}
		d, err := b.run(t.Context(), idleStep("first", 2*time.Second), idleStep("hit", 10*time.Second))
		if !errors.Is(err, quarch.ErrUnplugged) || !strings.Contains(err.Error(), "emulated") {
			t.Errorf("error %v, want ErrUnplugged and the port", err)
		}
		if d == nil || d.Run.Outcome != results.Failed {
			t.Fatalf("results %+v", d)
		}
		about(t, "first", d.Idle.Total.MeanW, 2.7, 1e-9)
	})
}
