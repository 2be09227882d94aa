package sim

import "testing"

// With a period of 4 µs that is 137 ppm long, one hour holds 900,000,000
// nominal periods, which take 3600 s · 1.000137 = 3600.4932 s.
func TestStripeTimesDoNotAccumulateError(t *testing.T) {
	c := stripeClock{t0Ns: 1_000, periodNs: 4_000, driftPPM: 137}
	if got, want := c.startNs(900_000_000), int64(3_600_493_200_000+1_000); got != want {
		t.Errorf("stripe 900000000 begins at %d ns, want %d", got, want)
	}
	for _, k := range []int64{0, 1, 2, 1_000_000, 900_000_000, 86_400 * 250_000} {
		if got := c.ended(c.startNs(k)); got != k {
			t.Errorf("at the start of stripe %d %d stripes have ended, want %d", k, got, k)
		}
		if got, want := c.ended(c.startNs(k)-1), max(0, k-1); got != want {
			t.Errorf("a nanosecond before stripe %d %d stripes have ended, want %d", k, got, want)
		}
	}
}

// Requests to the load must neither overlap nor leave out more than a nanosecond
// a stripe, whatever the drift.
func TestRequestsToTheLoadFitTogether(t *testing.T) {
	for _, ppm := range []float64{-200, -0.3, 0, 50, 137, 1999} {
		c := stripeClock{t0Ns: 5, periodNs: 4_000, driftPPM: ppm}
		for k := int64(0); k < 100_000; k += fillStripes {
			gap := c.startNs(k+fillStripes) - (c.startNs(k) + fillStripes*c.fillPeriodNs(k, fillStripes))
			if gap < 0 || gap >= fillStripes {
				t.Fatalf("%v ppm: between stripes %d and %d are %d ns, want 0 to %d", ppm, k+fillStripes-1, k+fillStripes, gap, fillStripes-1)
			}
		}
	}
}
