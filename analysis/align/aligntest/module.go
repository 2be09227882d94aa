package aligntest

import (
	"iter"
	"math"
	"math/rand/v2"

	"powerd/quarch"
)

const (
	warmNs = 600e9  // time constant of the warm-up
	sineNs = 1200e9 // period of what the room's temperature does
)

// Module is a module and its host. The zero value of a field is: there is none.
type Module struct {
	PeriodNs float64 // nominal
	StartNs  float64 // host time of the start of stripe 0
	PPM      float64 // steady drift; positive = the period is long
	WarmPPM  float64 // drift that fades, with a tenth of it as a slow sine
	Link     Link
	Stalls   bool // the host stands still for 5-80 ms, once per 20 s
	Seed     uint64
	Seconds  float64 // of stream

	Faults []Fault // in the stream's order
	Slew   Slew    // of the host's clock
}

// Fault is a silent change in the number of stripes that come.
type Fault struct {
	AtS     float64 // stream time
	Stripes int64   // lost; negative = that many come twice
}

// Slew is a stretch in which the host's CLOCK_MONOTONIC is made to run faster than
// CLOCK_MONOTONIC_RAW.
type Slew struct{ FromS, ToS, PPM float64 }

// blockStripes returns the stripes of a block.
func (m Module) blockStripes() uint64 {
	return uint64(math.Max(1, math.Round(m.Link.BlockNs/m.PeriodNs)))
}

// began returns when the module began its stripe j, by CLOCK_MONOTONIC_RAW.
func (m Module) began(j float64) float64 {
	x := j * m.PeriodNs
	warm := m.WarmPPM * 1e-6 * warmNs * (1 - math.Exp(-x/warmNs))
	sine := m.WarmPPM * 0.1e-6 * sineNs / (2 * math.Pi) * (1 - math.Cos(2*math.Pi*x/sineNs))
	return m.StartNs + x + m.PPM*1e-6*x + warm + sine
}

// mono turns CLOCK_MONOTONIC_RAW into CLOCK_MONOTONIC.
func (m Module) mono(rawNs float64) float64 {
	in := math.Min(rawNs, m.StartNs+m.Slew.ToS*1e9) - (m.StartNs + m.Slew.FromS*1e9)
	return rawNs + m.Slew.PPM*1e-6*math.Max(0, in)
}

// missing returns how many stripes were lost in silence before index k of the host.
func (m Module) missing(k float64) (n float64) {
	for _, f := range m.Faults {
		if k+n >= m.faultAt(f) {
			n += float64(f.Stripes)
		}
	}
	return n
}

// faultAt returns the module's stripe at which a fault begins: blocks are whole.
func (m Module) faultAt(f Fault) float64 {
	n := float64(m.blockStripes())
	return math.Round(f.AtS*1e9/m.PeriodNs/n) * n
}

// Truth returns the CLOCK_MONOTONIC at which the stripe began that the host counts as k.
func (m Module) Truth(k float64) float64 { return m.mono(m.began(k + m.missing(k))) }

// Index returns the host's count of the stripe at host time ns: the inverse of Truth.
func (m Module) Index(ns float64) float64 {
	lo, hi := -1e9/m.PeriodNs, (m.Seconds+2)*1e9/m.PeriodNs
	for range 60 {
		if mid := (lo + hi) / 2; m.Truth(mid) < ns {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// Stripes returns how many stripes the stream has by the host's count.
func (m Module) Stripes() float64 { return m.Seconds * 1e9 / m.PeriodNs }

// Arrivals yields the blocks as the host read them.
func (m Module) Arrivals() iter.Seq[quarch.Arrival] {
	return func(yield func(quarch.Arrival) bool) {
		r := rand.New(rand.NewPCG(m.Seed, 1))
		n := m.blockStripes()
		var before, stalledUntil float64
		nextStall := m.StartNs + 20e9*r.ExpFloat64()
		for first := uint64(0); float64(first) < m.Stripes(); first += n {
			last := float64(first + n - 1)
			end := m.began(last + m.missing(last) + 1)
			at := end + m.Link.Delay(r, end)
			if m.Stalls && at > nextStall {
				stalledUntil = at + (5+75*r.Float64())*1e6
				nextStall = at + 20e9*r.ExpFloat64()
			}
			before = math.Max(at, math.Max(before, stalledUntil))
			if !yield(quarch.Arrival{First: first, N: n, ReadAtNs: int64(m.mono(before))}) {
				return
			}
		}
	}
}

// Clocks returns the readings of the host's three clocks, once a second from a second
// before the stream to two after it. The wall clock steps by stepNs half-way.
func (m Module) Clocks(stepNs int64) []quarch.Clock {
	var out []quarch.Clock
	for s := -1.0; s <= m.Seconds+2; s++ {
		raw := m.StartNs + s*1e9
		c := quarch.Clock{RawNs: int64(raw), MonoNs: int64(m.mono(raw))}
		c.UTCNs = c.MonoNs + 1_700_000_000_000_000_000
		if s > m.Seconds/2 {
			c.UTCNs += stepNs
		}
		out = append(out, c)
	}
	return out
}
