package accuracy

import (
	"slices"
	"strings"
)

// Assumed returns the accuracy to reckon with where a module's owner gave none, and in
// words where it comes from. model is the module's own name for itself. The limits
// that modules of the HD family are verified to (1 % and 2 mA from 1 mA to 4 A, 1 %
// and 1 mV) stand for those of which nothing is published.
func Assumed(model string) (s Spec, origin string) {
	s = Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}
	words := strings.Fields(strings.ToUpper(model))
	for _, family := range []string{"HD", "XLC"} {
		if slices.Contains(words, family) {
			return s, "as modules of the " + family + " family are verified to"
		}
	}
	return s, "as modules of the HD family are verified to; nothing is known of this one's"
}
