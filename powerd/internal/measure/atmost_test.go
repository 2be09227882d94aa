package measure_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"powerd/analysis/idle"
	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/suite"
)

// Twelve rounds of 2 s that end once they are steady, which the first five are, and an idle
// step that waits 4 s at least and 60 s at most for the drive to settle. Before that is
// known the run takes at most 12 × 3.3 s of rounds, 1.3 s each beside its 2 s, and 0.4 + 60 +
// 5 s of idle; the estimate has 4 s of waiting. Both fall, and neither bound is below what
// the run then takes.
func TestTimeLeftAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.engine.script = func(engine.Job) enginetest.Outcome { return enginetest.Outcome{WriteIOPS: 100} }
		rest := idleStep("rest", 5*time.Second)
		rest.Settle = &idle.Rule{Mean: time.Second, WithinPct: 5, For: 4 * time.Second, AtMost: time.Minute}
		plan := append(writes("w", 12, &suite.Steady{Profile: "snia", Cells: []string{"w"}, OfRound: 1}), rest)
		if _, err := b.run(t.Context(), plan...); err != nil {
			t.Fatal(err)
		}
		first := b.shown[0]
		about(t, "estimate", &first.LeftS, 12*3.3+0.4+4+5, 1e-9)
		about(t, "at most", &first.LeftAtMostS, 12*3.3+0.4+60+5, 1e-9)
		if _, ok := first.AtMost(); !ok || !first.MayEndEarly {
			t.Error("rounds that may end early are no bound")
		}
		endS := b.shown[len(b.shown)-1].ElapsedS
		for i, s := range b.shown {
			if s.LeftAtMostS < s.LeftS || i > 0 && s.LeftAtMostS > b.shown[i-1].LeftAtMostS || s.ElapsedS+s.LeftAtMostS < endS {
				t.Errorf("after %.1f s of %.1f: %.1f s left, at most %.1f", s.ElapsedS, endS, s.LeftS, s.LeftAtMostS)
			}
		}
		last := slices.IndexFunc(b.shown, func(s measure.Status) bool { return s.Step == "rest" })
		if last < 0 || b.shown[len(b.shown)-1].MayEndEarly {
			t.Error("no round is left that may end early")
		}
	})
}
