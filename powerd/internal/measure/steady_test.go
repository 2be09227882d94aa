package measure_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"powerd/analysis/efficiency"
	"powerd/analysis/steady"
	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// inRounds is the IOPS test of the SNIA PTS with cells of a second; its lists and variables
// follow.
const inRounds = `
name: pts
steps:
  - name: iops
    kind: matrix
    duration: 1s
    sampling: 8192us
    rounds: %d
    fio: {rw: randrw, qd: 32}
    order: [read_pct, bs]
`

// Of the 56 cells of that test: the nine that its three variables lie in, and four of them.
const (
	nineCells = `
    until_steady: {profile: snia, of: [{read_pct: 0, bs: 4k}, {read_pct: 65, bs: 64k}, {read_pct: 100, bs: 1m}]}
    over: {read_pct: [100, 65, 0], bs: [1m, 64k, 4k]}`
	fourCells = `
    until_steady: {profile: snia, of: [{read_pct: 0, bs: 4k}, {read_pct: 65, bs: 64k}]}
    over: {read_pct: [65, 0], bs: [64k, 4k]}`
)

// runRounds runs that suite with an engine that does what iops says in each round: of the 4 KiB
// writes; of every other cell it does 500 IOs a second in all of them.
func runRounds(ctx context.Context, t *testing.T, b *bench, lists string, most int, iops []float64, edit func(engine.Job, *enginetest.Outcome)) (*results.Document, error) {
	t.Helper()
	s, err := suite.Parse("pts.yaml", fmt.Appendf(nil, inRounds+lists, most))
	if err != nil {
		t.Fatal(err)
	}
	b.engine.script = func(job engine.Job) enginetest.Outcome {
		var round int
		at := strings.LastIndex(job.Step, "-r")
		if _, err := fmt.Sscanf(job.Step[at:], "-r%d", &round); err != nil {
			t.Errorf("step %s has no round", job.Step)
		}
		rate := 500.0
		if job.ReadPct == 0 && job.BlockBytes == 4096 {
			rate = iops[min(round, len(iops))-1]
		}
		out := enginetest.Outcome{ReadIOPS: rate * float64(job.ReadPct) / 100, WriteIOPS: rate * float64(100-job.ReadPct) / 100}
		if edit != nil {
			edit(job, &out)
		}
		return out
	}
	return b.run(ctx, s.Plan(suite.Defaults{})...)
}

// The 4 KiB writes of rounds 1, 2, … by hand, with R the range and E the excursion of the
// fit over the mean:
//
//	1 to 5  2000 1500 1200 1000 1040  mean 1348, R 1000/1348 = 74 %
//	2 to 6  1500 1200 1000 1040  960  mean 1140, R 540/1140 = 47 %
//	3 to 7  1200 1000 1040  960 1000  mean 1040, R 240/1040 = 23 %
//	4 to 8  1000 1040  960 1000 1000  mean 1000, R 80/1000 = 8 %, slope (−2000 − 1040 + 1000 +
//	        2000)/10 = −4, E 16/1000 = 1.6 %: steady
//
// The run ends after round 8 of 25. Its cells are the sums over rounds 4 to 8: 5000 IOs in 5 s
// at 2.1 W + 0.6 W are 1000/2700 = 0.370 IOPS/mW.
func TestRoundsEndOnceSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		d, err := runRounds(t.Context(), t, b, nineCells, 25, []float64{2000, 1500, 1200, 1000, 1040, 960, 1000, 1000}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Steady) != 3 {
			t.Fatalf("%d variables", len(d.Steady))
		}
		for i, want := range []string{"iops-r0-4k", "iops-r65-64k", "iops-r100-1m"} {
			s := d.Steady[i]
			if s.Step != want || s.Verdict != steady.Reached || s.FirstRound != 4 || s.LastRound != 8 || s.Rounds != 8 || s.RoundsPlanned != 25 {
				t.Errorf("%+v, want %s steady over rounds 4 to 8", s, want)
			}
			if s.PowerW == nil || !s.PowerW.Steady || math.Abs(*s.PowerW.Mean-2.7) > 1e-6 {
				t.Errorf("%s: power %+v, want 2.7 W, steady", s.Step, s.PowerW)
			}
		}
		writes := d.Steady[0].IOPS
		for what, is := range map[string][2]float64{
			"mean": {*writes.Mean, 1000}, "range": {*writes.RangeRel, 0.08}, "slope": {*writes.SlopePerRound, -4}, "excursion": {*writes.FitRel, 0.016},
		} {
			if math.Abs(is[0]-is[1]) > 1e-9*math.Abs(is[1]) {
				t.Errorf("%s is %g, want %g", what, is[0], is[1])
			}
		}
		var sums []string
		for _, c := range d.Measured() {
			sums = append(sums, c.Step)
			if c.State != efficiency.StateSteady || c.FirstRound != 4 || c.Round != 8 {
				t.Errorf("%s: %s, rounds %d to %d", c.Step, c.State, c.FirstRound, c.Round)
			}
		}
		b.same("cells", sums, "iops-r100-1m", "iops-r100-64k", "iops-r100-4k", "iops-r65-1m", "iops-r65-64k", "iops-r65-4k", "iops-r0-1m", "iops-r0-64k", "iops-r0-4k")
		c := d.Measured()[8]
		if c.IOs != 5000 || math.Abs(*c.DurationS-5) > 1e-9 || math.Abs(*c.IOPSPerMW-1000/2700.0) > 1e-6 || math.Abs(*c.MeanW-2.7) > 1e-6 {
			t.Errorf("4 KiB writes: %d IOs in %g s, %g W, %g IOPS/mW", c.IOs, *c.DurationS, *c.MeanW, *c.IOPSPerMW)
		}
		if m := d.Matrices(); len(m) != 1 || len(m[0].Table.Rows) != 9 || m[0].Table.At(0, "state").Text != efficiency.StateSteady {
			t.Errorf("matrices: %+v", m)
		}
		rows := map[string]int{}
		for _, table := range d.Tables() {
			rows[table.Name] = len(table.Rows)
		}
		if rows["steady"] != 3 || rows["efficiency"] != 9 || rows["rounds"] != 72 { // 8 rounds of nine cells
			t.Errorf("rows of the tables: %v", rows)
		}
		told := slices.IndexFunc(d.Warnings, func(w results.Warning) bool {
			return w.Code == "rounds_ended" && w.Text == "iops ended after round 8 of 25: steady by snia over rounds 4 to 8"
		})
		if told < 0 {
			t.Errorf("nothing tells why the rounds ended: %v", d.Warnings)
		}
		if last, err := measure.ReadStatus(b.dir); err != nil || last.Plan[72].State != measure.StepSkipped || last.LeftS != 0 {
			t.Errorf("at the end: %v, %+v", err, last)
		}
	})
}

