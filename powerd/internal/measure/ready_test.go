package measure_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/results"
)

// A drive whose reads fail for a second after its power came on, with a try every 5 ms,
// is ready after 1 s, give or take half the time between two tries.
func TestTimeToReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.answer = func(context.Context) results.Ready {
			time.Sleep(time.Second) // of the bubble
			return results.Ready{Tries: 201, FailedNs: b.now() - 2_500_000, GoodNs: b.now() + 2_500_000}
		}
		d, err := b.run(t.Context(), cycleStep("up", time.Second, 3*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		b.same("events", b.events(), "run_start", "step_start up", "power_off up", "power_on up", "ready up", "step_end up", "run_end")
		c := d.Inrush.Cycles[0]
		if c.TimeToReadyS == nil || c.TimeToReadyU95S == nil {
			t.Fatal("no time to ready")
		}
		if s, u := *c.TimeToReadyS, *c.TimeToReadyU95S; math.Abs(s-1) > u || u > 0.02 {
			t.Errorf("ready after %.6f ± %.6f s, was after 1 s", s, u)
		}
		about(t, "energy", c.EnergyToReadyJ, 2.7, 0.01) // of a drive that draws 2.7 W at once
	})
}

// A drive that does not answer within its step has no time to ready; whoever tried has
// ended with the step.
func TestNeverReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		tried := false
		b.answer = func(ctx context.Context) results.Ready {
			<-ctx.Done()
			tried = true
			return results.Ready{Tries: 7, FailedNs: b.now(), Why: "input/output error"}
		}
		d, err := b.run(t.Context(), cycleStep("up", time.Second, 2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if c := d.Inrush.Cycles[0]; !tried || c.TimeToReadyS != nil {
			t.Errorf("tried %v, ready after %v", tried, c.TimeToReadyS)
		}
		withheld(t, d, "inrush.up.time_to_ready_s", "to the end of the step (7 tries, the last: input/output error)")
	})
}

// Where a try hung, nobody can say when in it the drive came back; and without a target
// there is nobody to ask.
func TestReadinessThatNobodyKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.answer = func(context.Context) results.Ready {
			from := b.now()
			time.Sleep(time.Second)
			return results.Ready{Tries: 2, FailedNs: from, GoodNs: b.now(), LongestNs: 1e9}
		}
		d, err := b.run(t.Context(), cycleStep("up", time.Second, 2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		withheld(t, d, "inrush.up.time_to_ready_s", "a try to read hung: between the last that failed and the first that came lie 1.00 s")
	})
	synctest.Test(t, func(t *testing.T) {
		d, err := newBench(t).run(t.Context(), cycleStep("up", time.Second, 2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		withheld(t, d, "inrush.up.time_to_ready_s", "the run has no target to read from")
	})
}

func withheld(t *testing.T, d *results.Document, what, why string) {
	t.Helper()
	for _, w := range d.Withheld {
		if w.What == what && strings.Contains(w.Why, why) {
			return
		}
	}
	t.Errorf("%s: %q is not among what is withheld: %v", what, why, d.Withheld)
}
