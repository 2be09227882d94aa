package results_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"powerd/analysis/efficiency"
	"powerd/analysis/limits"
	steadystate "powerd/analysis/steady"
	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
	"powerd/powerd/internal/suite"
)

// judgedRound is round n of random reads of one cell, over fromS … toS, that a rule judges.
func judgedRound(r *resultstest.Recording, profile string, n int, fromS, toS float64, ios uint64, meanUs ...float64) {
	job := randread
	job.Step = fmt.Sprintf("judged-r%02d", n)
	rule, res := &suite.Steady{Profile: profile, Cells: []string{"judged"}, OfRound: 1}, done(ios)
	for _, us := range meanUs { // it is judged by its latency, too
		rule.Cells, rule.Latency = []string{"judged", "judged"}, []string{"", "mean"}
		res.Read.Latency = engine.Latency{N: ios, MeanUs: us, MaxUs: 2 * us}
	}
	r.Event(results.StepStart(host(fromS-0.01), results.StepMark{
		Step: job.Step, Group: "judged", Kind: "load", Job: &job, Cell: "judged", Round: n, Rounds: 25, Steady: rule,
	}))
	res.Engine, res.StartNs, res.EndNs = "fio", host(fromS), host(toS)
	for i, at := int64(0), res.StartNs; i < 8; i++ { // so that there is a ±
		end := res.StartNs + (i+1)*(res.EndNs-res.StartNs)/8
		res.Intervals = append(res.Intervals, engine.Interval{StartNs: at, EndNs: end, Reads: ios / 8, ReadBytes: ios / 8 * 4096})
		at = end
	}
	r.Event(results.StepEnd(host(toS+0.01), job.Step, results.Completed, ""))
	r.Loads[job.Step] = resultstest.Outcome{Result: res}
}

// fourRounds are 4000, 4200, 4200 and 4000 reads in 0.4 s each of a drive that draws 2 W.
func fourRounds(t *testing.T, profile string) *resultstest.Recording {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: func(float64) []reading { return []reading{{5000, 280_000}, {12_000, 50_000}} }, EndReason: "done"})
	for i, ios := range []uint64{4000, 4200, 4200, 4000} {
		judgedRound(r, profile, i+1, 1+0.5*float64(i), 1.4+0.5*float64(i), ios)
	}
	return r
}

// By review4 they are steady: mean 10 250 IOPS, the line flat by symmetry. Their sum is a
// cell: 16 400 reads in 1.6 s at 2 W, 5.125 IOPS/mW. A claim of the steady state can be held
// against it.
func TestRoundsAreJudgedFromTheFiles(t *testing.T) {
	r := fourRounds(t, "review4")
	r.DriveFile("drive.yaml", claims("name: steady, quantity: iops, kind: min, value: 8 kIOPS, workload: {rw: randread, bs: 4k, state: steady}"))
	r.Ended(4)
	d := r.Compute()
	if len(d.Steady) != 1 {
		t.Fatalf("%d results", len(d.Steady))
	}
	s := d.Steady[0]
	if s.Verdict != steadystate.Reached || s.FirstRound != 1 || s.LastRound != 4 || math.Abs(*s.IOPS.Mean-10_250) > 1e-6 || math.Abs(*s.PowerW.Mean-2) > 1e-6 {
		t.Errorf("%+v", s)
	}
	if s.StartMonoNs != host(0.99) || s.EndMonoNs != host(2.91) {
		t.Errorf("window from %d to %d", s.StartMonoNs, s.EndMonoNs)
	}
	cells := d.Measured()
	if len(cells) != 1 || cells[0].Step != "judged" || cells[0].State != efficiency.StateSteady || cells[0].IOs != 16_400 || math.Abs(*cells[0].IOPSPerMW-5.125) > 1e-6 {
		t.Errorf("%d cells, %+v", len(cells), cells[0])
	}
	if v := verdict(t, d, "steady"); v.Verdict != limits.Pass || math.Abs(*v.Value-10_250) > 1e-6 {
		t.Errorf("the claim: %+v", v)
	}
	if g := d.Judged(); len(g) != 1 || g[0].Group != "judged" || len(g[0].Variables) != 1 || len(g[0].Cells) != 1 {
		t.Errorf("%+v", g)
	}
}

