package publish

import (
	"fmt"
	"strings"

	"powerd/analysis/pairing"
)

// pairingText says in one sentence how it is known that the drive hangs on the module.
func pairingText(e *pairing.Evidence) string {
	switch {
	case e == nil:
		return ""
	case !e.Confirmed:
		return "not shown: " + e.Why
	case e.Method == pairing.MethodTyped:
		return fmt.Sprintf("a person typed the drive's serial number on %s (%s)", e.DateUTC, e.Why)
	}
	var steps []string
	for _, b := range e.Bursts {
		if b.DeltaW != nil && b.SigmaW != nil {
			steps = append(steps, fmt.Sprintf("%+.3g ± %.2g W", *b.DeltaW, 2**b.SigmaW))
		}
	}
	return fmt.Sprintf("shown on %s: %d bursts of reads on the target appeared in the module's power, %s", e.DateUTC, len(e.Bursts), strings.Join(steps, ", "))
}
