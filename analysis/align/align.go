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
	settleNs = 5e9 // a knot waits so long for news of lost stripes in its window
	shortNs  = 60e9

	// driftRate is how fast a module's rate may move, per nanosecond: 10 ppb a
	// second, the warm-up of a crystal by 5 ppm in 600 s and a room's slow changes.
	driftRate = 10e-9 / 1e9

	// noPriorPPM is what is granted to a module of which no rate is remembered:
	// wider than any crystal's tolerance, so that a bound stays one.
	noPriorPPM = 250

	// MaxPPM is where a rate is no drift any more but a wrong nominal period.
	MaxPPM = 2000

	// wideNs is the half-width above which a map is called degraded unless the caller
	// has an own one: 5 ms and a step of 3 W are 0.25 % of the joules of a second at
	// 6 W, at each edge.
	wideNs = 5e6

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

	// LeastDelayNs says that the fastest blocks of this link are read within so long of
	// their last stripe's end; 0 = nobody knows. With it arrivals alone carry a map.
	LeastDelayNs int64

	WideNs int64 // half-width above which the map is degraded; 0 = 5 ms

	// Uncounted says that nothing but the arrivals tells of lost or doubled stripes: they
	// are looked for there.
	Uncounted bool

	// Causal makes a map of the past alone: a stripe's time is final as soon as the
	// stream has reached it. Otherwise it is final 65 s later, and better.
	Causal bool

	// Forget says that nobody will ask about what is long past: beyond the last ten minutes
	// the map knows where the stream began, and is a straight line from there. It does not
	// grow then, however long the stream is. Events are not forgotten.
	Forget bool
}

// prior returns the rate that is known beforehand, and its 95 % half-width.
func (o Options) prior() (rate, u95 float64) {
	if o.PriorU95PPM <= 0 {
		return 0, noPriorPPM * 1e-6
	}
	return o.PriorPPM * 1e-6, o.PriorU95PPM * 1e-6
}

func (o Options) wide() float64 {
	if o.WideNs > 0 {
		return float64(o.WideNs)
	}
	return wideNs
}

// Bound says that the start of a stripe is not before something the host did.
type Bound struct {
	Stripe      float64 // index; may lie between two stripes
	NotBeforeNs int64   // host CLOCK_MONOTONIC right before the cause
	Kind        string  // "stream start", "power on": for the reason text
}

// Event is something that the host did and that shows as an edge in the samples: the
// start or end of a read burst, a pattern in the module's voltage, the start of a job.
// The edge comes after the cause, by a lag that nobody knows.
type Event struct {
	Stripe float64 // where the edge is; between two stripes
	UNs    float64 // 95 % half-width of that, from the fit of the edge

	NotBeforeNs int64 // host CLOCK_MONOTONIC before which the cause was not
	DoneNs      int64 // when the host knew that it had had its effect: a first read's completion, an answer; 0 = it never does

	Kind string // "beacon", "marker", "job start": for the method text
}

// Solve returns the map of a whole stream. Events are in any order. Clocks, if any, are
// readings of the host's clocks from before the first block to after the last one.
func Solve(o Options, arrivals iter.Seq[quarch.Arrival], known ...Known) *Map {
	e := NewEstimator(o)
	for _, k := range known {
		k.tell(e)
	}
	for a := range arrivals {
		e.Add(a)
	}
	return e.Map()
}

// Known is what else is known of a stream: a Bound, an Event, Clocks.
type Known interface{ tell(*Estimator) }

// Clocks are readings of the host's clocks in their order.
type Clocks []quarch.Clock

func (b Bound) tell(e *Estimator) { e.Bound(b) }
func (v Event) tell(e *Estimator) { e.Event(v) }
func (c Clocks) tell(e *Estimator) {
	for _, r := range c {
		e.Clock(r)
	}
}
