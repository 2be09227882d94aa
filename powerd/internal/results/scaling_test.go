package results_test

import (
	"fmt"
	"math"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// depth adds a cell of the matrix "depths", reads at depth 2ⁿ, to a recording.
func depth(r *resultstest.Recording, n int, fromS, toS float64, reads uint64) {
	job := randread
	job.Step, job.QueueDepth = fmt.Sprintf("depths-qd%d", 1<<n), 1<<n
	res := done(reads)
	res.Engine, res.StartNs, res.EndNs = "fio", host(fromS), host(toS)
	r.Event(results.StepStart(host(fromS-0.05), results.StepMark{Step: job.Step, Group: "depths", Kind: "load", Job: &job}))
	r.Event(results.StepEnd(host(toS+0.05), job.Step, results.Completed, ""))
	r.Loads[job.Step] = resultstest.Outcome{Result: res}
}

// Idle at 2 W, then reads at depths 1, 2 and 4: 5000, 10,000 and 20,000 of them in a
// second each at 2.5, 3 and 4 W: 100 µJ for one more IO, and nothing for being awake, as
// the line meets 2 W at no IO. The range is (4 − 2)/4.
func TestPowerFollowsLoad(t *testing.T) {
	r := record(t, meta())
	draw := func(s float64) []reading { // on 5 V; 12 V carries nothing
		watts := 2.0
		for n, from := range []float64{10, 12, 14} {
			if s >= from-0.1 && s < from+1.1 {
				watts = 2 + 0.5*float64(int(1)<<n)
			}
		}
		return []reading{{5000, int32(math.Round(watts / 5 * 1e6))}, {12_000, 0}}
	}
	r.Stream(source{ToS: 16, PeriodNs: 1_024_000, Draw: draw, EndReason: "done"})
	r.Step("idle", "idle", 1, 9, nil)
	for n, from := range []float64{10, 12, 14} {
		depth(r, n, from, from+1, 5000<<n)
	}
	r.Ended(16)
	d := r.Compute()
	if len(d.Scaling) != 1 {
		t.Fatalf("%d series: %+v", len(d.Scaling), d.Withheld)
	}
	s := d.Scaling[0]
	for _, f := range []struct {
		name      string
		got, u    *float64
		want, tol float64
	}{
		{"base_w", s.BaseW, s.BaseU95W, 2, 1e-3},
		{"uj_per_io", s.UJPerIO, s.UJU95, 100, 0.1},
		{"awake_w", s.AwakeW, s.AwakeU95W, 0, 1e-3},
		{"dynamic_range", s.DynamicRange, s.DynamicRangeU95, 0.5, 1e-4},
	} {
		if f.got == nil || f.u == nil || math.Abs(*f.got-f.want) > f.tol {
			t.Errorf("%s = %v ± %v, want %g", f.name, value(f.got), value(f.u), f.want)
		}
	}
	if s.Group != "depths" || s.Cells != 3 {
		t.Errorf("series %q of %d cells", s.Group, s.Cells)
	}
}
