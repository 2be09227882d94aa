package inrush

import (
	"math"
	"testing"

	"powerd/analysis"
	"powerd/quarch"
)

// Three cycles whose 5 V peaks over 1 ms are 1.00, 1.06 and 1.03 A: mean 1.03, spread
// √((0.03² + 0.03²)/2) = 0.03 A, the worst in the second, with its own ±. The drive was
// ready after 3.2, 3.3 and, once, nobody knows when: mean 3.25 of two.
func TestSpreadOverCycles(t *testing.T) {
	cycle := func(amps float64, ready *float64) *Cycle {
		u := 0.01 * amps
		watts := 5 * amps
		v := 3.9
		return &Cycle{
			StartMonoNs: 1, EndMonoNs: 2, TimeToReadyS: ready, Total: &Total{Peaks: []Peak{{WindowUs: 1000, Watts: &watts}}},
			Rails: map[quarch.Rail]*Rail{quarch.Rail5V: {StartV: &v, Peaks: []Peak{{WindowUs: 1000, Amps: &amps, U95A: &u, Watts: &watts}}}},
		}
	}
	cycles := []*Cycle{cycle(1.00, analysis.Some(3.2)), cycle(1.06, analysis.Some(3.3)), cycle(1.03, nil)}
	table := SpreadTable(cycles)
	for column, want := range map[string]float64{"cycles": 3, "mean_amps": 1.03, "std_amps": 0.03, "min_amps": 1, "max_amps": 1.06, "worst_cycle": 2, "max_watts": 5.3} {
		if c := table.At(0, column); !c.Valid || math.Abs(c.Value-want) > 1e-9 {
			t.Errorf("%s = %+v, want %g", column, c, want)
		}
	}
	if u := table.At(0, "max_amps").U95; math.Abs(u-0.0106) > 1e-12 {
		t.Errorf("± of the worst %g, want 0.0106", u)
	}
	if len(table.Rows) != 2 || table.At(1, "rail").Text != "total" || table.At(1, "max_amps").Valid {
		t.Errorf("rows %+v", table.Rows)
	}
	start := StartSpreadTable(cycles)
	if len(start.Rows) != 2 || start.At(0, "mean_start_v").Value != 3.9 || math.Abs(start.At(1, "mean_time_to_ready_s").Value-3.25) > 1e-12 || start.At(1, "cycles").Value != 2 {
		t.Errorf("rows %+v", start.Rows)
	}
	if rows := len(SpreadTable(cycles[:1]).Rows) + len(StartSpreadTable(cycles[:1]).Rows); rows != 0 {
		t.Errorf("%d rows over a single cycle", rows)
	}
}
