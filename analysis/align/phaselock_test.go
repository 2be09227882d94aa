package align

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis/align/aligntest"
)

// An adapter's latency timer of 16 ms hands blocks over that are 16 ms long, too: all of
// them wait for the same time, which no arrival tells, beacons or not. The map says that,
// says that the timer is why, and U95 holds the wait. Where the crystal is off by 200 ppm
// the blocks move past the timer in 16 ms / 200 ppm = 80 s, less than the window of 120 s,
// so nothing is hidden; and neither is it by blocks of 10 ms, or without a timer.
func TestTimerInStepIsSaid(t *testing.T) {
	for _, c := range []struct {
		link   string
		ppm    float64
		events string
		locked bool
	}{
		{"locked16", 0, aligntest.None, true},
		{"locked16", 50, aligntest.None, true}, // 320 s for a turn
		{"locked16", 0, aligntest.Beacon, true},
		{"locked16", 200, aligntest.Beacon, false},
		{"ftdi16", 0, aligntest.None, false},
		{"usbcdc", 0, aligntest.None, false},
	} {
		s := hour(c.link, c.ppm)
		s.seconds, s.events, s.warm = 600, c.events, false
		o := s.run(nil)
		said := strings.Contains(o.m.Reason, "in step with the adapter's latency timer of 16 ms")
		if said != c.locked || c.locked && o.m.Status != StatusDegraded {
			t.Errorf("%s: %s: %s", s, o.m.Status, o.m.Reason)
		}
		if o.coverage < 1 || math.IsInf(o.m.HalfWidthNs(), 1) {
			t.Errorf("%s: the truth is inside U95 in %.2f %% of the seconds, U95 is %.1f ms at most", s, 100*o.coverage, o.m.HalfWidthNs()*1e-6)
		}
	}
}
