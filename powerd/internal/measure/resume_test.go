package measure_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/resume"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
	"powerd/quarch/sim"
)

// goOn returns the bench of a run that goes on in another boot, whose monotonic clock
// began bootNs ago, or in the same one (bootNs 0).
func (b *bench) goOn(bootNs int64, steps ...suite.Step) *bench {
	b.t.Helper()
	past, err := results.ReadPast(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	boot, now := b.boot, b.now
	if bootNs != 0 {
		began := time.Now()
		boot, now = "another", func() int64 { return bootNs + time.Since(began).Nanoseconds() }
	}
	leg := past.Next(quarch.Clock{MonoNs: now(), RawNs: now(), UTCNs: time.Now().UnixNano()}, boot)
	var done []resume.Done
	for _, s := range past.Steps {
		done = append(done, resume.Done{Step: s.Mark.Step, Outcome: s.Outcome})
	}
	way, err := resume.Decide(steps, done)
	if err != nil {
		b.t.Fatal(err)
	}
	leg.From, leg.Again = steps[way.From].Name, way.Again
	load := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 50_000})
	next := newBenchAt(b.t, sim.Options{}, load, func() int64 { return now() + leg.ClockShiftNs })
	next.dir, next.target, next.boot = b.dir, b.target, b.boot
	next.engine.now, next.engine.script = now, b.engine.script // an engine knows its own boot alone
	next.resume = &measure.Resume{Past: past, Leg: leg, Way: way}
	return next
}

// breakOff runs steps until one of them is under way for a second.
func (b *bench) breakOff(step string, steps ...suite.Step) {
	b.t.Helper()
	ctx, cancel := context.WithCancelCause(b.t.Context())
	stop := errors.New("stopped")
	b.onShow = func(s measure.Status) {
		if i := slices.IndexFunc(s.Plan, func(p measure.PlanStep) bool { return p.Step == step }); i >= 0 && s.Plan[i].TookS > 1 {
			cancel(stop)
		}
	}
	if _, err := b.run(ctx, steps...); !errors.Is(err, stop) {
		b.t.Fatalf("the run ended with %v", err)
	}
}

// writes is a load of random writes in rounds of 2 s.
func writes(name string, rounds int, steady *suite.Steady) []suite.Step {
	var out []suite.Step
	for n := 1; n <= rounds; n++ {
		st := loadStep(name+"-r"+string(rune('0'+n/10))+string(rune('0'+n%10)), 2*time.Second)
		st.Group, st.Cell, st.Round, st.Rounds, st.Steady = name, name, n, rounds, steady
		st.Job.RW = "randwrite"
		out = append(out, st)
	}
	return out
}

// A run is broken off in the third of four rounds; the machine is started again an hour
// later, so that its monotonic clock counts from 10 s on instead of from an hour and some.
// Rounds 1 and 2 stay, round 2 is done again without a figure, then 3 and 4 and the idle
// step. All times are on one axis: windows follow one another, an hour lies between the
// legs, and each stream lies where the module truly began it. Figures are the drive's:
// 2.7 W, 1000 writes a second.
func TestGoingOnAfterAReboot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.boot = "first"
		b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 1000} }
		plan := append(writes("w", 4, nil), idleStep("after", 3*time.Second))
		b.breakOff("w-r03", plan...)
		<-time.After(time.Hour)
		next := b.goOn(int64(10*time.Second), plan...)
		d, err := next.run(t.Context(), plan...)
		if err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start",
			"step_start w-r01", "step_end w-r01", "step_start w-r02", "step_end w-r02", "step_start w-r03", "step_end w-r03", "run_end",
			"run_resume", "step_start w-r02", "step_end w-r02", "step_start w-r03", "step_end w-r03",
			"step_start w-r04", "step_end w-r04", "step_start after", "step_end after", "run_end")
		b.same("store", next.store.calls, "begin r1", "results", "step w-r03 completed", "results", "step w-r04 completed", "results", "step after completed", "results", "end completed")
		if d.Run.Outcome != results.Completed || len(d.Steps) != 5 || len(d.Efficiency) != 4 {
			t.Fatalf("%s with %d steps and %d cells", d.Run.Outcome, len(d.Steps), len(d.Efficiency))
		}
		endNs := d.Run.StartedMonoNs
		for i, c := range d.Efficiency {
			about(t, c.Step+": IOPS", c.IOPS, 1000, 1e-9)
			about(t, c.Step+": power", c.MeanW, 2.7, 1e-9)
			if c.StartMonoNs < endNs {
				t.Errorf("%s begins %d ns before the one before it ended", c.Step, endNs-c.StartMonoNs)
			}
			if gap := time.Duration(c.StartMonoNs - endNs); i == 2 && (gap < time.Hour || gap > time.Hour+10*time.Second) {
				t.Errorf("%v lie between rounds 2 and 3, want an hour and what is done again", gap)
			}
			endNs = c.EndMonoNs
		}
		about(t, "idle", d.Idle.Total.MeanW, 2.7, 1e-9)
		truth := append(b.sim.Streams(), next.sim.Streams()...)
		for i, s := range truth {
			a := d.Alignment.Streams[i]
			if off := math.Abs(*a.OffsetS - float64(s.StartNs-d.Run.StartedMonoNs)*1e-9); off > *a.OffsetU95S || *a.OffsetU95S > 10e-3 {
				t.Errorf("stream %d is off by %.4f s, ± %.4f is said", a.Stream, off, *a.OffsetU95S)
			}
		}
		if len(d.Alignment.WallSteps) != 0 {
			t.Errorf("the wall clock is said to have been set: %+v", d.Alignment.WallSteps)
		}
		if len(d.Legs) != 2 || d.Legs[1].From != "w-r03" || d.Legs[1].ClockShiftNs < int64(time.Hour) {
			t.Errorf("legs: %+v", d.Legs)
		}
		again, err := results.Compute(b.dir, next.engine)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := d.JSON()
		if computed, _ := again.JSON(); !bytes.Equal(said, computed) {
			t.Error("the same folder computed again gives other results")
		}
	})
}

