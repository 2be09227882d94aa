package resume_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/resume"
	"powerd/powerd/internal/suite"
)

// day is a suite with all that the rule tells apart.
const day = `
name: day
steps:
  - {name: up, kind: power_cycle, duration: 5s, cycles: 3}
  - {name: idle, kind: idle, duration: 1m}
  - {name: fill, kind: load, duration: 6h, until_written: 2, fio: {rw: write, bs: 128k}}
  - {name: iops, kind: matrix, duration: 1m, until_steady: {profile: snia, of: [{bs: 4k}]}, fio: {rw: randwrite}, over: {bs: [4k, 64k]}}
  - {name: reads, kind: matrix, duration: 1m, fio: {rw: randread, bs: 4k}, over: {qd: [1, 2, 4]}}
  - {name: mix, kind: matrix, duration: 1m, fio: {rw: randrw, bs: 4k}, over: {read_pct: [90, 50]}}
  - {name: late, kind: idle, duration: 1m}
  - {name: wsat, kind: load, duration: 1m, rounds: 10, fresh_rounds: 2, last_rounds: 3, fio: {rw: randwrite, bs: 4k}}
`

// What was done of the plan, step by step up to the one that is named, which ended so;
// rounds of iops after the seventh never were. Right answers by the rule in doc.go.
func TestWhereARunGoesOn(t *testing.T) {
	s, err := suite.Parse("day", []byte(day))
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Plan(suite.Defaults{})
	const broken, completed, failed = results.Interrupted, results.Completed, results.Failed
	for _, c := range []struct {
		last, outcome string
		from          string // the step that comes first and counts
		first         string // before it, without a figure
		why           string
	}{
		{"up-2", broken, "up-2", "", "a power-up is done again; the one before stays"},
		{"up-3", completed, "idle", "", "nothing was under way, nothing had been written"},
		{"idle", broken, "idle", "", "idle is done again wholly, and nothing was written before"},
		{"fill", broken, "fill", "", "the preconditioning is done again from its beginning"},
		{"iops-4k-r01", broken, "iops-4k-r01", "fill", "before the first round stands the preconditioning"},
		{"iops-64k-r01", broken, "iops-4k-r01", "fill", "a round is done again from its first cell"},
		{"iops-64k-r04", broken, "iops-4k-r04", "iops-4k-r03 iops-64k-r03", "the round before brings the state back"},
		{"iops-64k-r03", completed, "iops-4k-r04", "iops-4k-r03 iops-64k-r03", "also between two rounds"},
		{"iops-64k-r03", failed, "iops-4k-r03", "iops-4k-r02 iops-64k-r02", "what failed last stopped the run"},
		{"reads-qd1", broken, "reads-qd1", "iops-4k-r07 iops-64k-r07", "reads right after writes; rounds 8 to 25 never were"},
		{"reads-qd4", broken, "reads-qd4", "", "what came before only read"},
		{"mix-r90", broken, "mix-r90", "", "what came before only read"},
		{"mix-r50", broken, "mix-r50", "mix-r90", "a cell that writes, after a cell that wrote"},
		{"late", broken, "late", "mix-r50", "idle after writes is not idle after an hour"},
		{"wsat-r01", broken, "wsat-r01", "", "the drive had rested before anyway"},
		{"wsat-r02", broken, "wsat-r01", "", "the fresh rounds are of one go"},
		{"wsat-r03", broken, "wsat-r03", "wsat-r02", "behind the fresh rounds"},
		{"wsat-r08", broken, "wsat-r08", "wsat-r07", "the first of the last rounds"},
		{"wsat-r10", broken, "wsat-r08", "wsat-r07", "the last rounds are of one go"},
	} {
		way, err := resume.Decide(plan, upTo(plan, c.last, c.outcome))
		if err != nil {
			t.Errorf("%s %s: %v", c.last, c.outcome, err)
			continue
		}
		var first []string
		for _, i := range way.First {
			first = append(first, plan[i].Name)
		}
		if from := plan[way.From].Name; from != c.from || strings.Join(first, " ") != c.first {
			t.Errorf("%s %s: goes on with %s after %q, want %s after %q: %s", c.last, c.outcome, from, first, c.from, c.first, c.why)
		}
		for i := range way.Done {
			if i >= way.From {
				t.Errorf("%s %s: %s stays, and is done again", c.last, c.outcome, plan[i].Name)
			}
		}
		if c.first != "" && !slices.ContainsFunc(way.Again, func(a results.Repeated) bool { return a.Unjudged }) {
			t.Errorf("%s %s: nobody is told of %s", c.last, c.outcome, c.first)
		}
	}
}

// upTo returns what was done of a plan when it ended with a step.
func upTo(plan suite.Plan, last, outcome string) []resume.Done {
	var out []resume.Done
	for _, s := range plan {
		if s.Name == last {
			return append(out, resume.Done{Step: last, Outcome: outcome})
		}
		if s.Group == "iops" && s.Round > 7 && !strings.HasPrefix(last, "iops") {
			continue
		}
		out = append(out, resume.Done{Step: s.Name, Outcome: results.Completed})
	}
	panic(fmt.Sprintf("the plan has no step %s", last))
}

// A step that failed and was gone on after stays as it is; a run that did all has nothing
// left; a plan that is another one is refused; one that had not begun begins.
func TestOtherPasts(t *testing.T) {
	plan := suite.Plan{{Name: "a", Group: "a", Kind: suite.Idle}, {Name: "b", Group: "b", Kind: suite.Idle}}
	way, err := resume.Decide(plan, []resume.Done{{"a", results.Failed}, {"b", results.Interrupted}})
	if err != nil || way.From != 1 || way.Done[0] != results.Failed {
		t.Errorf("after a failed step: %+v, %v", way, err)
	}
	if _, err := resume.Decide(plan, []resume.Done{{"a", results.Completed}, {"b", results.Completed}}); !errors.Is(err, resume.ErrDone) {
		t.Errorf("a run that is done: %v", err)
	}
	if _, err := resume.Decide(plan, []resume.Done{{"c", results.Completed}}); err == nil || !strings.Contains(err.Error(), "step c") {
		t.Errorf("another plan: %v", err)
	}
	erased := suite.Plan{{Name: "purge", Group: "purge", Kind: suite.Purge}, {Name: "b", Group: "b", Kind: suite.Idle}}
	way, err = resume.Decide(erased, []resume.Done{{"purge", results.Completed}, {"b", results.Interrupted}})
	if err != nil || way.From != 1 || len(way.First) != 1 || way.First[0] != 0 || len(way.Again) != 2 || !strings.Contains(way.Again[1].Why, "it erased the drive right before b") {
		t.Errorf("after a purge: %+v, %v", way, err)
	}
	set := suite.Plan{{Name: "limit", Group: "limit", Kind: suite.Command}, {Name: "b", Group: "b", Kind: suite.Idle}}
	if _, err := resume.Decide(set, []resume.Done{{"limit", results.Completed}, {"b", results.Interrupted}}); err == nil || !strings.Contains(err.Error(), "step limit sent the drive a command") {
		t.Errorf("after a command: %v", err)
	}
	if way, err := resume.Decide(set, []resume.Done{{"limit", results.Interrupted}}); err != nil || way.From != 0 {
		t.Errorf("a command that was broken off: %+v, %v", way, err)
	}
	if way, err := resume.Decide(plan, nil); err != nil || way.From != 0 || len(way.Again) != 0 {
		t.Errorf("nothing done: %+v, %v", way, err)
	}
}
