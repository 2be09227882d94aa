package results

import (
	"testing"

	"powerd/quarch"
)

const second = int64(1e9)

// A run that began in boot "a" at 1000 s of its clock, was last heard of at 1500.4 s (its
// last reading of the clocks is of 1500 s), and goes on.
func TestClocksGoOn(t *testing.T) {
	past := func(legs ...Leg) *Past {
		return &Past{
			Legs:  append([]Leg{{Number: 1, BootID: "a", StartMonoNs: 1000 * second}}, legs...),
			clock: quarch.Clock{MonoNs: 1500 * second, RawNs: 1502 * second, UTCNs: 1_000_000 * second}, lastNs: 1500*second + 4e8,
		}
	}
	for _, c := range []struct {
		what             string
		past             *Past
		now              quarch.Clock
		boot             string
		shiftNs, startNs int64
	}{
		{"in the same boot nothing is shifted", past(), quarch.Clock{MonoNs: 1600 * second, RawNs: 1602 * second, UTCNs: 1_000_100 * second}, "a", 0, 1600 * second},
		{
			"an hour later in another boot, 20 s after that began: 1500 s and an hour", past(),
			quarch.Clock{MonoNs: 20 * second, RawNs: 20 * second, UTCNs: 1_003_600 * second},
			"b", 5080 * second, 5100 * second,
		},
		{
			"a wall clock that was lost says that it is earlier: a second behind the last event", past(),
			quarch.Clock{MonoNs: 20 * second, RawNs: 20 * second, UTCNs: 0},
			"b", 1481*second + 4e8, 1501*second + 4e8,
		},
		{
			"a third time, in the boot of the second leg: as that",
			past(Leg{Number: 2, BootID: "b", ClockShiftNs: 1400 * second, RawShiftNs: 1401 * second}),
			quarch.Clock{MonoNs: 300 * second, UTCNs: 1_000_300 * second},
			"b", 1400 * second, 1700 * second,
		},
	} {
		l := c.past.Next(c.now, c.boot)
		if l.ClockShiftNs != c.shiftNs || l.StartMonoNs != c.startNs || l.Number != len(c.past.Legs)+1 {
			t.Errorf("%s: leg %d is shifted by %d ns and begins at %d, want %d and %d", c.what, l.Number, l.ClockShiftNs, l.StartMonoNs, c.shiftNs, c.startNs)
		}
		// MONOTONIC and RAW must not seem to have run apart between the legs: 2 s were before.
		if c.boot == "b" && len(c.past.Legs) == 1 && (c.now.RawNs+l.RawShiftNs)-(c.now.MonoNs+l.ClockShiftNs) != 2*second {
			t.Errorf("%s: RAW is shifted by %d ns", c.what, l.RawShiftNs)
		}
	}
}
