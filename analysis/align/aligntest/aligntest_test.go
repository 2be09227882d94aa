package aligntest

import (
	"math"
	"testing"
)

// The truth of the simulator is a sum that can be done by hand: after an hour at
// +50 ppm with a warm-up by 5 ppm a stripe is 50 ppm · 3600 s = 180 ms, plus
// 5 ppm · 600 s · (1 − e^−6) = 2.9926 ms, plus nothing of the sine, whose three periods
// are over, late.
func TestTruthOfAnHour(t *testing.T) {
	m := Module{PeriodNs: 64e3, StartNs: 5e12, PPM: 50, WarmPPM: 5, Link: USBCDC(), Seconds: 3600}
	k := 3600e9 / m.PeriodNs
	if late := m.Truth(k) - m.StartNs - 3600e9; math.Abs(late-182.99256e6) > 1e3 {
		t.Errorf("late by %.5f ms, want 182.99256", late*1e-6)
	}
	for _, k := range []float64{0, 0.5, 1e6, k - 1} {
		if got := m.Index(m.Truth(k)); math.Abs(got-k) > 1e-3 {
			t.Errorf("Index(Truth(%g)) = %g", k, got)
		}
	}
}

// 64 ms vanish after 10 s: every later stripe is 64 ms later than its count says, and
// no block is read before its last stripe has ended.
func TestSilentLossMovesTheTruth(t *testing.T) {
	for _, l := range Links(64e3) {
		m := Module{PeriodNs: 64e3, StartNs: 5e12, Link: l, Seconds: 20, Stalls: true, Faults: []Fault{{AtS: 10, Stripes: 1000}}}
		at := math.Floor(10e9 / m.PeriodNs)
		if step := m.Truth(at+1000) - m.Truth(at-1000); math.Abs(step-2000*64e3-64e6) > 1 {
			t.Errorf("%s: %.0f ns over 2000 stripes and the loss", l.Name, step)
		}
		for a := range m.Arrivals() {
			last := float64(a.First + a.N - 1)
			if end := m.Truth(last) + m.PeriodNs; float64(a.ReadAtNs) < end-1 {
				t.Fatalf("%s: block at stripe %d was read %.0f ns before its end", l.Name, a.First, end-float64(a.ReadAtNs))
			}
		}
	}
}

// A clock slewed by 500 ppm for 100 s is 50 ms off for good.
func TestSlewMovesMonotonicAlone(t *testing.T) {
	m := Module{PeriodNs: 64e3, StartNs: 5e12, Link: TCP(), Seconds: 300, Slew: Slew{FromS: 50, ToS: 150, PPM: 500}}
	last := m.Clocks(0)[300]
	if off := last.MonoNs - last.RawNs; off != 50e6 {
		t.Errorf("%d ns, want 50 ms", off)
	}
}
