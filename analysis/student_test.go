package analysis

import (
	"math"
	"testing"
)

// Two-sided 95 % factors from the tables of Student's distribution.
func TestStudent95(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 29: 2.045, 120: 1.980} {
		if got := Student95(freedom); math.Abs(got/want-1) > 0.01 {
			t.Errorf("of %g degrees of freedom %.3f, want %.3f", freedom, got, want)
		}
	}
}
