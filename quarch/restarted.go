package quarch

// Restarted reports whether a module that said a runtime, and another one passedNs of
// host time later, was switched off in between: it has been on for less time than it
// must have been. It says no where either is not known.
func Restarted(before, after *float64, passedNs int64) bool {
	if before == nil || after == nil {
		return false
	}
	const wholeSeconds, clocks = 3, 0.003 // what two counts of whole seconds and two clocks may differ by
	passed := float64(passedNs) * 1e-9
	return *after < *before+passed*(1-clocks)-wholeSeconds
}
