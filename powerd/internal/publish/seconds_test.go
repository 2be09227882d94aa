package publish

import (
	"slices"
	"strings"
	"testing"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// A load of 70 s that is no cell of a matrix is drawn second by second, the whole of it and
// its last 30 %; one of 50 s is not: its course is in the picture of the run.
func TestLongLoadsAreDrawnBySeconds(t *testing.T) {
	for seconds, want := range map[int]int{70: 2, 50: 0} {
		r := resultstest.Record(t, resultstest.Meta())
		r.Stream(resultstest.Source{ToS: float64(seconds + 4), PeriodNs: 16_384_000, Draw: resultstest.Idle, EndReason: "done"})
		job := engine.Job{Step: "write", RW: "randwrite", BlockBytes: 4096, QueueDepth: 32, Jobs: 1}
		r.Event(results.StepStart(resultstest.Host(1), results.StepMark{Step: job.Step, Group: job.Step, Kind: "load", Job: &job}))
		r.Event(results.StepEnd(resultstest.Host(float64(seconds+3)), job.Step, results.Completed, ""))
		res := &engine.Result{Engine: "fio", StartNs: resultstest.Host(2), EndNs: resultstest.Host(float64(2 + seconds)), EdgeU95Ns: 1e6}
		for i := range 2 * int64(seconds) { // 500 writes each half of a second
			at := res.StartNs + i*5e8
			res.Intervals = append(res.Intervals, engine.Interval{StartNs: at, EndNs: at + 5e8, Writes: 500, WriteBytes: 500 * 4096})
			res.Write.IOs, res.Write.Bytes = res.Write.IOs+500, res.Write.Bytes+500*4096
		}
		r.Loads[job.Step] = resultstest.Outcome{Result: res}
		r.Ended(float64(seconds + 4))
		doc, err := Write(r.Dir, r.Compute())
		if err != nil {
			t.Fatal(err)
		}
		drawn := slices.DeleteFunc(files(t, r.Dir), func(name string) bool { return !strings.HasPrefix(name, "plots/write-seconds") })
		if len(drawn) != want {
			t.Errorf("of a load of %d s %q are drawn, want %d; %v", seconds, drawn, want, doc.Warnings)
		}
	}
}
