package inrush

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// flat returns a 5 V rail that is off for 5 ms, draws 0.1 A, and for the last 100 ms
// level amperes, in stripes of 64 µs; each has a value of noise on top.
func flat(level float64, noise func() float64) *quarch.Block {
	b := newBlock(0, 64_000)
	b.Traces = b.Traces[:1]
	t := &b.Traces[0]
	const off, low, high = 78, 3125, 1563 // 5, 200 and 100 ms
	for k := range off + low + high {
		v, a := 5000, 0.1
		switch {
		case k < off:
			v, a = 0, 0
		case k >= off+low:
			a = level
		}
		t.V = append(t.V, int32(v))
		t.A = append(t.A, int32(math.Round(1e6*(a+noise()))))
	}
	return b
}

// A mean over w stripes of independent noise scatters by σ/√w. Where each value keeps
// 0.9 of the one before (φ), long means scatter by √((1+φ)/(1−φ)) = 4.4 times that;
// blocks of some milliseconds, of 32 stripes of 64 µs and more, show most of it. A step from 0.1
// to 0.7 A in the middle does not count.
func TestScatterOfAMeanIsToldFromNeighbours(t *testing.T) {
	for _, tc := range []struct{ phi, least, most float64 }{{0, 0.9, 1.3}, {0.9, 3, 5.4}} {
		r, x := rand.New(rand.NewPCG(5, 5)), 0.0
		b := flat(0.7, func() float64 {
			x = tc.phi*x + math.Sqrt(1-tc.phi*tc.phi)*r.NormFloat64()
			return 4e-3 * x
		})
		a, err := New(clock{periodNs: 64_000}, analysis.Window{EndNs: int64(b.Len()) * 64_000}, Options{Step: "c"})
		if err != nil {
			t.Fatal(err)
		}
		a.Add(b)
		const stripes = 10e3 / 64 // of 10 ms
		got := a.rails[0].amps.noise.sigma(stripes) * 1e-6
		if ratio := got / (4e-3 / math.Sqrt(stripes)); ratio < tc.least || ratio > tc.most {
			t.Errorf("φ %g: a mean over 10 ms scatters %.2g times as independent values do, want %g to %g", tc.phi, ratio, tc.least, tc.most)
		}
	}
}

// Without noise and with a module of 1 % and 2 mA, ± is the module's alone:
// 2·(0.01·0.7 + 0.002)/√3 A = 10.4 mA, and of 5 V · 0.7 A with 1 mV more of the volts
// √((5·10.4 mA)² + (0.7·2·(0.05+0.001)/√3 V)²) = 66 mW.
func TestAPeakHasTheModulesAccuracy(t *testing.T) {
	b := flat(0.7, func() float64 { return 0 })
	o := Options{Step: "c", Accuracy: accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}}
	c := analyze(t, 64_000, o, 1e9, b)
	p := peak(t, c.Rails[quarch.Rail5V].Peaks, 10e3)
	near(t, "u95_a", p.U95A, 10.392e-3, 1e-6)
	near(t, "u95_w", p.U95W, math.Hypot(5*10.392e-3, 0.7*2*0.051/math.Sqrt(3)), 2e-6)
	near(t, "total u95_w", peak(t, c.Total.Peaks, 10e3).U95W, *p.U95W, 1e-9) // one rail only
}

// A drive that draws exactly its limit, by modules whose gain and offset are wrong by
// anything within their specification, with noise on top: neither "it keeps the limit"
// nor "it breaks it" may be said in more than 2.5 % of the cases, on any window. 400
// runs have a standard error of 0.8 %.
func TestAPeakAtTheLimitIsSeldomJudged(t *testing.T) {
	const runs, limit = 400, 0.7
	most := int(runs * (0.025 + 3*math.Sqrt(0.025*0.975/runs)))
	r := rand.New(rand.NewPCG(7, 1))
	spec := accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3}
	for name, sigma := range map[string]float64{"a quiet module": 1e-3, "a noisy module": 20e-3} {
		under, over := map[float64]int{}, map[float64]int{}
		for range runs {
			gain, offset := 1+0.01*(2*r.Float64()-1), 2e-3*(2*r.Float64()-1)
			b := flat(limit*gain+offset, func() float64 { return sigma * r.NormFloat64() })
			c := analyze(t, 64_000, Options{Step: "c", Accuracy: spec, WindowsUs: []float64{1e3, 10e3}}, 1e9, b)
			for _, p := range c.Rails[quarch.Rail5V].Peaks {
				if *p.Amps+*p.U95A <= limit {
					under[p.WindowUs]++
				}
				if *p.Amps-*p.U95A > limit {
					over[p.WindowUs]++
				}
			}
		}
		t.Logf("%s: of %d said to keep the limit %v, to break it %v (by window in µs)", name, runs, under, over)
		for _, us := range []float64{64, 1e3, 10e3} {
			if under[us] > most || over[us] > most {
				t.Errorf("%s, %g µs: %d said to keep it, %d to break it, at most %d each", name, us, under[us], over[us], most)
			}
		}
	}
}
