package quarch

import (
	"math"

	"powerd/quarch/units"
)

// Missing is a count that has no value: null in a capture, skipped by every
// accessor and sum.
const Missing int32 = math.MinInt32

// Block is a run of consecutive stripes, no gap inside.
type Block struct {
	First  uint64 // index of the first stripe since the stream began; lost stripes are counted
	Lost   uint64 // stripes lost just before First
	Resync int    // times the decoder lost and found the frame boundary just before First

	PeriodNs int64   // nominal period of a stripe; 0 on a polled link
	AtNs     []int64 // polled links only: host time of the middle of each poll round

	ReadAtNs int64 // host CLOCK_MONOTONIC right after the read that completed the block
	Traces   []Trace
}

// Trace is one rail's part of a block. V and A have the same length.
type Trace struct {
	Rail     Rail
	V, A     []int32 // counts; Missing where the module gave no value
	LSBVolts float64 // volts per count of V
	LSBAmps  float64 // amperes per count of A
}

// Len returns the number of stripes in b.
func (b *Block) Len() int {
	if len(b.Traces) == 0 {
		return len(b.AtNs)
	}
	return len(b.Traces[0].V)
}

// End returns the index one past the last stripe of b.
func (b *Block) End() uint64 { return b.First + uint64(b.Len()) }

// Trace returns the trace of a rail, or nil if the block has none.
func (b *Block) Trace(r Rail) *Trace {
	for i := range b.Traces {
		if b.Traces[i].Rail == r {
			return &b.Traces[i]
		}
	}
	return nil
}

// Arrival returns what alignment needs to know of b.
func (b *Block) Arrival() Arrival {
	return Arrival{First: b.First, N: uint64(b.Len()), Lost: b.Lost, ReadAtNs: b.ReadAtNs}
}

// Slice returns the stripes [i, j) of b, sharing its memory. What was lost
// stands before the first stripe only.
func (b *Block) Slice(i, j int) *Block {
	s := *b
	s.First += uint64(i)
	if i > 0 {
		s.Lost, s.Resync = 0, 0
	}
	if b.AtNs != nil {
		s.AtNs = b.AtNs[i:j]
	}
	s.Traces = make([]Trace, len(b.Traces))
	for k, t := range b.Traces {
		t.V, t.A = t.V[i:j], t.A[i:j]
		s.Traces[k] = t
	}
	return &s
}

// Clone returns a copy of b that shares nothing with it.
func (b *Block) Clone() *Block {
	c := *b
	c.AtNs = append([]int64(nil), b.AtNs...)
	c.Traces = make([]Trace, len(b.Traces))
	for i, t := range b.Traces {
		t.V = append([]int32(nil), t.V...)
		t.A = append([]int32(nil), t.A...)
		c.Traces[i] = t
	}
	return &c
}

// Volts returns stripe i in volts; ok is false where it is missing.
func (t *Trace) Volts(i int) (v units.Volts, ok bool) {
	return units.Volts(float64(t.V[i]) * t.LSBVolts), t.V[i] != Missing
}

// Amps returns stripe i in amperes, positive into the drive; ok is false where
// it is missing.
func (t *Trace) Amps(i int) (a units.Amps, ok bool) {
	return units.Amps(float64(t.A[i]) * t.LSBAmps), t.A[i] != Missing
}

// Watts returns the product of stripe i's volts and amperes; ok is false where
// either is missing.
func (t *Trace) Watts(i int) (w units.Watts, ok bool) {
	if t.V[i] == Missing || t.A[i] == Missing {
		return 0, false
	}
	return units.Watts(float64(int64(t.V[i])*int64(t.A[i])) * t.LSBWatts()), true
}

// LSBWatts returns the watts of one count of V times one count of A.
func (t *Trace) LSBWatts() float64 { return t.LSBVolts * t.LSBAmps }
