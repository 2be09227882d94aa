package aligntest

import (
	"math"
	"math/rand/v2"
)

// Event kinds.
const (
	Start = "job start" // what is natural is of two kinds
	Stop  = "job end"

	None    = "none"
	Natural = "natural" // starts and stops of an engine's jobs, by its stamps of milliseconds
	Beacon  = "beacon"  // burst of reads with stamps of its own
	Marker  = "marker"  // pattern in the module's voltage
)

// Event is something the host caused and where it was seen in the samples.
type Event struct {
	Kind        string
	NotBeforeNs int64   // host time before which it was not
	DoneNs      int64   // host time at which the host knew of it
	Stripe      float64 // where its edge was found, between stripes
	UNs         float64 // 95 % half-width of that, ns
}

// Drive is how a drive answers.
type Drive struct {
	LagNs     float64 // from a read's submit to its current
	ServiceNs float64 // from a read's submit to its completion
}

// edgeSigmaNs is what was measured of the sub-sample fit for a step of 3 W in a noise
// of 0.5 W per 4 µs: 3.2 µs at 64 µs, 6.6 at 256, 15 at 1024; it follows √T.
func edgeSigmaNs(periodNs float64) float64 { return 15e3 * math.Sqrt(periodNs/1024e3) }

// Events returns what the host did of a kind, everyNs apart. A beacon is two bursts of
// 50 ms, so four edges; in a stream of less than a minute all it has is 8 edges. A job
// lasts half of everyNs.
func (m Module) Events(kind string, everyS float64, d Drive) []Event {
	r := rand.New(rand.NewPCG(m.Seed, 2))
	var out []Event
	// What acts on a marker is the module, not the drive.
	answers := Drive{LagNs: 40e3 + 200e3*r.Float64(), ServiceNs: 300e3}
	from := math.Min(everyS/2, m.Seconds/10)
	for s := from; s < m.Seconds-0.3; s += everyS {
		at := m.StartNs + s*1e9 + 1e6*r.Float64()
		switch kind {
		case Natural:
			out = append(out, m.start(r, at, d))
			if stop := at + everyS/2*1e9; stop < m.StartNs+(m.Seconds-0.3)*1e9 {
				out = append(out, m.stop(r, stop, d))
			}
		case Marker:
			out = append(out, m.event(r, kind, at, answers))
		case Beacon:
			for range 2 {
				out = append(out, m.event(r, kind, at, d), m.event(r, kind, at+50e6, d))
				at += 100e6
			}
		}
	}
	return out
}

// event is an edge at a lag behind its cause at host time rawNs. Once in 500 times the
// host stands still between its stamp and what it does then.
func (m Module) event(r *rand.Rand, kind string, rawNs float64, d Drive) Event {
	stamp := rawNs - 2e3*r.ExpFloat64()
	if m.Stalls && r.IntN(500) == 0 {
		stamp -= (5 + 75*r.Float64()) * 1e6
	}
	sigma := edgeSigmaNs(m.PeriodNs)
	edge := rawNs + d.LagNs + math.Min(50e3, d.LagNs/3)*(r.ExpFloat64()-1)
	return Event{
		Kind: kind, NotBeforeNs: int64(m.mono(stamp)), DoneNs: int64(m.mono(rawNs + d.ServiceNs + 20e3*r.ExpFloat64())),
		Stripe: m.Index(m.mono(edge)) + sigma/m.PeriodNs*r.NormFloat64(),
		UNs:    1.96 * sigma,
	}
}

// start is a job's start as an engine stamps it: two floors to a millisecond make it up to
// 2 ms early, 1 ms in the mean.
func (m Module) start(r *rand.Rand, rawNs float64, d Drive) Event {
	e := m.event(r, Start, rawNs, d)
	stamp := m.stamp(r, rawNs)
	e.NotBeforeNs, e.DoneNs = stamp-stampU95Ns, stamp+stampU95Ns
	return e
}

// stop is a job's end: the last read was submitted at rawNs, or up to the longest latency
// before the stamp, and the drive is busy for 1 to 5 ms more, nobody knows how long.
func (m Module) stop(r *rand.Rand, rawNs float64, d Drive) Event {
	const longest = 4 // times the usual service
	after := d
	after.LagNs += (1 + 4*r.Float64()) * 1e6
	e := m.event(r, Stop, rawNs, after)
	stamp := m.stamp(r, rawNs+d.ServiceNs*(1+(longest-1)*r.Float64()))
	e.NotBeforeNs, e.DoneNs = stamp-stampU95Ns-int64(longest*d.ServiceNs), 0
	return e
}

// stampU95Ns is what an engine's stamp of a job is good to.
const stampU95Ns = 2e6

// stamp is a time as an engine has it, with a millisecond added for its floors.
func (m Module) stamp(r *rand.Rand, rawNs float64) int64 {
	return int64(m.mono(rawNs-1e6*(r.Float64()+r.Float64()))) + 1e6
}
