package results_test

import (
	"fmt"
	"strings"
	"testing"
)

// The module was off from 10 s to 20 s of the run, and whatever it counts began at nought
// then: a counter of joules would say 80,000 at 10 s and 0 at 20 s, 80 kJ less than nothing.
// Before, the drive drew 1 W, and 1.5 W after. Joules are sums of samples: 10 J, unknown,
// and 15 J, none below 0; over all of it they are those of the two thirds that are known,
// and the mean of it is withheld.
func TestEnergyOverARestartOfTheModule(t *testing.T) {
	r := record(t, meta())
	watts := func(w float64) func(float64) []reading {
		return func(float64) []reading { return []reading{{5000, int32(w / 5 * 1e6)}, {12_000, 0}} }
	}
	r.Stream(source{FromS: -0.5, ToS: 10, PeriodNs: 1_000_000, Draw: watts(1), EndReason: "the module restarted"})
	r.Stream(source{FromS: 20, ToS: 30.5, PeriodNs: 1_000_000, Draw: watts(1.5), EndReason: "done"})
	r.Step("record", "record", 0, 30, nil)
	var lines strings.Builder
	for _, w := range []struct {
		name     string
		from, to float64
	}{{"before", 0, 10}, {"off", 10.5, 19.5}, {"after", 20, 30}} {
		fmt.Fprintf(&lines, "{\"mark\":\"start\",\"name\":%q,\"mono_ns\":%d}\n{\"mark\":\"end\",\"name\":%q,\"mono_ns\":%d}\n", w.name, host(w.from), w.name, host(w.to))
	}
	engineFile(t, r, "marks.jsonl", lines.String())
	r.Ended(31)
	d := r.Compute()

	joules := map[string]*float64{}
	for _, m := range d.Marks {
		joules[m.Name] = m.EnergyJ
	}
	const placing = 1e-4 // 0.1 ms at each end of 10 s, and what a border has of its stripe
	near(t, "joules before", joules["before"], 10, placing)
	near(t, "joules after", joules["after"], 15, placing)
	if joules["off"] != nil {
		t.Errorf("%g J while the module was off", *joules["off"])
	}
	if why := withheld(t, d, "marks.off"); why != "there are no samples of this time" {
		t.Errorf("withheld since %q", why)
	}
	if !warned(d, "stream_ended_early", "the module restarted") {
		t.Errorf("warnings %v do not say that it restarted", d.Warnings)
	}
	for _, rec := range d.Records {
		if rec.Total.EnergyJ != nil && *rec.Total.EnergyJ < 0 || rec.Total.MeanW != nil {
			t.Errorf("over all of it %v J, %v W", rec.Total.EnergyJ, rec.Total.MeanW)
		}
	}
}
