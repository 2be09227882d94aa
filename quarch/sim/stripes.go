package sim

import "math"

// stripeClock maps stripes to host time.
type stripeClock struct {
	t0Ns     int64
	periodNs int64 // nominal
	driftPPM float64
	bend     *bend // nil: the drift is all there is
}

// bend is how a clock departs from a straight line.
type bend struct {
	warmPPM float64 // of a clock that warms up
	warmNs  int64   // how long it has been on at stripe 0
	stop    int64   // the clock stands still before this stripe
	stopNs  int64   // for so long; 0 = never
}

// A clock settles with this time constant, and wanders to and fro in this period by a
// tenth of what it settles by.
const (
	warmUpS   = 600
	wanderS   = 1200
	wanderPPM = 0.1
)

// warmedNs returns how late a clock is after it has been on for ns.
func (b *bend) warmedNs(ns int64) float64 {
	s := float64(ns) * 1e-9
	late := warmUpS*-math.Expm1(-s/warmUpS) + wanderPPM*wanderS/(2*math.Pi)*(1-math.Cos(2*math.Pi*s/wanderS))
	return b.warmPPM * 1e-6 * late * 1e9
}

// startNs returns when stripe k begins.
func (c stripeClock) startNs(k int64) int64 {
	ns := c.runNs(k)
	if c.bend != nil && c.bend.stopNs > 0 && k >= c.bend.stop {
		ns += c.bend.stopNs
	}
	return ns
}

// endNs returns when stripe k-1 has ended, which is when stripe k begins unless the
// clock stands still between them.
func (c stripeClock) endNs(k int64) int64 {
	ns := c.runNs(k)
	if c.bend != nil && c.bend.stopNs > 0 && k > c.bend.stop {
		ns += c.bend.stopNs
	}
	return ns
}

// runNs returns when stripe k would begin if the clock never stood still.
func (c stripeClock) runNs(k int64) int64 {
	d := k * c.periodNs
	late := float64(d) * c.driftPPM * 1e-6
	if b := c.bend; b != nil && b.warmPPM != 0 {
		late += b.warmedNs(b.warmNs+d) - b.warmedNs(b.warmNs)
	}
	return c.t0Ns + d + int64(math.Round(late))
}

// ended returns how many stripes have ended by atNs.
func (c stripeClock) ended(atNs int64) int64 {
	k := c.runUntil(atNs)
	if b := c.bend; b != nil && b.stopNs > 0 && k > b.stop {
		return max(b.stop, c.runUntil(atNs-b.stopNs))
	}
	return k
}

// runUntil returns how many stripes would have ended by atNs if the clock never stood
// still.
func (c stripeClock) runUntil(atNs int64) int64 {
	if atNs <= c.t0Ns {
		return 0
	}
	period := float64(c.periodNs) * (1 + c.driftPPM*1e-6)
	k := int64(float64(atNs-c.t0Ns) / period)
	if c.bend != nil { // some stripes off
		k += int64(float64(atNs-c.runNs(k)) / period)
	}
	for c.runNs(k+1) <= atNs {
		k++
	}
	for k > 0 && c.runNs(k) > atNs {
		k--
	}
	return k
}

// together returns how many of n stripes from k on follow each other without a stop.
func (c stripeClock) together(k, n int64) int64 {
	if b := c.bend; b != nil && b.stopNs > 0 && k < b.stop {
		return min(n, b.stop-k)
	}
	return n
}

// fillPeriodNs returns the true period over [k, k+n), rounded down, so that the
// next request does not overlap this one.
func (c stripeClock) fillPeriodNs(k, n int64) int64 {
	return (c.endNs(k+n) - c.startNs(k)) / n
}
