package measure_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/suite"
)

// Two cells a round write 2 s · 1000 · 4096 B = 8.192 MB each. A drive of 2.048 MB has
// been written four times after the first of them: that round is done to its end, and
// the other two do not begin.
func TestRoundsEndOnceEnoughIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.size = 2_048_000
		b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 1000} }
		var plan []suite.Step
		for round, names := range [][]string{{"a-r01", "b-r01"}, {"a-r02", "b-r02"}, {"a-r03", "b-r03"}} {
			for _, name := range names {
				st := loadStep(name, 2*time.Second)
				st.Group, st.Cell, st.Round = "w", name[:1], round+1
				st.Repeat = suite.Repeat{Rounds: 3, UntilWritten: 4}
				st.Job.RW = "randwrite"
				plan = append(plan, st)
			}
		}
		d, err := b.run(t.Context(), plan...)
		if err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start", "step_start a-r01", "step_end a-r01", "step_start b-r01", "step_end b-r01", "run_end")
		if len(d.Efficiency) != 2 || d.Efficiency[0].Round != 1 {
			t.Errorf("cells %+v", d.Efficiency)
		}
		told := 0
		for _, w := range d.Warnings {
			if w.Code == "rounds_ended" && strings.Contains(w.Text, "w ended after round 1 of 3: 0.01638 GB were written, 4 × the drive's capacity") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("told %d times: %v", told, d.Warnings)
		}
		if last, err := measure.ReadStatus(b.dir); err != nil || last.Plan[5].State != measure.StepSkipped {
			t.Errorf("at the end: %v, %+v", err, last.Plan)
		}
	})
}

// A load of 2 s that is to end after two capacities asks the engine for so many bytes, and
// says so where they were not written in its time: 2 s · 1000 · 4096 B = 8.192 MB are more
// than twice 2.048 MB, and less than twice 5 MB.
func TestLoadUntilWritten(t *testing.T) {
	for size, less := range map[int64]string{
		2_048_000: "",
		5_000_000: "0.008192 GB were written in 2s, and 0.01 GB were to be: the step's duration is too short for this drive",
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.size = size
			b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 1000} }
			st := loadStep("fill", 2*time.Second)
			st.Job.RW, st.UntilWritten = "randwrite", 2
			d, err := b.run(t.Context(), st)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.engine.Jobs()[0].StopBytes; got != 2*size {
				t.Errorf("the engine was asked for %d bytes", got)
			}
			told := ""
			for _, w := range d.Warnings {
				if w.Code == "written_less" {
					told += w.Text
				}
			}
			if !strings.HasSuffix(told, less) || (told == "") != (less == "") {
				t.Errorf("%d bytes: %q, want %q", size, told, less)
			}
		})
	}
}
