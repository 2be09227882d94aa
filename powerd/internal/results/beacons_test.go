package results_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
)

// reads draws 2 W more from 5 V in bursts of 50 ms, 200 µs after their reads.
func reads(bursts ...float64) func(float64) []reading {
	return func(s float64) []reading {
		r := idle55(s)
		for _, at := range bursts {
			if s >= at+200e-6 && s < at+50e-3 {
				r[0][1] += 400_000
			}
		}
		return r
	}
}

// burst is one that began at a second of the run, whose first read took so many ms.
func burst(atS, tookMs float64) results.Burst {
	return results.Burst{SubmitNs: host(atS), DoneNs: host(atS + tookMs*1e-3), EndNs: host(atS + 50e-3), Reads: 64}
}

// Of a beacon of four bursts the two whose first reads were done soonest are used; what
// speaks against an edge is counted by its reason, and said in the alignment's line. Here
// the second beacon has one burst that woke the drive, one that shows nowhere, one in which
// the power falls, and one at the place of which the drive's power rose 15 ms later by
// itself; the third lies where samples are missing, the fourth after the stream.
func TestBeaconEdges(t *testing.T) {
	r := record(t, meta())
	draw := reads(2, 2.1, 2.2, 2.3, 5, 5.315)
	r.Stream(source{ToS: 12, PeriodNs: 256_000, DelayNs: 200e3, PPM: 50, EndReason: "done", Lost: [2]uint64{31_000, 31_300}, Draw: func(s float64) []reading {
		if s >= 5.2+1e-3 && s < 5.25 {
			return []reading{{5000, 100_000}, {12_000, 250_000}}
		}
		return draw(s)
	}})
	r.Event(results.BeaconEvent(host(2.4), []results.Burst{burst(2, 3), burst(2.1, 0.5), burst(2.2, 4), burst(2.3, 0.4)}))
	r.Event(results.BeaconEvent(host(5.4), []results.Burst{burst(5, 25), burst(5.1, 0.5), burst(5.2, 0.5), burst(5.3, 0.5)}))
	r.Event(results.BeaconEvent(host(8.1), []results.Burst{burst(7.95, 0.5)})) // stripe 31,000 ended at 7.94 s
	r.Ended(12)
	d := r.Compute()
	a := d.Alignment
	placed(t, "the stream", a.StreamAlignment, 0)
	if !strings.HasPrefix(a.Method, "hull + 2 beacons") {
		t.Errorf("method %q", a.Method)
	}
	b := a.Beacons
	if b == nil || b.Edges != 9 || b.Found != 4 || b.Used != 2 {
		t.Fatalf("beacons %+v", b)
	}
	want := []string{"1 the first read took long", "2 no clear edge: a step of", "1 the power falls", "1 the power rose after its cause had had its effect"}
	for i, f := range b.Refused {
		if got := fmt.Sprint(f.Edges, " ", f.Why); len(b.Refused) != len(want) || !strings.HasPrefix(got, want[i]) {
			t.Errorf("refused %q, want %q", got, want)
		}
	}
	if line := a.Line(); !strings.Contains(line, "5 of 9 beacon edges were refused") {
		t.Errorf("line %q", line)
	}
}

// Beacons of a time without a stream, or of another one, are none of this stream's; and one
// whose event says nonsense is an error that says so, as other marks are.
func TestBeaconsOfOtherTimes(t *testing.T) {
	r := record(t, meta())
	r.Stream(source{ToS: 5, PeriodNs: 256_000, Draw: idle55, EndReason: "done"})
	r.Event(results.BeaconEvent(host(6), []results.Burst{burst(5.8, 1)}))
	if a := r.Compute().Alignment; a.Beacons != nil || strings.Contains(a.Method, "beacon") {
		t.Errorf("method %q, beacons %+v", a.Method, a.Beacons)
	}
	bad := results.BeaconEvent(host(3), nil)
	bad.Data["bursts"] = "many"
	r.Event(bad)
	if _, err := results.Compute(r.Dir, r.Loads); err == nil || !strings.Contains(err.Error(), "bursts of a beacon") {
		t.Errorf("error %v", err)
	}
}

// A stream of which only is known that it was asked for 0.2 s before it began, and that its
// blocks come 60 ms late, is placed within ± 130 ms: too little to tell one edge of a beacon
// from the next, which are 100 ms apart. The beacon as a whole is at one place only. Its
// edges then leave the 60 ms of the blocks and the drive's 0.2, ± 30.1 ms.
func TestBeaconInAnUnsureStream(t *testing.T) {
	make := func(beacon bool) results.StreamAlignment {
		r := record(t, meta())
		r.Stream(source{FromS: 1, ToS: 12, SentS: 0.8, DelayNs: 60e6, PeriodNs: 256_000, EndReason: "done", Draw: reads(4, 4.1, 4.2, 4.3)})
		if beacon {
			r.Event(results.BeaconEvent(host(4.4), []results.Burst{burst(4, 0.5), burst(4.1, 0.5), burst(4.2, 0.4), burst(4.3, 0.4)}))
		}
		a := r.Compute().Alignment.StreamAlignment
		placed(t, "the stream", a, 1)
		return a
	}
	before, after := make(false), make(true)
	if u := *before.OffsetU95S; math.Abs(u-0.130) > 1e-3 {
		t.Errorf("without a beacon ± %.1f ms, want 130", u*1e3)
	}
	if u := *after.OffsetU95S; after.Beacons.Found != 4 || after.Method != "hull + 2 beacons + 1 bound" || math.Abs(u-0.0301) > 1e-3 {
		t.Errorf("with one ± %.1f ms, want 30.1; %s, %+v", u*1e3, after.Method, after.Beacons)
	}
}
