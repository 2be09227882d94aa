package live

import (
	"math"

	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// Row returns a rail's part of a summary as stores take it.
func Row(endNs int64, step string, s *quarch.RailSummary) store.Rail100ms {
	return store.Rail100ms{
		EndNs: endNs, Rail: string(s.Rail), Step: step, N: int64(s.W.N), Lost: int64(s.Missing),
		V: stats(&s.V, s.LSBVolts), A: stats(&s.A, s.LSBAmps), W: stats(&s.W, s.LSBVolts*s.LSBAmps),
	}
}

func stats(s *quarch.Stat, lsb float64) store.Stats {
	if s.N == 0 {
		nan := math.NaN()
		return store.Stats{Min: nan, Mean: nan, Max: nan, Std: nan}
	}
	return store.Stats{Min: float64(s.Min) * lsb, Mean: s.Mean() * lsb, Max: float64(s.Max) * lsb, Std: s.Std() * lsb}
}
