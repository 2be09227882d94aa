package efficiency

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/latency"
	"powerd/quarch"
)

// aRound is a round of so many seconds, at a mean power of which 12 V carries a third.
func aRound(n int, ios uint64, seconds, watts, latencyUs, stdUs float64) *Cell {
	some := analysis.Some
	c := &Cell{
		Step: "w-r", RW: "randwrite", BSBytes: 4096, QD: 32, Jobs: 4, Round: n, State: StateNotJudged, IOs: ios, Bytes: 4096 * ios,
		StartMonoNs: int64(n) * 100e9, EndMonoNs: int64(n)*100e9 + int64(seconds*1e9), DurationS: some(seconds), Coverage: some(1 - float64(n)/1000),
		MeanW: some(watts), MeanU95W: some(0), EnergyJ: some(watts * seconds),
		Rails: map[quarch.Rail]*Rail{
			quarch.Rail5V:  {MeanW: some(watts * 2 / 3), U95W: some(0.03), MeanV: some(5), MeanA: some(watts * 2 / 3 / 5), U95V: some(0.01), U95A: some(0.006)},
			quarch.Rail12V: {MeanW: some(watts / 3), U95W: some(0.02), MeanV: some(12), MeanA: some(watts / 3 / 12), U95V: some(0.02), U95A: some(0.002)},
		},
		Latency: &latency.Figures{Mean: some(latencyUs), Std: some(stdUs), Max: some(10 * latencyUs), P99: some(2 * latencyUs), IOs: ios},
	}
	c.IOPS, c.MBPerS, c.IOPSU95Rel = some(float64(ios)/seconds), some(float64(ios)*4096e-6/seconds), some(0)
	c.divide(watts)
	c.U95Rel, c.U95ScatterRel = some(0), some(0)
	return c
}

func is(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %g", what, got, want)
	}
}

// Rounds 3 and 4: 60 000 IOs in 10 s at 6 W and 90 000 in 30 s at 3 W are 150 000 IOs, 40 s
// and 150 J: 3750 IOPS, 3.75 W, 1000 IOs a joule (1 IOPS/mW), not the mean of 1 and 1. Of the
// joules 100 are the 5 V rail's: 2.5 W. The latency of all IOs is (60·100 + 90·200)/150 =
// 160 µs; their square (60·(100² + 30²) + 90·(200² + 40²))/150 = 29 320, so the deviation is
// √(29 320 − 160²) = 60.99. The rounds draw 6 and 3 W: half of the difference, 1.5 W, is the
// least that the ± of 3.75 W may be.
func TestRoundsAddUp(t *testing.T) {
	s := Add("w", []*Cell{aRound(3, 60_000, 10, 6, 100, 30), aRound(4, 90_000, 30, 3, 200, 40)}, accuracy.Spec{})
	if s.Step != "w" || s.FirstRound != 3 || s.Round != 4 || s.IOs != 150_000 || s.StartMonoNs != 300e9 || s.EndMonoNs != 430e9 || s.QD != 32 {
		t.Errorf("%+v", s.Cell)
	}
	is(t, "seconds", s.DurationS, 40)
	is(t, "coverage", s.Coverage, 0.996) // the poorer one
	is(t, "IOPS", s.IOPS, 3750)
	is(t, "MB/s", s.MBPerS, 15.36)
	is(t, "W", s.MeanW, 3.75)
	is(t, "its ±", s.MeanU95W, 1.5)
	is(t, "J", s.EnergyJ, 150)
	is(t, "IOPS/mW", s.IOPSPerMW, 1)
	is(t, "MB/s/mW", s.MBPerSPerMW, 0.004096)
	is(t, "µJ", s.UJPerIO, 1000)
	is(t, "latency", s.Latency.Mean, 160)
	is(t, "its deviation", s.Latency.Std, math.Sqrt(29_320-160*160))
	is(t, "its maximum", s.Latency.Max, 2000)
	if s.Latency.P99 != nil || s.Reason("latency_us.percentiles") != "percentiles of rounds cannot be merged, and the engine left no histogram of some" {
		t.Errorf("99th percentile %v, %q", s.Latency.P99, s.Reason("latency_us.percentiles"))
	}
	five := s.Rails[quarch.Rail5V]
	is(t, "W of 5 V", five.MeanW, 2.5)
	is(t, "J of 5 V", five.EnergyJ, 100)
	is(t, "V of 5 V", five.MeanV, 5)
	is(t, "their ±", five.U95V, 0.01)                   // the same volts in both: theirs alone
	is(t, "± of its W", five.U95W, math.Hypot(0.03, 1)) // 4 and 2 W: half of the difference
	row := Table([]*Cell{&s.Cell})
	if row.At(0, "first_round").Value != 3 || row.At(0, "round").Value != 4 {
		t.Errorf("rounds in the table: %+v", row.Rows[0])
	}
}

// One round of which no power is known takes the power of all, and leaves their IOPS; a
// second that was stopped before its time takes these, too.
func TestSumLacksWhatARoundLacks(t *testing.T) {
	rounds := []*Cell{aRound(1, 1000, 10, 5, 100, 1), aRound(2, 1000, 10, 5, 100, 1)}
	dark := aRound(2, 1000, 10, 5, 100, 1)
	dark.MeanW, dark.IOPSPerMW = nil, nil
	dark.withhold("mean_w", "no samples")
	rounds[1] = dark
	s := Add("w", rounds, accuracy.Spec{})
	is(t, "IOPS", s.IOPS, 100)
	if s.MeanW != nil || s.IOPSPerMW != nil || s.Reason("mean_w") != "round 2 lacks it: no samples" {
		t.Errorf("%v W, %v", s.MeanW, s.Withheld)
	}
	dark.Interrupted = true
	if s = Add("w", rounds, accuracy.Spec{}); s.IOPS != nil || !strings.HasPrefix(s.Reason("iops"), "round 2 lacks it") {
		t.Errorf("%v IOPS, %v", s.IOPS, s.Withheld)
	}
}
