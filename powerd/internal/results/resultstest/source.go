package resultstest

import (
	"cmp"
	"math"

	"powerd/quarch"
)

// Reading is what one rail carries: millivolts and microamperes.
type Reading [2]int32

// Source is a stream of a module with known truth. Its stripe k begins at
// FromS + k·PeriodNs·(1 + PPM·1e-6) of the host.
type Source struct {
	FromS, ToS float64
	PeriodNs   int64 // 0 = a polled link, read every PollNs
	PollNs     int64
	PPM        float64
	SentS      float64 // when the stream was asked for; 0 = 50 µs before FromS
	DelayNs    int64   // from the end of a block to its read; 0 = 50 µs
	Rails      []quarch.Rail
	LSBAmps    float64                   // of a reading's amperes; 0 = 1 µA
	Draw       func(s float64) []Reading // what the rails carry at a second of the run
	Lost       [2]uint64                 // stripes [from, to) that never came
	StolenAtS  float64                   // when StolenS seconds of stripes vanish, and nothing tells of it
	StolenS    float64
	EndReason  string // empty = it never ended
}

// blocks makes the stream's blocks: of 10 ms, or one a reading.
func (s Source) blocks() []*quarch.Block {
	period := float64(s.PeriodNs) * (1 + s.PPM*1e-6)
	size := uint64(max(1, 10_000_000/max(1, s.PeriodNs)))
	if s.PeriodNs == 0 {
		period, size = float64(s.PollNs), 1
	}
	total := uint64(math.Round((s.ToS - s.FromS) * 1e9 / period))
	var out []*quarch.Block
	for k := uint64(0); k < total; {
		if k == s.Lost[0] && s.Lost[1] > 0 {
			k = s.Lost[1]
		}
		n := min(size, total-k)
		if k < s.Lost[0] {
			n = min(n, s.Lost[0]-k)
		}
		b := &quarch.Block{First: k, PeriodNs: s.PeriodNs}
		if s.Lost[1] > 0 && k == s.Lost[1] {
			b.Lost = s.Lost[1] - s.Lost[0]
		}
		s.fill(b, n, period)
		out = append(out, b)
		k += n
	}
	return out
}

// fill samples n stripes of b in their middle.
func (s Source) fill(b *quarch.Block, n uint64, period float64) {
	for _, rail := range s.Rails {
		b.Traces = append(b.Traces, quarch.Trace{Rail: rail, LSBVolts: 1e-3, LSBAmps: cmp.Or(s.LSBAmps, 1e-6)})
	}
	for i := range n {
		at := s.FromS + (float64(b.First+i)+0.5)*period*1e-9
		for k, x := range s.Draw(at) {
			t := &b.Traces[k]
			t.V, t.A = append(t.V, x[0]), append(t.A, x[1])
		}
		if b.PeriodNs == 0 {
			b.AtNs = append(b.AtNs, Host(at))
		}
	}
	end := s.FromS + float64(b.End())*period*1e-9
	if end > s.StolenAtS {
		end += s.StolenS
	}
	b.ReadAtNs = Host(end) + s.DelayNs
}

// Steady draws the same all the time.
func Steady(r ...Reading) func(float64) []Reading {
	return func(float64) []Reading { return r }
}

// Idle draws 5 V · 0.5 A + 12 V · 0.25 A = 2.5 W + 3.0 W all the time.
func Idle(float64) []Reading { return []Reading{{5000, 500_000}, {12_000, 250_000}} }
