package results_test

import (
	"math"
	"testing"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/powerd/internal/suite"
)

// rested notes a recovery from one second of the run on: a second of reads at 2000 IOPS
// before, one each at 3000 after pauses of a second, and one at 2000 then. The kernel
// counted them. It takes 9.5 s.
func rested(t *testing.T, r *resultstest.Recording, fromS float64, fresh string) {
	t.Helper()
	paused := suite.Paused{LoadNs: 1e9, Bursts: 9, Base: "hir-base", Fresh: fresh}
	load := func(step string, atS, toS float64, pause time.Duration, reads uint64) {
		job, of := randread, paused
		job.Step, job.Pause, of.PauseNs = step, pause, pause.Nanoseconds()
		if pause > 0 {
			job.PauseEvery = time.Second
		}
		r.Event(results.StepStart(host(atS-0.01), results.StepMark{Step: step, Group: "hir", Kind: "load", Job: &job, Within: suite.Recovery, Paused: &of}))
		res := done(reads)
		res.Engine, res.StartNs, res.EndNs = "fio", host(atS), host(toS)
		r.Event(results.StepEnd(host(toS+0.01), step, results.Completed, ""))
		r.Loads[step] = resultstest.Outcome{Result: res}
	}
	load("hir-base", fromS, fromS+1, 0, 2000)
	load("hir-1s", fromS+1.5, fromS+8.5, time.Second, 12_000)
	load("hir-after-1s", fromS+8.6, fromS+9.5, 0, 1800)
	counted(t, r, fromS+1, fromS+9, func(s float64) float64 {
		n := 0.0
		for _, at := range []float64{1.5, 3.5, 5.5, 7.5} {
			n += 3000 * min(1, max(0, s-fromS-at))
		}
		return n
	})
}

// A drive that draws 2.5 W in loads and 1 W in pauses. The first load follows no pause; the
// other three do 9000 reads in 3 s: 3000 IOPS, 1.5 times those before, at 2.5 W. Of the fresh
// drive's 4000 IOPS 2000 were lost, half of which come back.
func TestRecoveryIsToldFromWhatReachedTheDrive(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 14, PeriodNs: 1_024_000, EndReason: "done", Draw: func(s float64) []reading {
		at := math.Mod(s-4.5, 2)
		if s > 4.5 && s < 11.5 && at >= 1 {
			return []reading{{5000, 200_000}, {12_000, 0}}
		}
		return []reading{{5000, 380_000}, {12_000, 50_000}}
	}})
	fresh := randread
	fresh.Step = "fresh"
	r.Load(fresh, 1, 2, done(4000), nil)
	rested(t, r, 3, "fresh")
	r.Ended(14)
	d := r.Compute()
	if len(d.Recovery) != 1 || len(d.Efficiency) != 3 {
		t.Fatalf("%d recoveries beside %d cells, want 1 and 3", len(d.Recovery), len(d.Efficiency))
	}
	got := d.Recovery[0]
	near := func(what string, x *float64, want, within float64) {
		t.Helper()
		if x == nil || math.Abs(*x-want) > within*want {
			t.Errorf("%s: %v, want %g", what, x, want)
		}
	}
	if got.After == nil || got.After.Count != 3 || got.After.IOs != 9000 || len(got.Bursts) != 3 {
		t.Fatalf("%+v, withheld %v", got, d.Withheld)
	}
	near("IOPS", got.After.IOPS, 3000, 1e-3)
	near("watts after", got.After.MeanW, 2.5, 2e-3)
	near("watts in the pause", got.Pause.MeanW, 1, 2e-3)
	near("gain", got.Gain, 1.5, 1e-3)
	near("share", got.Share, 0.5, 5e-3)
	near("then", got.ThenIOPS, 2000, 1e-3)
	if nothing := d.Nothing(); len(nothing) != 0 {
		t.Errorf("came to nothing: %v", nothing)
	}
}

// Where nobody counted what reached the drive, loads cannot be told from pauses, and that is
// said in the place of figures.
func TestRecoveryOfADriveThatWasNotFollowed(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 5, PeriodNs: 1_024_000, Draw: func(float64) []reading { return []reading{{5000, 500_000}, {12_000, 250_000}} }, EndReason: "done"})
	job := randread
	job.Pause, job.PauseEvery = time.Second, time.Second
	r.Event(results.StepStart(host(0.9), results.StepMark{
		Step: job.Step, Group: "hir", Kind: "load", Job: &job, Within: suite.Recovery, Paused: &suite.Paused{PauseNs: 1e9, LoadNs: 1e9, Bursts: 3},
	}))
	res := done(100)
	res.Engine, res.StartNs, res.EndNs = "fio", host(1), host(4)
	r.Event(results.StepEnd(host(4.1), job.Step, results.Completed, ""))
	r.Loads[job.Step] = resultstest.Outcome{Result: res}
	r.Ended(5)
	d := r.Compute()
	if len(d.Recovery) != 1 || d.Recovery[0].After != nil || len(d.Withheld) != 1 || d.Withheld[0].Why != "what reached the target was not followed, and only that tells loads from pauses" {
		t.Errorf("%+v, withheld %v", d.Recovery, d.Withheld)
	}
}

// demanded notes a ramp of two demands: 1000 IOPS that were met, and 2000 that were not.
func demanded(r *resultstest.Recording, fromS float64) {
	for i, reads := range []uint64{1000, 1500} {
		job, atS := randread, fromS+1.2*float64(i)
		job.Step, job.RateIOPS = []string{"ramp-1000", "ramp-2000"}[i], 1000*(i+1)
		r.Event(results.StepStart(host(atS-0.01), results.StepMark{Step: job.Step, Group: "ramp", Kind: "load", Job: &job, Within: suite.Demand}))
		res := done(reads)
		res.Engine, res.StartNs, res.EndNs = "fio", host(atS), host(atS+1)
		res.Read.Latency = engine.Latency{N: reads, MeanUs: 80, MaxUs: 900}
		res.Warnings = []engine.Warning{{Code: "demand-not-met", Text: "not met"}, {Code: "other", Text: "something"}}
		r.Event(results.StepEnd(host(atS+1.01), job.Step, results.Completed, ""))
		r.Loads[job.Step] = resultstest.Outcome{Result: res}
	}
}

// A ramp says which demands were met, and the engine's own word for one that was not, which
// is what the step was for, is no warning; any other is.
func TestDemandRamp(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 5, PeriodNs: 1_024_000, Draw: func(float64) []reading { return []reading{{5000, 280_000}, {12_000, 50_000}} }, EndReason: "done"})
	demanded(r, 1)
	r.Ended(5)
	d := r.Compute()
	if len(d.Demand) != 1 || *d.Demand[0].LimitIOPS != 1000 || *d.Demand[0].NextIOPS != 2000 || math.Abs(*d.Demand[0].Steps[1].MeanW-2) > 2e-3 {
		t.Fatalf("%+v", d.Demand)
	}
	for _, w := range d.Warnings {
		if w.Code == "demand-not-met" {
			t.Errorf("warned of what was asked for: %s", w.Text)
		}
	}
	if len(d.Warnings) != 2 {
		t.Errorf("warnings %v, want the other of each step", d.Warnings)
	}
}
