package align

import (
	"iter"

	"powerd/quarch"
)

// Status of a map.
const (
	StatusOK       = "ok"
	StatusDegraded = "degraded" // usable, but U95 is wide or evidence was set aside
	StatusNone     = "none"     // not to be used for joins
)

const (
	windowNs = 120e9 // a floor is a line this long at most: chord error against scatter
	knotNs   = 10e9  // distance of knots
	cellNs   = 62.5e6

	// driftRate is how fast a module's rate may move, per nanosecond: 10 ppb a
	// second, twice a crystal's warm-up by 5 ppm in 600 s.
	driftRate = 10e-9 / 1e9

	// noPriorPPM is what is granted to a module of which no rate is remembered:
	// wider than any crystal's tolerance, so that a bound stays one.
	noPriorPPM = 250

	// maxPPM is where a rate is no drift any more but a wrong nominal period.
	maxPPM = 2000

	// degradedNs is the half-width above which a map is called degraded: 5 ms
	// and a step of 3 W are 0.25 % of the joules of a second at 6 W, at each edge.
	degradedNs = 5e6

	// floorNs is the least scatter that a floor is credited with: the time from
	// the read's return to its stamp on a busy host.
	floorNs = 20e3
)

// Options say what is known of a stream before its first block.
type Options struct {
	PeriodNs    int64   // nominal period of a stripe; > 0
	PriorPPM    float64 // remembered drift of this module
	PriorU95PPM float64 // its 95 % half-width; 0 = nothing is remembered
	TickNs      int64   // period of the adapter's latency timer; 0 = it has none
}

func (o Options) prior() (rate, u95 float64) {
	if o.PriorU95PPM <= 0 {
		return 0, noPriorPPM * 1e-6
	}
	return o.PriorPPM * 1e-6, o.PriorU95PPM * 1e-6
}

// Bound says that the start of a stripe is not before something the host did.
type Bound struct {
	Stripe      float64 // index; may lie between two stripes
	NotBeforeNs int64   // host CLOCK_MONOTONIC right before the cause
	Kind        string  // "stream start", "power on": for the reason text
}

// Solve returns the map of a whole stream.
func Solve(o Options, arrivals iter.Seq[quarch.Arrival], bounds ...Bound) *Map {
	e := NewEstimator(o)
	for a := range arrivals {
		e.Add(a)
	}
	for _, b := range bounds {
		e.Bound(b)
	}
	return e.Map()
}
