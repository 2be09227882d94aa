package efficiency

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A model gives the IOPS and watts of n steps of 10 ms.
type model struct {
	name       string
	make       func(r *rand.Rand, n int) (iops, watts []float64)
	iops, perW float64 // its long-run IOPS and IOPS/W
}

// garbage is a drive that collects garbage for 0.3 s in the mean, then does not for
// 1.2 s: IOPS fall from 42,000 to 21,000 and power rises from 5.5 to 7 W. A fifth of
// the time: 37,800 IOPS, 5.8 W.
func garbage(r *rand.Rand, n int) (iops, watts []float64) {
	busy := r.Float64() < 0.2
	for range n {
		x, w := 42_000.0, 5.5
		if busy {
			x, w = 21_000, 7
		}
		iops, watts = append(iops, x*(1+0.05*r.NormFloat64())), append(watts, w+0.05*r.NormFloat64())
		if turn := r.Float64(); busy && turn < 0.01/0.3 || !busy && turn < 0.01/1.2 {
			busy = !busy
		}
	}
	return iops, watts
}

// independent has no correlation in time, nor between IOPS and power.
func independent(r *rand.Rand, n int) (iops, watts []float64) {
	for range n {
		iops, watts = append(iops, 42_000*(1+0.1*r.NormFloat64())), append(watts, 6+0.1*r.NormFloat64())
	}
	return iops, watts
}

// persistent keeps what it deviates by for 0.25 s; power goes against IOPS.
func persistent(r *rand.Rand, n int) (iops, watts []float64) {
	phi := math.Exp(-0.01 / 0.25)
	fresh := math.Sqrt(1 - phi*phi)
	a, b := r.NormFloat64(), r.NormFloat64()
	for range n {
		a, b = phi*a+fresh*r.NormFloat64(), phi*b+fresh*r.NormFloat64()
		iops, watts = append(iops, 42_000*(1+0.1*a)), append(watts, 6*(1-0.05*a+0.03*b))
	}
	return iops, watts
}

// The joint interval of a window of a minute must hold the long-run ratio in 92 to
// 98 of 100 windows, however IOs and power scatter; that of the power alone does not.
func TestIntervalsHoldTheLongRunRatio(t *testing.T) {
	const windows, steps, perRow = 300, 6000, 50
	for _, m := range []model{
		{"bursts of garbage collection", garbage, 37_800, 37_800 / 5.8},
		{"independent", independent, 42_000, 7000},
		{"persistent", persistent, 42_000, 7000},
	} {
		t.Run(m.name, func(t *testing.T) {
			var ratios, rates, plain int
			for seed := range uint64(windows) {
				iops, watts := m.make(rand.New(rand.NewPCG(seed, 7)), steps)
				counts := make([]uint64, steps/perRow)
				for i, x := range iops {
					counts[i/perRow] += uint64(math.Round(0.01 * max(0, x)))
				}
				c := judged(t, rows(perRow*10e6, counts...), 10e6, 0, watts...)
				if c.U95Rel == nil || c.IOPSU95Rel == nil {
					t.Fatalf("withheld: %v", c.Withheld)
				}
				off := math.Abs(*c.IOPSPerW/m.perW - 1)
				if off <= *c.U95Rel {
					ratios++
				}
				if off <= *c.MeanU95W / *c.MeanW {
					plain++
				}
				if math.Abs(*c.IOPS/m.iops-1) <= *c.IOPSU95Rel {
					rates++
				}
			}
			t.Logf("of %d windows the ratios' interval holds %d, that of IOPS %d, the power's alone %d", windows, ratios, rates, plain)
			for what, held := range map[string]int{"IOPS/mW": ratios, "IOPS": rates} {
				if held < 276 || held > 294 { // 92 % and 98 %
					t.Errorf("the interval of %s holds the truth in %d of %d windows", what, held, windows)
				}
			}
			if plain > windows*3/4 {
				t.Errorf("that of the power alone holds it in %d: this load is no test", plain)
			}
		})
	}
}
