package accuracy

import (
	"math"
	"strings"
)

// RangeAmps returns the current in amperes at which a module's readings end: one there
// says that at least so much flowed, and not how much. model is the module's own name
// for itself; +Inf where nothing is known of it.
func RangeAmps(model string) float64 {
	m := " " + strings.ToUpper(model) + " "
	switch {
	case strings.Contains(m, " HD ") || strings.Contains(m, " XLC "):
		return 13
	case strings.Contains(m, "PROGRAMMABLE POWER MODULE"): // the first of the family
		return 7.5
	}
	return math.Inf(1)
}
