package publish

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/engine"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/powerd/internal/suite"
)

// inRounds is a run of random writes of two block sizes in rounds of 0.4 s each, judged by
// review4 on those of 4 KiB; ios are what these do in each round, those of 64 KiB do 100.
func inRounds(t *testing.T, ios ...uint64) *resultstest.Recording {
	t.Helper()
	m := resultstest.Meta()
	m.Drive.Model, m.Suite.Simulated, m.Suite.Trial = "Model A", true, true
	r := resultstest.Record(t, m)
	r.Stream(resultstest.Source{ToS: 20, PeriodNs: 1_024_000, Draw: resultstest.Idle, EndReason: "done"})
	at := 1.0
	for n, ios := range ios {
		for _, size := range []int64{65_536, 4096} {
			cell := fmt.Sprintf("w-%dk", size/1024)
			job := engine.Job{Step: fmt.Sprintf("%s-r%02d", cell, n+1), RW: "randwrite", BlockBytes: size, QueueDepth: 32, Jobs: 4}
			r.Event(results.StepStart(resultstest.Host(at), results.StepMark{
				Step: job.Step, Group: "w", Kind: "load", Job: &job, Cell: cell, Round: n + 1, Rounds: 25,
				Steady: &suite.Steady{Profile: "review4", Cells: []string{"w-4k"}, OfRound: 2},
			}))
			r.Event(results.StepEnd(resultstest.Host(at+0.6), job.Step, results.Completed, ""))
			did := ios
			if size > 4096 {
				did = 100
			}
			r.Loads[job.Step] = resultstest.Outcome{Result: &engine.Result{
				Engine: "fio", StartNs: resultstest.Host(at + 0.1), EndNs: resultstest.Host(at + 0.5), EdgeU95Ns: 1e6,
				Write: engine.Direction{IOs: did, Bytes: did * uint64(size)},
			}}
			at += 0.7
		}
	}
	r.Ended(20)
	return r
}

// The fifth round falls out of the window 1 to 4 of 4000 writes in 0.4 s each: it was done by
// hand, since the rule would have ended the run. The report says so first, the matrix is that
// of the window, and both pictures are there.
func TestSteadyRun(t *testing.T) {
	r := inRounds(t, 4000, 4000, 4000, 4000, 400)
	d := r.Compute()
	doc, err := Write(r.Dir, d)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"w is steady over rounds 1 to 4 (review4), by w-4k. Its figures are those of these rounds."}; !slices.Equal(doc.Headlines, want) {
		t.Errorf("%q, want %q", doc.Headlines, want)
	}
	for _, w := range doc.Warnings {
		if w.Code == "no_picture" || w.Code == "not_steady" {
			t.Errorf("%s: %s", w.Code, w.Text)
		}
	}
	got := files(t, r.Dir)
	for _, want := range []string{
		"plots/w-convergence.png", "plots/w-steady-window.png", "plots/w-iops-per-mw.png", "tables/steady.csv", "tables/rounds.csv", "tables/efficiency.csv",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	md := read(t, r.Dir, "report.md")
	for _, part := range []string{
		"State: steady, sums over rounds 1 to 4.", "All rounds of w at randwrite, 0 % reads, queue depth 32, jobs 4, a line for each block size: steady over rounds 1 to 4 (review4).",
		"SIMULATED · SCALED short form of the suite",
	} {
		if !strings.Contains(md, part) {
			t.Errorf("report.md does not say %q", part)
		}
	}
	// 10 000 IOPS at 5.5 W are 1.818 IOPS/mW
	if got := doc.Summary[0]; got.Label != "Best IOPS per milliwatt" || fmt.Sprintf("%.3f", got.Figure.Value) != "1.818" || !strings.HasPrefix(got.Note, "w-4k") {
		t.Errorf("%+v", got)
	}
	brief := Brief(doc)
	names := func(tables []*analysis.Table) (out []string) {
		for _, table := range tables {
			out = append(out, table.Name)
		}
		return out
	}(brief.Tables)
	if !slices.Equal(names, []string{"steady", "efficiency"}) || len(brief.Headlines) != 1 {
		t.Errorf("in a terminal: %q, %q", names, brief.Headlines)
	}
	var out strings.Builder
	if err := report.Terminal(&out, brief, 120); err != nil || !strings.Contains(out.String(), "1 to 4") {
		t.Errorf("the terminal shows (%v)\n%s", err, out.String())
	}
}

// What is not reached stands over everything else, with what it fails and by how much: of
// 8000 6000 4000 2000 the fit goes over 6000 of 5000, 120 %.
func TestRunThatIsNotSteady(t *testing.T) {
	r := inRounds(t, 8000, 6000, 4000, 2000)
	doc, err := Write(r.Dir, r.Compute())
	if err != nil {
		t.Fatal(err)
	}
	want := "Steady state was not reached: w after 4 of 25 rounds, by review4. w-4k: fitted line over 120.0 % of the mean, 100.0 points above the 20 % of review4."
	if len(doc.Headlines) != 1 || doc.Headlines[0] != want {
		t.Errorf("%q, want %q", doc.Headlines, want)
	}
	if md := read(t, r.Dir, "report.md"); !strings.Contains(md, "State: not judged (no steady-state rule calls these cells steady).") {
		t.Error("the matrix does not say that its state is not judged")
	}
}
