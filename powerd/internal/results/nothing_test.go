package results_test

import (
	"slices"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// A module that gives no values leaves an idle and a load without a watt: both ran, and
// both came to nothing. With values, neither did; a load's IOPS alone are no result.
func TestStepsThatCameToNothing(t *testing.T) {
	missing := reading{quarch.Missing, quarch.Missing}
	for name, c := range map[string]struct {
		draw func(float64) []reading
		want []string
	}{
		"values":    {idle55, nil},
		"no values": {steady(missing, missing), []string{"idle", randread.Step}},
	} {
		r := record(t, meta())
		r.Stream(source{ToS: 8, PeriodNs: 1_024_000, Draw: c.draw, EndReason: "done"})
		r.Step("idle", "idle", 1, 3, nil)
		r.Load(randread, 4, 6, done(1000), nil)
		if got := r.Compute().Nothing(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q came to nothing, want %q", name, got, c.want)
		}
	}
}

// A polled link shows no start current: a power-up there is not to be blamed for it.
// On a streamed one without a sample it is.
func TestPowerUpThatCameToNothing(t *testing.T) {
	for link, want := range map[string][]string{quarch.LinkTerminal: nil, quarch.LinkFramed: {"up"}} {
		m := meta()
		m.Module.Link = link
		r := record(t, m)
		r.Event(results.StepStart(host(1), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
		r.Powered("up", true, 2)
		r.Event(results.StepEnd(host(4), "up", results.Completed, ""))
		if got := r.Compute().Nothing(); !slices.Equal(got, want) {
			t.Errorf("%s: %q came to nothing, want %q", link, got, want)
		}
	}
}
