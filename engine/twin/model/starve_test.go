package model

import (
	"errors"
	"slices"
	"testing"
)

// A drive needs all its rails: the one with the lock-out at 3.9 V, the other at half of its
// nominal. At 5 s one of them is taken below that, at 7 s it comes back to nominal. In
// between IO fails and what flows is leakage, 4 mA at 5 V and 2 mA at 12 V in proportion to
// the volts. The start-up runs again from where both suffice: a ramp takes 100 ms for the
// nominal volts, readiness 3.2 s more.
func TestARailThatFailsStarvesTheDrive(t *testing.T) {
	for _, c := range []struct {
		name       string
		rail       string
		mv         int
		leakMA     [2]float64 // at 6 s
		readyAgain float64    // ms after 7 s
	}{
		{"5 V off", "5v", 0, [2]float64{0, 2}, 78 + 3200},
		{"3.3 V on the 5 V pins", "5v", 3300, [2]float64{4 * 3.3 / 5, 2}, 12 + 3200},
		{"12 V off", "12v", 0, [2]float64{4, 0}, 50 + 3200},
		{"5 V on the 12 V pins", "12v", 5000, [2]float64{4, 2 * 5 / 12.}, 8.33 + 3200},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := quiet(t, 0, 1, nil)
			d.SetRail(5*second, c.rail, c.mv)
			if _, err := d.Admit(5200*msNs, Request{Bytes: 4096}); !errors.Is(err, ErrNotReady) {
				t.Errorf("an IO of a starved drive: %v, want ErrNotReady", err)
			}
			_, a := fill(d, 6*second, msNs, 1)
			for rail, want := range c.leakMA {
				near(t, "leakage, mA", float64(a[rail][0])/1e3, want, 0.01)
			}
			nominal := map[string]int{"5v": 5000, "12v": 12_000}[c.rail]
			d.SetRail(7*second, c.rail, nominal)
			_, a = fill(d, 7*second, msNs, 3500)
			if peak := slices.Max(a[0]); peak < 1_000_000 {
				t.Errorf("5 V peak of the second start %d µA, want above 1 A as in the first", peak)
			}
			readyNs := 7*second + int64(c.readyAgain*msNs)
			if d.Ready(readyNs-msNs) || !d.Ready(readyNs+msNs) {
				t.Errorf("not ready again at %.2f ms ± 1", c.readyAgain)
			}
		})
	}
}

// A twin file may say another least voltage of the rail without the lock-out.
func TestLeastVoltsOfTheOtherRail(t *testing.T) {
	d := quiet(t, 0, 1, func(c *Config) { c.LockOut.OtherVolts = 9 })
	d.SetRail(5*second, "12v", 8900)
	d.SetRail(6*second, "12v", 9100)
	for at, ready := range map[int64]bool{4900: true, 5500: false, 9100: false, 9300: true} { // 6 s + 3.2 s
		if d.Ready(at*msNs) != ready {
			t.Errorf("%d ms: ready is %v", at, !ready)
		}
	}
}

// Both rails are taken away and come back one after the other: the second one counts.
func TestRailsThatComeBackOneAfterTheOther(t *testing.T) {
	d := quiet(t, 0, 1, nil)
	d.SetRail(5*second, "5v", 0)
	d.SetRail(5*second, "12v", 0)
	d.SetRail(6*second, "5v", 5000)
	if _, a := fill(d, 8*second, msNs, 1); a[0][0] > 5000 { // leakage alone
		t.Errorf("%d µA from 5 V while there are no 12 V", a[0][0])
	}
	d.SetRail(10*second, "12v", 12_000)
	for at, ready := range map[int64]bool{9500: false, 13_240: false, 13_260: true} { // 10 s + 50 ms + 3.2 s
		if d.Ready(at*msNs) != ready {
			t.Errorf("%d ms: ready is %v", at, !ready)
		}
	}
}

// The drive is ready 78 ms + 3.2 s after its power came on, at 3.278 s. A window that ends
// before knows when that will be, and no energy to it; a drive that loses its power before
// is never ready.
func TestStartUpsThatEndBeforeReadiness(t *testing.T) {
	for _, c := range []struct {
		endNs, offNs    int64
		ready, measured bool
	}{
		{endNs: 2 * second, ready: true},
		{endNs: 4 * second, ready: true, measured: true},
		{endNs: 4 * second, offNs: 2 * second},
		{endNs: 4 * second, offNs: 3500 * msNs, ready: true, measured: true},
	} {
		d := quiet(t, 0, 1, nil)
		if c.offNs != 0 {
			d.SetPower(c.offNs, false)
		}
		all := d.Inrushes(InrushSpec{ToNs: c.endNs})
		if len(all) != 1 {
			t.Fatalf("%+v: %d start-ups", c, len(all))
		}
		if got := all[0]; (got.ReadyS > 0) != c.ready || (got.EnergyToReadyJ > 0) != c.measured {
			t.Errorf("%+v: ready at %g s, %g J to there", c, got.ReadyS, got.EnergyToReadyJ)
		}
	}
}
