package model

import (
	"math"
	"testing"
)

// Three reads of 100, 200 and 600 µs and a write of 40 µs, done within a second: reads were
// in the drive for 900 µs together, the write for 40, the longest for 600. Latencies are kept
// in steps of 64 ns, so each is right to 32 ns. Half the window has what was done in it.
func TestLatenciesAreThoseOfTheDrivesOwnTime(t *testing.T) {
	d := quiet(t, 0, 1, nil)
	for _, io := range []struct {
		doneNs, tookNs int64
		write          bool
	}{{5 * second, 100_000, false}, {5*second + 10_000_000, 200_000, false}, {5*second + 20_000_000, 40_000, true}, {5*second + 700_000_000, 600_000, false}} {
		d.IO(io.doneNs-io.tookNs, io.doneNs, io.write, 4096)
	}
	all := d.Truth(4*second, 7*second)
	if math.Abs(all.ReadsNs-900_000) > 3*32 || math.Abs(all.WritesNs-40_000) > 32 || math.Abs(all.LongestNs-600_000) > 32 {
		t.Errorf("reads %g ns, writes %g ns, longest %g ns", all.ReadsNs, all.WritesNs, all.LongestNs)
	}
	early := d.Truth(4*second, 5*second+500_000_000)
	if math.Abs(early.ReadsNs-300_000) > 2*32 || math.Abs(early.LongestNs-200_000) > 32 {
		t.Errorf("of the first two: reads %g ns, longest %g ns", early.ReadsNs, early.LongestNs)
	}
	if none := d.Truth(6*second, 7*second); none.ReadsNs+none.WritesNs+none.LongestNs != 0 {
		t.Errorf("of none: %+v", none)
	}
}
