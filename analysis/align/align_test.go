package align

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTruthLiesWithinTheStatedBound plays modules with known clocks over known
// links and asks in every second of the stream whether its true time lies within
// the map's U95. 99 % of the seconds must.
func TestTruthLiesWithinTheStatedBound(t *testing.T) {
	links := []struct {
		name    string
		delay   func(*rand.Rand, float64) float64
		blockNs int64
		tickNs  int64
		worstMs float64 // U95 may not be wider, in streams of a minute and more
	}{
		{"usbcdc", usbcdc, 10e6, 0, 2.5},
		{"tcp", tcp, 10e6, 0, 2.5},
		{"ftdi 1 ms", ftdi(1e6), 10e6, 1e6, 3.5},
		{"ftdi 16 ms", ftdi(16e6), 10e6, 16e6, 3.5},
		{"ftdi 16 ms in step", ftdi(16e6), 16e6, 16e6, 60},
		{"emulated on a pty", pty, 2.3e6, 0, 5},
	}
	for _, l := range links {
		for _, ppm := range []float64{-200, -50, 0, 50, 200} {
			for _, dur := range []float64{10e9, 60e9, 130e9, 3600e9} {
				if dur > 1000e9 && ppm != -200 && ppm != 50 {
					continue // an hour of each sign is enough
				}
				m := module{
					periodNs: 64_000, startNs: 5e12, ppm: ppm, warmPPM: 5, blockNs: l.blockNs,
					delay: l.delay, stalls: true, seed: 7, durationNs: dur,
				}
				t.Run(fmt.Sprintf("%s/%+.0fppm/%.0fs", l.name, ppm, dur*1e-9), func(t *testing.T) {
					got := Solve(Options{PeriodNs: m.periodNs, TickNs: l.tickNs}, m.arrivals(), m.start(2e6))
					var in, n, worst, worstErr float64
					for s := 0.0; s <= dur; s += 1e9 {
						k := s / float64(m.periodNs)
						at, u := got.TimeOf(k)
						n++
						err := math.Abs(at - m.truth(k))
						if err <= u {
							in++
						}
						worst, worstErr = max(worst, u), max(worstErr, err)
					}
					t.Logf("%s U95 %.2f ms, worst error %.2f ms, drift %+.2f ± %.2f ppm, %s", got.Method, worst*1e-6, worstErr*1e-6, got.DriftPPM, got.DriftU95PPM, got.Status)
					if in/n < 0.99 {
						t.Errorf("truth inside U95 in %.1f %% of the seconds", 100*in/n)
					}
					if dur >= 60e9 && worst > l.worstMs*1e6 {
						t.Errorf("U95 up to %.2f ms, want at most %.1f ms", worst*1e-6, l.worstMs)
					}
					if math.Abs(got.DriftPPM-ppm) > got.DriftU95PPM+m.warmPPM {
						t.Errorf("drift %.2f ± %.2f ppm, is %.2f plus warm-up by up to 5", got.DriftPPM, got.DriftU95PPM, ppm)
					}
				})
			}
		}
	}
}
