package results_test

import (
	"fmt"
	"math"
	"testing"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// A table without rows is no table: a run that only idled has one.
func TestOnlyTablesWithRows(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	r.Step("idle", "idle", 1, 3, nil)
	tables := r.Compute().Tables()
	if len(tables) != 1 || tables[0].Name != "idle" {
		t.Fatalf("%d tables", len(tables))
	}
	if got := tables[0].At(2, "mean_w"); got.Value != 5.5 {
		t.Errorf("total mean_w = %v, want 5.5", got)
	}
	var names []string
	for _, table := range full(t).Tables() {
		names = append(names, table.Name)
	}
	if want := "[limits idle inrush start housekeeping saturation steady demand_limits demand recovery efficiency latency scaling record marks states rounds]"; fmt.Sprint(names) != want {
		t.Errorf("tables of a full run: %v, want %s", names, want)
	}
}

// A matrix is drawn over what varies in it: queue depth goes across, and what else
// varies goes down. One cell is no matrix, and neither are two equal ones.
func TestMatrices(t *testing.T) {
	for _, c := range []struct {
		name        string
		cells       []engine.Job
		row, column string // empty: no matrix
	}{
		{"block size and queue depth", []engine.Job{{BlockBytes: 4096, QueueDepth: 1}, {BlockBytes: 4096, QueueDepth: 32}, {BlockBytes: 131_072, QueueDepth: 1}}, "bs", "qd"},
		{"queue depth alone", []engine.Job{{BlockBytes: 4096, QueueDepth: 1}, {BlockBytes: 4096, QueueDepth: 32}}, "rw", "qd"},
		{"pattern alone", []engine.Job{{RW: "randread"}, {RW: "randwrite"}}, "rw", "qd"},
		{"one cell", []engine.Job{{QueueDepth: 1}}, "", ""},
		{"two equal cells", []engine.Job{{QueueDepth: 1}, {QueueDepth: 1}}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t, meta())
			r.Stream(source{ToS: 8, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
			for i, job := range c.cells {
				job.Step = fmt.Sprintf("cell-%d", i)
				if job.RW == "" {
					job.RW = "randread"
				}
				r.Event(results.StepStart(host(float64(2*i)), results.StepMark{Step: job.Step, Group: "matrix", Kind: "load", Job: &job}))
				r.Event(results.StepEnd(host(float64(2*i)+1), job.Step, results.Completed, ""))
				res := done(1000)
				res.StartNs, res.EndNs = host(float64(2*i)+0.1), host(float64(2*i)+0.9)
				r.Loads[job.Step] = resultstest.Outcome{Result: res}
			}
			got := r.Compute().Matrices()
			if c.row == "" {
				if len(got) != 0 {
					t.Errorf("a matrix over %s and %s", got[0].RowKey, got[0].ColumnKey)
				}
				return
			}
			if len(got) != 1 || got[0].Group != "matrix" || got[0].RowKey != c.row || got[0].ColumnKey != c.column || len(got[0].Table.Rows) != len(c.cells) {
				t.Errorf("%+v, want one over %s and %s", got, c.row, c.column)
			}
		})
	}
}

// Where three things differ, each value of the first has a matrix of its own over the other
// two: no cell hides another one.
func TestAMatrixOfThreeListsIsDrawnInParts(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 18, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	i := 0
	for _, rw := range []string{"randread", "randwrite"} {
		for _, jobs := range []int{2, 16} {
			for _, qd := range []int{1, 8} {
				job := engine.Job{Step: fmt.Sprintf("p-%s-qd%d-j%d", rw, qd, jobs), RW: rw, BlockBytes: 4096, QueueDepth: qd, Jobs: jobs}
				at := float64(2 * i)
				r.Event(results.StepStart(host(at), results.StepMark{Step: job.Step, Group: "p", Kind: "load", Job: &job}))
				r.Event(results.StepEnd(host(at+1), job.Step, results.Completed, ""))
				res := done(uint64(1000 * (i + 1)))
				res.StartNs, res.EndNs = host(at+0.1), host(at+0.9)
				r.Loads[job.Step] = resultstest.Outcome{Result: res}
				i++
			}
		}
	}
	got := r.Compute().Matrices()
	if len(got) != 2 {
		t.Fatalf("%d matrices, want one of reads and one of writes", len(got))
	}
	for n, want := range []string{"randread", "randwrite"} {
		g := got[n]
		if g.Group != "p" || g.Part != want || g.RowKey != "jobs" || g.ColumnKey != "qd" || len(g.Table.Rows) != 4 {
			t.Errorf("%s: part %q over %s and %s, %d cells", want, g.Part, g.RowKey, g.ColumnKey, len(g.Table.Rows))
		}
	}
}

// Two streams with a second between them, in columns of half a second: both are there,
// each with its own watts, and the second between is open, not drawn at 0 or on.
func TestWaveformsOverTwoStreams(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 2, PeriodNs: 64_000, Draw: idle55, EndReason: "done"})
	r.Stream(source{FromS: 3, ToS: 5, PeriodNs: 1_024_000, Draw: steady(reading{5000, 1_000_000}, reading{12_000, 0}), EndReason: "done"})
	r.Load(randread, 3.5, 4.5, &engine.Result{Intervals: []engine.Interval{
		{StartNs: host(3.5), EndNs: host(4.5), Reads: 1000, ReadBytes: 4_096_000},
	}}, nil)
	d := r.Compute()
	w := analysis.Window{StartNs: host(0), EndNs: host(5)}
	waves := map[string]*analysis.Waveform{}
	for _, x := range d.Waveforms(w, 10, host(0)) {
		waves[x.Name] = x
	}
	want := map[string][3]float64{"5v_w": {2.5, math.NaN(), 5}, "total_w": {5.5, math.NaN(), 5}}
	for name, values := range want {
		x := waves[name]
		if x == nil {
			t.Fatalf("no waveform %s, but %d others", name, len(waves))
		}
		for i, column := range []int{1, 5, 8} { // 0.5 s, 2.5 s and 4 s
			if got := x.Mean[column]; got != values[i] && !(math.IsNaN(got) && math.IsNaN(values[i])) {
				t.Errorf("%s in column %d is %v, want %v", name, column, got, values[i])
			}
		}
	}
	rate := d.Rate("iops", w, 10, host(0))
	if rate == nil || math.Abs(rate.Mean[8]-1000) > 1e-6 {
		t.Errorf("IOPS %+v, want 1000 in column 8", rate)
	}
	if d.Rate("watts", w, 10, host(0)) != nil {
		t.Error("the engine gave watts")
	}
}
