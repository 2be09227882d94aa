package inrush

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// A drive is powered up by 200 modules, each of them off by a gain and an offset of its
// own in volts and in amperes, anywhere within its specification, with noise on top. The
// truth is that of a module without error: 200 ms at 0.1 A and 95 ms at 0.7 A from a
// supply of 5 V behind 0.1 Ω, 86.5 mC, 0.2·0.1² + 0.095·0.7² = 48.55 mA²s, 0.428 J, and a
// droop of 70 mV. Each ± must hold
// it in at least 95 of 100 cases; one that leaves the module out must not.
func TestSumsOfAPowerUpAreWithinTheirBounds(t *testing.T) {
	const repeats, periodNs, ohms = 200, 64_000, 0.1
	spec := accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}
	r := rand.New(rand.NewPCG(9, 2))
	up := func(gV, oV, gA, oA, noise float64, given accuracy.Spec) *Rail {
		b := flat(0.7, func() float64 { return 0 })
		tr := &b.Traces[0]
		for k := range tr.V {
			amps := float64(tr.A[k]) * 1e-6
			volts := max(0, float64(tr.V[k])*1e-3-ohms*amps)
			if tr.V[k] == 0 {
				continue // off: its module reads nought
			}
			tr.LSBVolts = 1e-6
			tr.V[k] = int32(math.Round(1e6 * (volts*(1+gV) + oV + noise*0.1*r.NormFloat64())))
			tr.A[k] = int32(math.Round(1e6 * (amps*(1+gA) + oA + noise*r.NormFloat64())))
		}
		return analyze(t, periodNs, Options{Step: "c", Accuracy: given}, 300e6, b).Rails[quarch.Rail5V]
	}
	truth := up(0, 0, 0, 0, 0, accuracy.Spec{})
	near(t, "droop", truth.DroopV, 0.07, 0.002)
	near(t, "charge", truth.ChargeC, 0.2*0.1+0.095*0.7, 0.001)
	near(t, "I²t", truth.I2tA2s, 0.2*0.1*0.1+0.095*0.7*0.7, 0.0005)
	near(t, "energy", truth.EnergyJ, 0.428, 0.002)
	anywhere := func(x float64) float64 { return (2*r.Float64() - 1) * x }
	count := func(given accuracy.Spec) (charge, heat, energy, droop int) {
		for range repeats {
			got := up(anywhere(0.01), anywhere(1e-3), anywhere(0.01), anywhere(2e-3), 2e-3, given)
			for _, c := range []struct {
				x, u, want *float64
				held       *int
			}{{got.ChargeC, got.ChargeU95C, truth.ChargeC, &charge}, {got.I2tA2s, got.I2tU95A2s, truth.I2tA2s, &heat}, {got.EnergyJ, got.EnergyU95J, truth.EnergyJ, &energy}, {got.DroopV, got.DroopU95V, truth.DroopV, &droop}} {
				if math.Abs(*c.x-*c.want) <= *c.u {
					*c.held++
				}
			}
		}
		return charge, heat, energy, droop
	}
	charge, heat, energy, droop := count(spec)
	blindCharge, blindHeat, blindEnergy, _ := count(accuracy.Spec{})
	t.Logf("of %d: charge %d, I²t %d, energy %d, droop %d; without the module's part %d, %d, %d", repeats, charge, heat, energy, droop, blindCharge, blindHeat, blindEnergy)
	if least := repeats * 95 / 100; charge < least || heat < least || energy < least || droop < least {
		t.Errorf("± holds the truth too seldom")
	}
	if blindCharge > repeats/2 || blindHeat > repeats/2 || blindEnergy > repeats/2 {
		t.Errorf("modules that are off show nothing of it")
	}
}

// A backplane switches 12 V on 20 ms after 5 V: stripes of 64 µs that begin 78·64 µs =
// 4.992 ms after the window show 5 V, and those from 390·64 µs = 24.96 ms on 12 V. Times
// count from the first rail, so 5 V rises at 0 and 12 V after 312·64 µs = 19.968 ms, to a
// stripe. A rail that stays off has no time, and it says so.
func TestARailThatComesLater(t *testing.T) {
	const periodNs, from5V, from12V = 64_000, 78, 390
	late := func(from12V int) *Cycle {
		b := newBlock(0, periodNs)
		for k := range 1000 {
			for i, on := range []bool{k >= from5V, k >= from12V} {
				v, tr := int32(0), &b.Traces[i]
				if on {
					v = int32(1e3 * tr.Rail.NominalVolts())
				}
				tr.V, tr.A = append(tr.V, v), append(tr.A, 0)
			}
		}
		return analyze(t, periodNs, Options{Step: "c", WindowsUs: []float64{}}, 64e6, b)
	}
	c := late(from12V)
	near(t, "5 V", c.Rails[quarch.Rail5V].RiseS, 0, 1e-9)
	near(t, "12 V", c.Rails[quarch.Rail12V].RiseS, 0.019968, 1e-9)
	near(t, "its ±", c.Rails[quarch.Rail12V].RiseU95S, 64e-6, 1e-9)
	c = late(1000)
	if got := why(c, "inrush.c.rails.12v.rise_s"); c.Rails[quarch.Rail12V].RiseS != nil || got != "the rail stayed off" {
		t.Errorf("a rail that stays off: %v, %q", c.Rails[quarch.Rail12V].RiseS, got)
	}
}
