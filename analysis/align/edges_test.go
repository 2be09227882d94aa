package align_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/align"
)

// A step of 3 W in a noise of 0.5 W per 4 µs. Averaged over a stripe the noise falls with
// the root of its length, so a share of a stripe is known to T · 0.5 W/√(T/4 µs)/3 W:
// 10.7 µs at 1024 µs, 5.3 at 256, 2.7 at 64. Some more is lost to the means.
func TestEdgeWithinAStripe(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ periodUs, sigmaW, withinUs float64 }{
		{1024, 0.5, 15}, {256, 0.5, 6.6}, {64, 0.5, 3.2}, {1024, 1.5, 38},
	} {
		var ss, in float64
		const n = 400
		for range n {
			at := 24 + r.Float64() // where the step is, in stripes
			watts := make([]float64, 49)
			for i := range watts {
				after := min(max(float64(i)+1-at, 0), 1)
				watts[i] = 3 + 3*after + c.sigmaW*math.Sqrt(4/c.periodUs)*r.NormFloat64()
			}
			e, err := align.FindEdge(watts, 1000, c.periodUs*1e3)
			if err != nil {
				t.Fatal(err)
			}
			off := (e.Stripe - 1000 - at) * c.periodUs * 1e3
			ss += off * off
			if math.Abs(off) <= e.UNs {
				in++
			}
			if math.Abs(e.StepW-3) > 0.5 {
				t.Errorf("step %.2f W, is 3", e.StepW)
			}
		}
		if got := math.Sqrt(ss/n) * 1e-3; got > c.withinUs {
			t.Errorf("T = %g us, %g W: off by %.1f us, may be %.1f", c.periodUs, c.sigmaW, got, c.withinUs)
		}
		if in/n < 0.93 {
			t.Errorf("T = %g us: inside U95 in %.0f %%", c.periodUs, 100*in/n)
		}
	}
}

// What is no edge is refused: noise, a flat line, a stripe that did not arrive.
func TestNoEdge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise, flat, gap := make([]float64, 49), make([]float64, 49), make([]float64, 49)
	for i := range noise {
		noise[i] = 3 + 0.1*r.NormFloat64()
		gap[i] = float64(i / 24)
	}
	gap[30] = math.NaN()
	for name, watts := range map[string][]float64{"noise": noise, "flat": flat, "gap": gap, "too few": flat[:5], "none": nil} {
		if e, err := align.FindEdge(watts, 0, 64e3); !errors.Is(err, align.ErrNoEdge) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}
