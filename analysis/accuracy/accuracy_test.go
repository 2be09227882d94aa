package accuracy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A module of 1 % and 2 mA, a drive that idles at 73.4 mA on 12 V and 420 mA on 5 V:
// u(I) = (0.01·73.4 + 2)/√3 = 1.58 mA and (0.01·420 + 2)/√3 = 3.58 mA, so 18.9 mW and
// 17.9 mW, and both rails together 2·√(18.9² + 17.9²) = 52 mW.
func TestIdleDriveOnATypicalModule(t *testing.T) {
	s := Spec{GainPct: 1, OffsetAmps: 2e-3}
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s: %.5g, want %.5g ± %.1g", what, got, want, within)
		}
	}
	near("U95 of 73.4 mA", s.U95Amps(0.0734), 2*1.58e-3, 1e-5)
	near("U95 of -73.4 mA", s.U95Amps(-0.0734), 2*1.58e-3, 1e-5)
	near("U95 of 420 mA", s.U95Amps(0.420), 2*3.58e-3, 1e-5)
	near("both rails", math.Hypot(12*s.U95Amps(0.0734), 5*s.U95Amps(0.420)), 52e-3, 5e-4)
	// With the voltage's own 1 %: u(V) = 0.12/√3 V on 12 V, so 0.0734 A · 69 mV = 5.1 mW more.
	near("12 V with its volts", s.U95Watts(12, 0.0734), 2*math.Hypot(18.93e-3, 5.09e-3), 1e-4)
}

func TestModuleWithoutError(t *testing.T) {
	if u := (Spec{}).U95Watts(12, 1); u != 0 {
		t.Errorf("U95 %g", u)
	}
}

// Of an HD or XLC module 1 %, 2 mA and 1 mV are known; any other is taken to be like
// them, and that is said.
func TestAssumedAccuracySaysWhereItComesFrom(t *testing.T) {
	for model, want := range map[string]string{
		"HD Programmable Power Module +Triggering":  "as modules of the HD family are verified to",
		"XLC Programmable Power Module +Triggering": "as modules of the XLC family are verified to",
		"Programmable Power Module":                 "as modules of the HD family are verified to; nothing is known of this one's",
	} {
		s, origin := Assumed(model)
		if s != (Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}) || origin != want {
			t.Errorf("%s: %+v, %s", model, s, origin)
		}
	}
}

// Ten thousand modules whose gains and offsets lie anywhere inside the limits read the
// same step from 5.00 V, 140 mA to 4.99 V, 1 mA: at least 95 % of what they say of the
// step is right within its ±, which the same offset in both makes smaller than that of
// either power.
func TestStepOfPowerIsWithinItsBounds(t *testing.T) {
	s := Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}
	const v1, a1, v2, a2, modules = 5.00, 0.140, 4.99, 0.001, 10_000
	u := s.U95WattsChange(v1, a1, v2, a2)
	if lone := s.U95Watts(v1, a1); u > lone {
		t.Errorf("± %g W of the step, ± %g W of the power before it", u, lone)
	}
	r := rand.New(rand.NewPCG(1, 2))
	anywhere := func(x float64) float64 { return (2*r.Float64() - 1) * x }
	inside := 0
	for range modules {
		gV, gA, oV, oA := anywhere(0.01), anywhere(0.01), anywhere(1e-3), anywhere(2e-3)
		reads := func(v, a float64) float64 { return (v*(1+gV) + oV) * (a*(1+gA) + oA) }
		if math.Abs(reads(v2, a2)-reads(v1, a1)-(v2*a2-v1*a1)) <= u {
			inside++
		}
	}
	if inside < modules*95/100 {
		t.Errorf("%d of %d inside ± %g W", inside, modules, u)
	}
}
