package align

import (
	"math"
	"testing"

	"powerd/analysis/align/aligntest"
)

// causal places a stream as it comes, with nothing known but a bound at its start,
// 200 µs before it.
func causal(t *testing.T, mod aligntest.Module, o Options) (m *Map, e *Estimator) {
	t.Helper()
	o.PeriodNs, o.Causal = int64(mod.PeriodNs), true
	e = NewEstimator(o)
	e.Bound(Bound{NotBeforeNs: int64(mod.StartNs - 200e3), Kind: "stream start"})
	for a := range mod.Arrivals() {
		e.Add(a)
	}
	return e.Map(), e
}

// A module whose clock is 200 ppm slow is 12 ms late after a minute. That is drift, and
// the bound at the stream's start stays as near as it is: a causal map is off by less than
// half a millisecond before its first knot is fixed, though nothing is remembered.
func TestCausalMapKnowsHowFarTheStartIs(t *testing.T) {
	for _, ppm := range []float64{-200, 200} {
		mod := aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: ppm, Link: aligntest.USBCDC(), Seconds: 130, Seed: 3}
		m, _ := causal(t, mod, Options{})
		for s := 20.0; s < 130; s++ {
			k := s * 1e9 / mod.PeriodNs
			at, u := m.TimeOf(k)
			if off := math.Abs(at - mod.Truth(k)); off > 0.5e6 || off > u {
				t.Fatalf("%g ppm, at %g s: off by %.0f us, U95 %.0f us", ppm, s, off*1e-3, u*1e-3)
			}
		}
	}
}

// An estimator that forgets holds no more after three hours than after one, still knows
// where the stream began to the nanosecond, and is as good as one that does not for what
// has just come.
func TestForgettingKeepsTheBeginAndThePresent(t *testing.T) {
	mod := aligntest.Module{PeriodNs: 1024e3, StartNs: 5e12, PPM: 50, WarmPPM: 5, Link: aligntest.TCP(), Seconds: 3 * 3600, Seed: 3, Stalls: true}
	whole, _ := causal(t, mod, Options{Uncounted: true})
	short, e := causal(t, mod, Options{Uncounted: true, Forget: true})
	if n := len(e.fixed) + len(e.given) + len(e.clock.points); n > 3*(recent+2) {
		t.Errorf("%d knots, points and readings are kept", n)
	}
	if at, u := whole.Offset(); true {
		if at2, u2 := short.Offset(); at2 != at || u2 != u {
			t.Errorf("the begin is at %.0f ± %.0f ns, was %.0f ± %.0f", at2, u2, at, u)
		}
	}
	for s := 3*3600 - 300.0; s < 3*3600; s += 10 {
		k := s * 1e9 / mod.PeriodNs
		a, u := whole.TimeOf(k)
		b, v := short.TimeOf(k)
		if math.Abs(a-b) > 1e3 || math.Abs(u-v) > 1e3 {
			t.Errorf("at %.0f s %.0f ± %.0f ns, all of it says %.0f ± %.0f", s, b, v, a, u)
		}
		if off := math.Abs(b - mod.Truth(k)); off > v {
			t.Errorf("at %.0f s off by %.0f us, U95 %.0f us", s, off*1e-3, v*1e-3)
		}
	}
	if math.Abs(short.DriftPPM-whole.DriftPPM) > 1e-6 {
		t.Errorf("drift %g ppm, all of it says %g", short.DriftPPM, whole.DriftPPM)
	}
}
