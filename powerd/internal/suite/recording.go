package suite

import (
	"fmt"
	"time"
)

// RecordingName is the name of the suite that Recording returns.
const RecordingName = "record"

// Recording returns the suite of one step that records for so long and does nothing to
// the drive.
func Recording(d time.Duration) (*Suite, error) {
	return Parse(RecordingName, fmt.Appendf(nil, `name: %s
title: What the drive drew under a load of somebody else's
steps:
  - {name: record, kind: %s, duration: %v}
`, RecordingName, Record, d))
}
