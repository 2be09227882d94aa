package bench

import (
	"testing"

	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
)

// What the module's sheet says counts; where it says nothing, the limits that HD
// modules are verified to (1 %, 2 mA, 1 mV), and then it is called assumed.
func TestAccuracyOfTheModule(t *testing.T) {
	half, ten, one := 0.5, 10.0, 1.0
	for _, tc := range []struct {
		given config.Accuracy
		want  results.Calibration
	}{
		{config.Accuracy{}, results.Calibration{GainPct: 1, OffsetMA: 2, OffsetMV: 1, Assumed: true}},
		{
			config.Accuracy{GainPct: &half, OffsetMA: &ten, OffsetMV: &one, CalDate: "2026-03-01"},
			results.Calibration{GainPct: 0.5, OffsetMA: 10, OffsetMV: 1, CalDate: "2026-03-01"},
		},
		{config.Accuracy{GainPct: &half}, results.Calibration{GainPct: 0.5, OffsetMA: 2, OffsetMV: 1, Assumed: true}},
	} {
		if got := calibration(tc.given, "HD Programmable Power Module"); *got != tc.want {
			t.Errorf("%+v: %+v, want %+v", tc.given, *got, tc.want)
		}
	}
}
