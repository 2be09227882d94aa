package measure_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// A cable is touched 6 s after the start, in the second step, and the module is back 3 s
// later. That step has failed, since nobody saw its drive; the one after it is measured as
// if nothing had been, and what nobody knows is told. Where there is no step to go on with,
// where the drive's power is being cut, and where the module does not come back, the run
// ends as it did.
func TestRunOutlivesATouchedCable(t *testing.T) {
	hit, after := idleStep("hit", 10*time.Second), idleStep("after", 2*time.Second)
	for name, c := range map[string]struct {
		plan     []suite.Step
		comes    error
		asked    bool
		outcomes []string // of the steps
	}{
		"goes on":          {[]suite.Step{idleStep("first", 2*time.Second), hit, after}, nil, true, []string{results.Completed, results.Failed, results.Completed}},
		"nothing follows":  {[]suite.Step{idleStep("first", 2*time.Second), hit}, nil, false, []string{results.Completed, results.Failed}},
		"power is cut":     {[]suite.Step{idleStep("first", 2*time.Second), cycleStep("hit", 10*time.Second, time.Second), after}, nil, false, []string{results.Completed, results.Failed}},
		"does not return":  {[]suite.Step{idleStep("first", 2*time.Second), hit, after}, errors.New("the module did not come back within 30s"), true, []string{results.Completed, results.Failed}},
		"in a load's time": {[]suite.Step{idleStep("first", 2*time.Second), loadStep("hit", 10*time.Second), after}, nil, true, []string{results.Completed, results.Failed, results.Completed}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.replace = &breaking{Module: b.module, now: b.now, atNs: b.now() + 6e9, err: fmt.Errorf("module emulated: %w", quarch.ErrUnplugged)}
				asked := false
				b.reopen = func(context.Context) (quarch.Module, error) {
					asked = true
					<-time.After(3 * time.Second)
					return b.module, c.comes
				}
				d, err := b.run(t.Context(), c.plan...)
				if !errors.Is(err, quarch.ErrUnplugged) || !strings.Contains(err.Error(), "step hit") {
					t.Errorf("error %v, want the step and that the port was unplugged", err)
				}
				if asked != c.asked {
					t.Errorf("the module was waited for: %v, want %v", asked, c.asked)
				}
				var outcomes []string
				for _, s := range d.Steps {
					outcomes = append(outcomes, s.Outcome)
				}
				if !slices.Equal(outcomes, c.outcomes) || d.Run.Outcome != results.Failed {
					t.Fatalf("steps %v, want %v; the run is %s", outcomes, c.outcomes, d.Run.Outcome)
				}
				about(t, "first", d.Idles[0].Total.MeanW, 2.7, 1e-9)
				if len(c.outcomes) < 3 {
					return
				}
				last := d.Idles[len(d.Idles)-1]
				about(t, last.Step, last.Total.MeanW, 2.7, 1e-9)
				if last.Step != "after" || last.Coverage != 1 || !errors.Is(err, measure.ErrStep) {
					t.Errorf("last idle %s with coverage %g; error %v", last.Step, last.Coverage, err)
				}
				if !slices.ContainsFunc(d.Warnings, func(w results.Warning) bool {
					return w.Code == "module_back" && strings.HasPrefix(w.Text, "the module is back: no samples for 3.")
				}) {
					t.Errorf("warnings %v, want that of 3 s nothing is known", d.Warnings)
				}
			})
		})
	}
}
