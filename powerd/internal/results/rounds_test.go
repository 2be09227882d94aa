package results_test

import (
	"fmt"
	"math"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// round is one of two rounds of random reads, of which each is a window.
func round(r *resultstest.Recording, n int, fromS, toS float64, res *engine.Result) {
	job := randread
	job.Step = fmt.Sprintf("reads-r%02d", n)
	r.Event(results.StepStart(host(fromS-0.01), results.StepMark{
		Step: job.Step, Group: "reads", Kind: "load", Job: &job, Cell: "reads", Round: n, Rounds: 2, FreshRounds: 1, LastRounds: 1,
	}))
	res.Engine, res.StartNs, res.EndNs = "fio", host(fromS), host(toS)
	res.Intervals = []engine.Interval{}
	for i := range int64(8) {
		at := res.StartNs + i*(res.EndNs-res.StartNs)/8
		res.Intervals = append(res.Intervals, engine.Interval{StartNs: at, EndNs: at + (res.EndNs-res.StartNs)/8, Reads: res.Read.IOs / 8, ReadBytes: res.Read.Bytes / 8})
	}
	r.Event(results.StepEnd(host(toS+0.01), job.Step, results.Completed, ""))
	r.Loads[job.Step] = resultstest.Outcome{Result: res}
}

// Two rounds of a drive that draws 2 W throughout: 20 000 reads in 1 s and then 10 000
// are 10 and 5 IOPS/mW, a fall by half in either form.
func TestRoundsAreCompared(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: func(float64) []reading { return []reading{{5000, 280_000}, {12_000, 50_000}} }, EndReason: "done"})
	round(r, 1, 1, 2, done(20_000))
	round(r, 2, 2.5, 3.5, done(10_000))
	r.Ended(4)
	d := r.Compute()
	if len(d.Saturation) != 1 || d.Efficiency[1].Round != 2 {
		t.Fatalf("%d comparisons, cells %+v", len(d.Saturation), d.Efficiency)
	}
	s := d.Saturation[0]
	if s.Step != "reads" || s.Rounds != 2 || *s.Fresh.IOPS != 20_000 || *s.Last.IOPS != 10_000 || math.Abs(*s.Last.IOPSPerMW-5) > 1e-6 {
		t.Errorf("%+v: fresh %+v, last %+v", s, s.Fresh, s.Last)
	}
	for what, share := range map[string]*float64{"IOPS form": s.ShareIOPS, "efficiency form": s.ShareEfficiency} {
		if share == nil || math.Abs(*share-0.5) > 1e-6 {
			t.Errorf("%s: %v, want 0.5 (%v)", what, share, d.Withheld)
		}
	}
	names := map[string]int{}
	for _, table := range d.Tables() {
		names[table.Name] = len(table.Rows)
	}
	if names["saturation"] != 2 || names["housekeeping"] != 1 {
		t.Errorf("rows of the tables: %v", names)
	}
}
