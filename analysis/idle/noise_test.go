package idle

import (
	"math"
	"math/rand/v2"

	"powerd/quarch"
)

// noise is the power of an idle drive, one value every stepMs, in watts about zero: a
// first-order autoregressive process that forgets 2 % a millisecond (50 ms of memory) and
// white noise.
type noise struct {
	*rand.Rand
	sigmaW, whiteW float64
	phi, last      float64
}

func newNoise(seed uint64, stepMs, sigmaW, whiteW float64) *noise {
	n := &noise{Rand: rand.New(rand.NewPCG(seed, 7)), sigmaW: sigmaW, whiteW: whiteW, phi: math.Pow(0.98, stepMs)}
	n.last = sigmaW * n.NormFloat64()
	return n
}

func (n *noise) next() float64 {
	n.last = n.phi*n.last + math.Sqrt(1-n.phi*n.phi)*n.sigmaW*n.NormFloat64()
	return n.last + n.whiteW*n.NormFloat64()
}

// bursts adds work of heightW for 100 ms at random times, one in eachS on average after
// the last, one value every stepMs.
type bursts struct {
	*rand.Rand
	stepMs, heightW, eachS float64
	leftMs                 float64
}

func (b *bursts) next() float64 {
	if b.leftMs <= 0 && b.eachS > 0 && b.Float64() < b.stepMs*1e-3/b.eachS {
		b.leftMs = 100
	}
	if b.leftMs > 0 {
		b.leftMs -= b.stepMs
		return b.heightW
	}
	return 0
}

// atFiveVolts makes a block of 1 ms stripes that draw watts from 5 V.
func atFiveVolts(n int, watts func(ms int) float64) *quarch.Block {
	return &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, n, func(i int) float64 { return 200 * watts(i) })}}
}
