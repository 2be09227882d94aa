package sim

import "math"

// stripeClock maps stripes to host time.
type stripeClock struct {
	t0Ns     int64
	periodNs int64 // nominal
	driftPPM float64
}

// startNs returns when stripe k begins.
func (c stripeClock) startNs(k int64) int64 {
	d := k * c.periodNs
	return c.t0Ns + d + int64(math.Round(float64(d)*c.driftPPM*1e-6))
}

// ended returns how many stripes have ended by atNs.
func (c stripeClock) ended(atNs int64) int64 {
	if atNs <= c.t0Ns {
		return 0
	}
	k := int64(float64(atNs-c.t0Ns) / (float64(c.periodNs) * (1 + c.driftPPM*1e-6)))
	for c.startNs(k+1) <= atNs {
		k++
	}
	for k > 0 && c.startNs(k) > atNs {
		k--
	}
	return k
}

// fillPeriodNs returns the true period over [k, k+n), rounded down, so that the
// next request does not overlap this one.
func (c stripeClock) fillPeriodNs(k, n int64) int64 {
	return (c.startNs(k+n) - c.startNs(k)) / n
}
