package align

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"powerd/quarch"
)

// Six stripes of 4 µs around the number at which a counter of 10, 16 or 32 bits begins again
// with 0: 4 h 46 min after the start, for 32. From the first to the last it is 20 µs, each
// step is 4 µs, and no stripe is before the one that was sampled earlier. Elsewhere the time
// fell by 2147 s there. A module of the same age counts on its own in 32 bits; blocks carry
// the number of all stripes since the stream began, which ends in 2.3 million years.
func TestTimeRunsOnWhereCountersBeginAgain(t *testing.T) {
	for _, bits := range []int{10, 16, 32} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			const periodNs, blockStripes, startNs = 4_000, 250, int64(5e12)
			wrap := uint64(1) << bits
			var arrivals []quarch.Arrival
			from := uint64(0)
			if wrap > 60e9/periodNs { // two minutes of it, with the wrap in their middle
				from = wrap - 60e9/periodNs - 3
			}
			for first := from; first < wrap+60e9/periodNs; first += blockStripes {
				arrivals = append(arrivals, quarch.Arrival{
					First: first, N: blockStripes, ReadAtNs: startNs + int64(first+blockStripes)*periodNs + 100e3 + int64(first/blockStripes%7)*20e3,
				})
			}
			m := Solve(Options{PeriodNs: periodNs, LeastDelayNs: 250e3}, slices.Values(arrivals))
			if m.Status != StatusOK {
				t.Fatalf("status %s: %s", m.Status, m.Reason)
			}
			ticks := []uint64{wrap - 3, wrap - 2, wrap - 1, wrap, wrap + 1, wrap + 2}
			var at []float64
			for _, k := range ticks {
				ns, u := m.TimeOf(float64(k))
				if off := math.Abs(ns - float64(startNs) - float64(k)*periodNs); off > u {
					t.Errorf("stripe %d is %.1f µs off, ± %.1f", k, off*1e-3, u*1e-3)
				}
				if back := m.IndexAt(ns); math.Abs(back-float64(k)) > 0.01 {
					t.Errorf("stripe %d is found again as %.3f", k, back)
				}
				at = append(at, ns)
			}
			for i := 1; i < len(at); i++ {
				if step := at[i] - at[i-1]; math.Abs(step-periodNs) > 10 {
					t.Errorf("from stripe %d to the next it is %.1f ns, want 4000", ticks[i-1], step)
				}
			}
			if all := at[5] - at[0]; math.Abs(all-20e3) > 20 {
				t.Errorf("%.1f ns from the first to the last, want 20 µs", all)
			}
		})
	}
}
