package twinfile

import (
	"testing"

	"powerd/engine/twin/model"
)

// The drive that is half as hungry does the same IO at the same times as the published one
// and draws half as much: idle, at power-up, and while it writes 4 KiB at random over its
// cliff into the steady state. What is no exact half is droop, which half a current has
// half of: 42 mV of 5 V in the worst case, so that watts under load are at most 0.5 % off.
func TestHalfAsHungry(t *testing.T) {
	small := func(c *model.Config) { c.CapacityBytes = 64 << 20 }
	full, half := drive(t, "seagate-1200-400", small), drive(t, "seagate-1200-400-half", small)
	five, twelve, all := half.IdleMeans()
	near(t, "idle, 5 V", five, 1.050, 1e-6)
	near(t, "idle, 12 V", twelve, 0.4405, 1e-6)
	near(t, "idle", all, 1.4905, 1e-6)
	a5, a12 := amps(half, 0, 100_000, 40_000)
	peak5, _ := most(a5)
	peak12, _ := most(a12)
	b5, b12 := amps(full, 0, 100_000, 40_000)
	full5, _ := most(b5)
	full12, _ := most(b12)
	near(t, "peak on 5 V over that of the full one", peak5/full5, 0.5, 2e-3)
	near(t, "peak on 12 V over that of the full one", peak12/full12, 0.5, 2e-3)

	at := 10 * second
	for n := range int64(60_000) { // 3.66 capacities
		r := model.Request{Write: true, OffsetBytes: n * 7919 % 16_381 * 4096, Bytes: 4096}
		x, err := full.Admit(at, r)
		if err != nil {
			t.Fatal(err)
		}
		y, err := half.Admit(at, r)
		if err != nil {
			t.Fatal(err)
		}
		if x.DueNs != y.DueNs {
			t.Fatalf("write %d is done at %d and at %d", n, x.DueNs, y.DueNs)
		}
		full.Done(x, x.DueNs)
		half.Done(y, y.DueNs)
		at = max(at+9090, x.DueNs-300_000)
	}
	for _, w := range []struct {
		what     string
		from, to int64
	}{{"fresh", 10*second + 20*ms, 10*second + 120*ms}, {"over the cliff", at - 500*ms, at - 100*ms}, {"all of it", 10 * second, at}} {
		a, b := full.Truth(w.from, w.to), half.Truth(w.from, w.to)
		near(t, w.what+", watts over those of the full one", b.MeanW/a.MeanW, 0.5, 0.0025)
	}
}