// By snia four rounds are no window. While the run goes on that is no warning: it may be
// steady yet.
func TestNotSteadyIsToldAtTheEnd(t *testing.T) {
	r := fourRounds(t, "snia")
	warned := func(d *results.Document) (text string) {
		for _, w := range d.Warnings {
			if w.Code == "not_steady" {
				text += w.Text
			}
		}
		return text
	}
	if d := r.Compute(); d.Run.Outcome != results.Running || d.Steady[0].Verdict != steadystate.NotReached || warned(d) != "" {
		t.Errorf("while it goes on: %+v, %q", d.Steady[0], warned(d))
	}
	r.Ended(4)
	d := r.Compute()
	if want := "judged: not steady by snia after 4 of 25 rounds: 4 of the 5 rounds of a window were done"; warned(d) != want {
		t.Errorf("%q, want %q", warned(d), want)
	}
	if cells := d.Measured(); len(cells) != 1 || cells[0].Step != "judged-r04" {
		t.Errorf("%d cells stand for what was measured, want that of the last round", len(cells))
	}
	for _, c := range d.Measured() {
		if c.State != efficiency.StateNotJudged {
			t.Errorf("%s is %s", c.Step, c.State)
		}
	}
}

// A job that fails leaves a round without a figure, whatever its window was.
func TestFailedRoundLeavesNoFigure(t *testing.T) {
	r := fourRounds(t, "review4")
	r.Loads["judged-r02"] = resultstest.Outcome{Err: &engine.JobError{Step: "judged-r02", Why: "a worker crashed"}}
	r.Ended(4)
	if s := r.Compute().Steady[0]; s.Verdict != steadystate.NotReached || s.Why != "round 2 left no figure" || s.Rounds != 4 {
		t.Errorf("%+v", s)
	}
}

// A rule of a later powerd is not guessed.
func TestRuleThatIsNotKnown(t *testing.T) {
	r := fourRounds(t, "snia3")
	r.Ended(4)
	d := r.Compute()
	if len(d.Steady) != 0 || !strings.Contains(fmt.Sprint(d.Withheld), `the rule "snia3" is not known`) {
		t.Errorf("%+v, %v", d.Steady, d.Withheld)
	}
}

// A drive of steady IOPS whose mean latency grows by 10 µs a round, 100 to 130: mean 115, the
// line's excursion 30/115 = 26 %, more than the 20 % of review4. By the IOPS alone it is
// steady; where the latency decides as well it is not, and what is said is why.
func TestALatencyDecidesBesideTheIOPS(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 4, PeriodNs: 1_024_000, Draw: idle55, EndReason: "done"})
	for i := range 4 {
		judgedRound(r, "review4", i+1, 1+0.5*float64(i), 1.4+0.5*float64(i), 4000, 100+10*float64(i))
	}
	d := r.Compute()
	if len(d.Steady) != 2 {
		t.Fatalf("%d variables", len(d.Steady))
	}
	iops, latency := d.Steady[0], d.Steady[1]
	if iops.Verdict != steadystate.NotReached || !iops.IOPS.Steady || iops.LatencyUs != nil || !strings.Contains(iops.Why, "not together with") {
		t.Errorf("IOPS: %+v", iops)
	}
	if s := latency.LatencyUs; s == nil || latency.Latency != "mean" || s.Steady || *s.Mean != 115 || math.Abs(*s.FitRel-30.0/115) > 1e-9 ||
		*s.SlopePerRound != 10 || !strings.Contains(latency.Why, "fitted line over 26.1 % of the mean") || !latency.IOPS.Steady {
		t.Errorf("latency: %+v %+v", latency, s)
	}
}