// Falling by a tenth a round in all six rounds that there may be: of the last five, 900 810
// 729 656 590, the mean is 737, R 310/737 = 42.1 % and slope (−1800 − 810 + 656 + 1180)/10 =
// −77.4, E 309.6/737 = 42.0 %. That stands beside each variable, no cell is called steady, and
// the matrix is that of the last round.
func TestRoundsThatAreNeverSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		d, err := runRounds(t.Context(), t, b, fourCells, 6, []float64{1000, 900, 810, 729, 656, 590}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, why := range []string{
			"range 42.1 % of the mean, 22.1 points above the 20 % of snia; fitted line over 42.0 % of the mean, 32.0 points above the 10 % of snia",
			"steady itself, but not together with iops-r0-4k",
		} {
			if s := d.Steady[i]; s.Verdict != steady.NotReached || s.Why != why || s.FirstRound != 2 || s.LastRound != 6 {
				t.Errorf("%s: %s over rounds %d to %d, %q, want %q", s.Step, s.Verdict, s.FirstRound, s.LastRound, s.Why, why)
			}
		}
		if !slices.ContainsFunc(d.Warnings, func(w results.Warning) bool {
			return w.Code == "not_steady" && strings.HasPrefix(w.Text, "iops-r0-4k: not steady by snia after 6 of 6 rounds: range 42.1 %")
		}) {
			t.Errorf("no warning: %v", d.Warnings)
		}
		for _, c := range d.Efficiency {
			if c.State != efficiency.StateNotJudged || c.FirstRound != 0 {
				t.Errorf("%s is %s", c.Step, c.State)
			}
		}
		if m := d.Matrices(); len(m) != 1 || m[0].Table.At(0, "round").Value != 6 {
			t.Errorf("matrices: %+v", m)
		}
	})
}

// A job that fails in round 2 leaves no figure, so that rounds 3 to 7 are the first whole
// window; what was judged while the rounds went on is judged the same from the files. Here
// the failing cell is a variable; in round 4 fails one that is none: the window stands, and
// that cell alone is withheld.
func TestFailedCellsInRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		d, err := runRounds(t.Context(), t, b, fourCells, 25, []float64{1000}, func(job engine.Job, out *enginetest.Outcome) {
			if job.Step == "iops-r65-64k-r02" || job.Step == "iops-r65-4k-r04" {
				out.Err = &engine.JobError{Step: job.Step, Why: "a worker crashed"}
			}
		})
		if !errors.Is(err, measure.ErrStep) {
			t.Fatal(err)
		}
		for _, s := range d.Steady {
			if s.Verdict != steady.Reached || s.FirstRound != 3 || s.LastRound != 7 || s.Rounds != 7 {
				t.Errorf("%s: %s over rounds %d to %d of %d", s.Step, s.Verdict, s.FirstRound, s.LastRound, s.Rounds)
			}
		}
		why := ""
		for _, w := range d.Withheld {
			if w.What == "efficiency.iops-r65-4k" {
				why = w.Why
			}
		}
		if why != "round 4 of the steady window left no figures" || len(d.Measured()) != 3 {
			t.Errorf("withheld because %q; %d cells", why, len(d.Measured()))
		}
	})
}

// A run that is stopped in its third round has done two, and says so; rounds of which a part
// was done are in no window.
func TestInterruptedRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		stopped := errors.New("somebody has seen enough")
		ctx, stop := context.WithCancelCause(t.Context())
		d, err := runRounds(ctx, t, b, fourCells, 5, []float64{1000}, func(job engine.Job, _ *enginetest.Outcome) {
			if job.Step == "iops-r0-64k-r03" { // the second cell of its round
				stop(stopped)
			}
		})
		if !errors.Is(err, stopped) {
			t.Fatal(err)
		}
		if len(d.Steady) != 2 {
			t.Fatalf("%d variables", len(d.Steady))
		}
		for _, s := range d.Steady {
			if s.Rounds != 2 || s.Why != "2 of the 5 rounds of a window were done" || s.IOPS.Mean != nil {
				t.Errorf("%s: %+v", s.Step, s)
			}
		}
	})
}
