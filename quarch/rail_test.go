package quarch

import (
	"slices"
	"testing"
)

// Three sums of the same three numbers differ in their last digit by the order they are
// added in, 0.1 + 0.2 + 0.3 being one; results computed twice must not.
func TestByRailHasOneOrder(t *testing.T) {
	m := map[Rail]float64{"aux": 0.4, Rail12V: 0.3, Rail3V3: 0.1, Rail5V: 0.2}
	for range 100 {
		var rails []Rail
		for r, v := range ByRail(m) {
			rails = append(rails, r)
			if v != m[r] {
				t.Fatalf("%s: %g", r, v)
			}
		}
		if want := []Rail{"aux", Rail3V3, Rail5V, Rail12V}; !slices.Equal(rails, want) {
			t.Fatalf("%v, want %v", rails, want)
		}
	}
	for r := range ByRail(m) {
		if r != "aux" {
			t.Fatal("it goes on after the loop was left")
		}
		break
	}
}
