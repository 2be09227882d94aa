package measure_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/results"
)

// A drive is asked of itself before the first step and after the last one, and never
// between: also in a run that is interrupted. 31 °C and ps3 before, 44 °C and ps0 after. A
// drive that says nothing leaves nothing.
func TestDriveIsAskedOfItselfBeforeAndAfter(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			var askedNs []int64
			b.health = func(ctx context.Context) results.Health {
				if ctx.Err() != nil {
					t.Error("asked under a context that is done")
				}
				askedNs = append(askedNs, b.now())
				if len(askedNs) == 1 {
					return results.Health{Tool: "smartctl 7.4", TempC: analysis.Some(31), PowerState: "ps3"}
				}
				return results.Health{Tool: "smartctl 7.4", TempC: analysis.Some(44), PowerState: "ps0"}
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped")
			defer cancel(nil)
			if interrupted {
				timer := time.AfterFunc(3*time.Second, func() { cancel(stop) })
				defer timer.Stop()
			}
			d, err := b.run(ctx, idleStep("a", 2*time.Second), idleStep("b", 5*time.Second))
			if (err != nil) != interrupted {
				t.Fatal(err)
			}
			if len(askedNs) != 2 || askedNs[0] > d.Steps[0].StartMonoNs || askedNs[1] < d.Steps[1].EndMonoNs {
				t.Errorf("asked at %d; the steps are %+v", askedNs, d.Steps)
			}
			about(t, "temperature before", d.Drive.TempBeforeC, 31, 1e-9)
			about(t, "temperature after", d.Drive.TempAfterC, 44, 1e-9)
			if d.Drive.PowerStateBefore != "ps3" || d.Drive.PowerStateAfter != "ps0" || d.Drive.HealthTool != "smartctl 7.4" {
				t.Errorf("%+v", d.Drive)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.health = func(context.Context) results.Health { return results.Health{} }
		d, err := b.run(t.Context(), idleStep("a", time.Second))
		if err != nil || d.Drive.TempBeforeC != nil || d.Drive.HealthTool != "" {
			t.Errorf("%+v, %v", d.Drive, err)
		}
	})
}
