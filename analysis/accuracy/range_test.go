package accuracy

import (
	"math"
	"testing"
)

// Modules of the HD and XLC families go to 13 A, those before them to 7.5 A.
func TestRangeByFamily(t *testing.T) {
	for model, want := range map[string]float64{
		"HD Programmable Power Module +Triggering":  13,
		"HD PLUS Programmable Power Module":         13,
		"XLC Programmable Power Module +Triggering": 13,
		"Programmable Power Module":                 7.5,
		"Power Analysis Module":                     math.Inf(1), // it depends on the fixture
		"":                                          math.Inf(1),
	} {
		if got := RangeAmps(model); got != want {
			t.Errorf("%q: %v A, want %v", model, got, want)
		}
	}
}
