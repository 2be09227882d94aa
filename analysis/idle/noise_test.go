package idle

import (
	"math"
	"math/rand/v2"

	"powerd/quarch"
)

// noise is the power of an idle drive, one value a millisecond, in watts about zero:
// a first-order autoregressive process with φ = 0.98 (50 ms of memory) and white noise.
type noise struct {
	*rand.Rand
	sigmaW, whiteW float64
	last           float64
}

func newNoise(seed uint64, sigmaW, whiteW float64) *noise {
	n := &noise{Rand: rand.New(rand.NewPCG(seed, 7)), sigmaW: sigmaW, whiteW: whiteW}
	n.last = sigmaW * n.NormFloat64()
	return n
}

func (n *noise) next() float64 {
	const phi = 0.98
	n.last = phi*n.last + math.Sqrt(1-phi*phi)*n.sigmaW*n.NormFloat64()
	return n.last + n.whiteW*n.NormFloat64()
}

// bursts adds work of heightW for 100 ms at random times, one in eachS on average.
type bursts struct {
	*rand.Rand
	heightW, eachS float64
	left           int
}

func (b *bursts) next() float64 {
	if b.left == 0 && b.Float64() < 1e-3/b.eachS {
		b.left = 100
	}
	if b.left > 0 {
		b.left--
		return b.heightW
	}
	return 0
}

// atFiveVolts makes a block of 1 ms stripes that draw watts from 5 V.
func atFiveVolts(n int, watts func(ms int) float64) *quarch.Block {
	return &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, n, func(i int) float64 { return 200 * watts(i) })}}
}
