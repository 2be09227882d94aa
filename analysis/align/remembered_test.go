package align

import (
	"math"
	"slices"
	"testing"
	"time"

	"powerd/analysis/align/aligntest"
)

// A rate known to ± 0.5 ppm is good to ± 2.5 ppm in the same room, to 5 ppm more where
// either time was within the warm-up, and to 5 ppm more a year.
func TestRememberedRateAges(t *testing.T) {
	warm, cold := Remembered{PPM: 52, U95PPM: 0.5, Warm: true}, Remembered{PPM: 52, U95PPM: 0.5}
	for _, c := range []struct {
		r    Remembered
		age  time.Duration
		warm bool
		want float64
	}{
		{warm, 0, true, 2.5},
		{warm, 0, false, 7.5},
		{cold, 0, true, 7.5},
		{warm, 73 * 24 * time.Hour, true, 3.5}, // a fifth of a year
		{warm, -73 * 24 * time.Hour, true, 3.5},
		{cold, 365 * 24 * time.Hour, true, 12.5},
	} {
		if got := c.r.Now(c.age, c.warm); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v after %v, warm %v: ± %g ppm, want %g", c.r, c.age, c.warm, got, c.want)
		}
	}
}

// What was remembered of a warm module holds for the same module when it is cold: the
// truth stays within U95 all through a power-up of 10 s, and the rate within its own.
func TestRememberedRateHoldsForAColdModule(t *testing.T) {
	const ppm, warmUp = -140, 5
	u95 := Remembered{PPM: ppm, U95PPM: 0.4, Warm: true}.Now(240*time.Hour, false)
	for seed := range uint64(5) {
		mod := aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: ppm, WarmPPM: warmUp, Link: aligntest.USBCDC(), Stalls: true, Seed: seed, Seconds: 10}
		m := Solve(Options{PeriodNs: 64e3, PriorPPM: ppm, PriorU95PPM: u95, LeastDelayNs: 250e3}, mod.Arrivals())
		if m.Measured || m.DriftPPM != ppm {
			t.Errorf("drift %g ppm of its own arrivals %v, want the remembered one", m.DriftPPM, m.Measured)
		}
		// Over 10 s the warm-up by 5 ppm is 4.96 ppm on average.
		if math.Abs(m.DriftPPM-ppm-4.96) > m.DriftU95PPM {
			t.Errorf("drift %g ± %g ppm, is %g", m.DriftPPM, m.DriftU95PPM, ppm+4.96)
		}
		for k := 0.0; k < mod.Stripes(); k += 1000 {
			if at, u := m.TimeOf(k); math.Abs(at-mod.Truth(k)) > u {
				t.Fatalf("seed %d, stripe %.0f: off by %.0f ns, U95 %.0f", seed, k, at-mod.Truth(k), u)
			}
		}
	}
}

// A rate is measured where arrivals tell it better than what is remembered, and only
// then it is worth remembering.
func TestMeasuredRateIsTold(t *testing.T) {
	for seconds, want := range map[float64]bool{10: false, 70: true, 300: true} {
		mod := aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: 30, Link: aligntest.USBCDC(), Seconds: seconds}
		m := Solve(Options{PeriodNs: 64e3, PriorPPM: 33, PriorU95PPM: 12}, slices.Values(slices.Collect(mod.Arrivals())), Bound{NotBeforeNs: 5e12 - 1e5, Kind: "stream start"})
		if m.Measured != want {
			t.Errorf("%g s: measured %v, want %v (%s, %g ± %g ppm)", seconds, m.Measured, want, m.Method, m.DriftPPM, m.DriftU95PPM)
		}
	}
}