// Broken off after two flat rounds of 100 IOPS, and gone on with at once in the same boot:
// three more of 100 would make a window of five over the break. The rule begins anew: the
// window is rounds 3 to 7, and no round 8 begins.
func TestSteadyRuleBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.boot = "first"
		b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 100} }
		plan := writes("w", 12, &suite.Steady{Profile: "snia", Cells: []string{"w"}, OfRound: 1})
		b.breakOff("w-r03", plan...)
		d, err := b.goOn(0, plan...).run(t.Context(), plan...)
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Steady; len(s) != 1 || s[0].FirstRound != 3 || s[0].LastRound != 7 || s[0].Rounds != 7 || !slices.Equal(s[0].Breaks, []int{2}) {
			t.Errorf("steady: %+v", s)
		}
		if d.Legs[1].ClockShiftNs != 0 {
			t.Errorf("clocks of one boot are shifted by %d ns", d.Legs[1].ClockShiftNs)
		}
	})
}

// A load that crashes: as on_failure says the run ends there, or goes on. What was measured
// is kept, the cell says why it has no figure, and a run that ended goes on with that step.
func TestOnFailure(t *testing.T) {
	for _, c := range []struct {
		policy string
		steps  []string
	}{
		{suite.Stop, []string{"a completed", "b failed"}},
		{suite.Continue, []string{"a completed", "b failed", "c completed"}},
	} {
		t.Run(c.policy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.boot = "first"
				b.engine.script = func(j engine.Job) enginetest.Outcome {
					out := enginetest.Outcome{ReadIOPS: 1000}
					if j.Step == "b" {
						out.Err = &engine.JobError{Step: "b", Why: "worker crashed"}
					}
					return out
				}
				plan := suite.Plan{idleStep("a", 2*time.Second), loadStep("b", 2*time.Second), idleStep("c", 2*time.Second)}
				for i := range plan {
					plan[i].OnFailure = c.policy
				}
				d, err := b.run(t.Context(), plan...)
				if !errors.Is(err, measure.ErrStep) || !strings.Contains(err.Error(), "worker crashed") {
					t.Fatalf("error %v", err)
				}
				var got []string
				for _, s := range d.Steps {
					got = append(got, s.Step+" "+s.Outcome)
				}
				b.same("steps", got, c.steps...)
				if d.Run.Outcome != results.Failed || !strings.Contains(d.Run.Why, "worker crashed") || d.Idle == nil {
					t.Errorf("%s: %s, idle %v", d.Run.Outcome, d.Run.Why, d.Idle)
				}
				if !slices.ContainsFunc(d.Withheld, func(w results.Withheld) bool {
					return w.What == "efficiency.b" && strings.Contains(w.Why, "worker crashed")
				}) {
					t.Errorf("withheld: %+v", d.Withheld)
				}
				if c.policy != suite.Stop {
					return
				}
				if !strings.Contains(d.Run.Why, "not begun: 1 more") {
					t.Errorf("why: %s", d.Run.Why)
				}
				next := b.goOn(0, plan...)
				next.engine.script = nil
				d, err = next.run(t.Context(), plan...)
				if err != nil || d.Run.Outcome != results.Completed || len(d.Efficiency) != 1 || d.Efficiency[0].Step != "b" {
					t.Errorf("gone on: %v, %+v", err, d.Run)
				}
			})
		})
	}
}
