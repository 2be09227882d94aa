package idle

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// A drive draws 200 mA in the mean, with noise that it forgets in 50 ms, from 5 V with the
// same noise on it in mV. A perfect module's scatter over 20 s must hold the true mean
// current and voltage in some 95 of 100 cases (91 at least). Each of 200 modules is wrong
// by a gain and an offset of its own, anywhere within its specification: their ± over 2 s
// must hold the truth in at least 95 of 100, which it does not without the module's part.
func TestMeanCurrentAndVoltageAreWithinTheirBounds(t *testing.T) {
	const repeats, amps, volts = 200, 0.2, 5.0
	spec := accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}
	r := rand.New(rand.NewPCG(3, 4))
	anywhere := func(x float64) float64 { return (2*r.Float64() - 1) * x }
	type count struct{ amps, volts int }
	run := func(n int, spec, given accuracy.Spec) (held count) {
		for seed := range uint64(repeats) {
			gA, oA, gV, oV := anywhere(spec.GainPct/100), anywhere(spec.OffsetAmps), anywhere(spec.GainPct/100), anywhere(spec.OffsetVolts)
			x := newNoise(seed, 1, 2e-3, 1e-3)
			tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-5, LSBAmps: 1e-6}
			for range n {
				e := x.next()
				tr.A = append(tr.A, int32(math.Round(1e6*((amps+e)*(1+gA)+oA))))
				tr.V = append(tr.V, int32(math.Round(1e5*((volts+e)*(1+gV)+oV))))
			}
			f := analyze(t, 1e6, Options{Step: "idle", Accuracy: given}, int64(n)*1e6, &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{tr}}).Rails[quarch.Rail5V]
			if math.Abs(*f.MeanA-amps) <= *f.U95A {
				held.amps++
			}
			if math.Abs(*f.MeanV-volts) <= *f.U95V {
				held.volts++
			}
		}
		return held
	}
	perfect, real, blind := run(20_000, accuracy.Spec{}, accuracy.Spec{}), run(2000, spec, spec), run(2000, spec, accuracy.Spec{})
	t.Logf("of %d: scatter alone %+v, modules %+v, modules taken as perfect %+v", repeats, perfect, real, blind)
	if perfect.amps < 182 || perfect.volts < 182 || real.amps < 190 || real.volts < 190 {
		t.Errorf("± holds the truth too seldom: %+v, %+v of %d", perfect, real, repeats)
	}
	if blind.amps > 100 || blind.volts > 100 {
		t.Errorf("modules that are off show nothing of it: %+v", blind)
	}
}

// A zero of 8 ± 0.1 mA at 5 V is 40 ± 0.5 mW, in the table too.
func TestZeroHasItsOwn(t *testing.T) {
	b := atFiveVolts(4000, func(int) float64 { return 1 })
	r := analyze(t, 1e6, Options{Step: "idle", Zero: map[quarch.Rail]Zero{quarch.Rail5V: {Amps: 8e-3, U95Amps: 1e-4}}}, 4e9, b)
	near(t, "zero_u95_w", r.Rails[quarch.Rail5V].ZeroU95W, 0.5e-3, 1e-9)
	near(t, "of the total", r.Total.ZeroU95W, 0.5e-3, 1e-9)
	if c := Table([]*Result{r}).At(0, "zero_w"); math.Abs(c.Value-0.040) > 1e-9 || math.Abs(c.U95-0.5e-3) > 1e-9 {
		t.Errorf("zero_w in the table: %+v", c)
	}
}
