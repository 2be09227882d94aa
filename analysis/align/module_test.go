package align

import (
	"iter"
	"math"
	"math/rand/v2"

	"powerd/quarch"
)

// module is a module in virtual time: it knows when each stripe really began.
type module struct {
	periodNs   int64
	startNs    float64 // host time of the start of stripe 0
	ppm        float64 // steady drift
	warmPPM    float64 // warm-up: fades with 600 s
	blockNs    int64   // stream time in a block
	delay      func(r *rand.Rand, endNs float64) float64
	stalls     bool // the host stands still for 5-80 ms, about once per 20 s
	seed       uint64
	dropOneIn  int // blocks lost on the way, index counted on
	durationNs float64
}

// truth returns when stripe k began: drift plus warm-up, integrated.
func (m module) truth(k float64) float64 {
	x := k * float64(m.periodNs)
	const tau = 600e9
	return m.startNs + x + m.ppm*1e-6*x + m.warmPPM*1e-6*tau*(1-math.Exp(-x/tau))
}

// arrivals yields the blocks as the host read them.
func (m module) arrivals() iter.Seq[quarch.Arrival] {
	return func(yield func(quarch.Arrival) bool) {
		r := rand.New(rand.NewPCG(m.seed, 1))
		n := max(1, uint64(m.blockNs/m.periodNs))
		var lost uint64
		var before, stalledUntil float64
		nextStall := m.startNs + 20e9*r.ExpFloat64()
		for first := uint64(0); float64(first)*float64(m.periodNs) < m.durationNs; first += n {
			end := m.truth(float64(first + n))
			at := end + m.delay(r, end)
			if m.stalls && at > nextStall {
				stalledUntil = at + (5+75*r.Float64())*1e6
				nextStall = at + 20e9*r.ExpFloat64()
			}
			at = max(at, before, stalledUntil)
			before = at
			if m.dropOneIn > 0 && r.IntN(m.dropOneIn) == 0 {
				lost += n
				continue
			}
			if !yield(quarch.Arrival{First: first, N: n, Lost: lost, ReadAtNs: int64(at)}) {
				return
			}
			lost = 0
		}
	}
}

// start is the bound that a stream's start gives: it was asked for a little
// before stripe 0 began.
func (m module) start(beforeNs float64) Bound {
	return Bound{NotBeforeNs: int64(m.startNs - beforeNs), Kind: "stream start"}
}

// Delays of links, from the end of a block's last stripe to the read's return.
func usbcdc(r *rand.Rand, end float64) float64 {
	return ticked(end, 125e3) + 80e3 + 300e3*r.ExpFloat64()
}

func tcp(r *rand.Rand, _ float64) float64 {
	d := 120e3 + 250e3*math.Exp(0.8*r.NormFloat64())
	if r.IntN(100) == 0 {
		d += 40e6
	}
	return d
}

func ftdi(timerNs float64) func(*rand.Rand, float64) float64 {
	return func(r *rand.Rand, end float64) float64 { return ticked(end, timerNs) + 60e3 + 150e3*r.ExpFloat64() }
}

// pty is an emulated module: it lets stripes go 5 ms after their time, in batches.
func pty(r *rand.Rand, end float64) float64 {
	return 5e6 + ticked(end, 3.1e6) + 30e3 + 200e3*r.ExpFloat64()
}

// ticked is the wait for the next tick of a host timer.
func ticked(at, tick float64) float64 { return math.Ceil(at/tick)*tick - at }
