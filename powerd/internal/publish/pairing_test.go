package publish

import (
	"testing"

	"powerd/analysis/pairing"
)

// A reader of a table has to see why its watts are those of the drive above it: by
// reads that showed, by a person's word and the reason for it, or not at all.
func TestPairingInWords(t *testing.T) {
	step, sigma := 1.25, 0.01
	burst := pairing.Burst{DeltaW: &step, SigmaW: &sigma}
	for _, tc := range []struct {
		e    *pairing.Evidence
		want string
	}{
		{nil, ""},
		{&pairing.Evidence{Why: "no step"}, "not shown: no step"},
		{
			&pairing.Evidence{Method: pairing.MethodTyped, Confirmed: true, DateUTC: "2026-11-30T20:00:00Z", Why: "the drive was off"},
			"a person typed the drive's serial number on 2026-11-30T20:00:00Z (the drive was off)",
		},
		{
			&pairing.Evidence{Method: pairing.MethodBursts, Confirmed: true, DateUTC: "2026-11-30T20:00:00Z", Bursts: []pairing.Burst{burst, burst, burst}},
			"shown on 2026-11-30T20:00:00Z: 3 bursts of reads on the target appeared in the module's power, +1.25 ± 0.02 W, +1.25 ± 0.02 W, +1.25 ± 0.02 W",
		},
	} {
		if got := pairingText(tc.e); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.e, got, tc.want)
		}
	}
}
