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
// supply of 5 V behind 0.1 Ω, 86.5 mC, 0.428 J, and a droop of 70 mV. Each ± must hold
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
	near(t, "energy", truth.EnergyJ, 0.428, 0.002)
	anywhere := func(x float64) float64 { return (2*r.Float64() - 1) * x }
	count := func(given accuracy.Spec) (charge, energy, droop int) {
		for range repeats {
			got := up(anywhere(0.01), anywhere(1e-3), anywhere(0.01), anywhere(2e-3), 2e-3, given)
			for _, c := range []struct {
				x, u, want *float64
				held       *int
			}{{got.ChargeC, got.ChargeU95C, truth.ChargeC, &charge}, {got.EnergyJ, got.EnergyU95J, truth.EnergyJ, &energy}, {got.DroopV, got.DroopU95V, truth.DroopV, &droop}} {
				if math.Abs(*c.x-*c.want) <= *c.u {
					*c.held++
				}
			}
		}
		return charge, energy, droop
	}
	charge, energy, droop := count(spec)
	blindCharge, blindEnergy, _ := count(accuracy.Spec{})
	t.Logf("of %d: charge %d, energy %d, droop %d; without the module's part %d, %d", repeats, charge, energy, droop, blindCharge, blindEnergy)
	if least := repeats * 95 / 100; charge < least || energy < least || droop < least {
		t.Errorf("± holds the truth too seldom")
	}
	if blindCharge > repeats/2 || blindEnergy > repeats/2 {
		t.Errorf("modules that are off show nothing of it")
	}
}
