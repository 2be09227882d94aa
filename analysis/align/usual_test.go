package align

import (
	"math"
	"slices"

	"powerd/analysis/align/aligntest"
	"powerd/quarch"
)

// usual is what others do, on the very arrivals that a row of the matrix is made of:
// the first arrival and the nominal rate; the least of the last 60 arrivals a second
// apart, at the nominal rate; the line of the mean of all arrivals.
type usual struct {
	mod    aligntest.Module
	all    []cell // x: ns of nominal stream time, y: host time less x and the start
	sparse []cell // one a second
}

func (w *usual) add(a quarch.Arrival) {
	x := float64(a.First+a.N) * w.mod.PeriodNs
	c := cell{x: x, y: float64(a.ReadAtNs) - w.mod.StartNs - x}
	w.all = append(w.all, c)
	if x >= float64(len(w.sparse))*1e9 {
		w.sparse = append(w.sparse, c)
	}
}

// p95 returns the 95th percentile of the error of each of them, in ns.
func (w *usual) p95() (out [3]float64) {
	const window = 60
	mean, ok := ols(w.all, w.all[len(w.all)-1].x/2)
	var errs [3][]float64
	for i := min(window, len(w.sparse)/2); i < len(w.sparse); i++ {
		c := w.sparse[i]
		truth := w.mod.Truth(c.x/w.mod.PeriodNs) - w.mod.StartNs - c.x
		least := math.Inf(1)
		for _, s := range w.sparse[max(0, i-window+1) : i+1] {
			least = min(least, s.y)
		}
		errs[0] = append(errs[0], math.Abs(w.all[0].y-truth))
		errs[1] = append(errs[1], math.Abs(least-truth))
		if ok {
			errs[2] = append(errs[2], math.Abs(mean.at(c.x)-truth))
		}
	}
	for k := range errs {
		out[k] = math.NaN()
		if n := len(errs[k]); n > 0 {
			slices.Sort(errs[k])
			out[k] = errs[k][n*95/100]
		}
	}
	return out
}
