package align_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"powerd/analysis/align"
	"powerd/engine"
)

// load is a minute of IOs in intervals, and the power that follows them 3.210 ms later.
func load(on func(r *rand.Rand) func(ns float64) bool, binNs float64) (*align.Energy, []engine.Interval) {
	const lateNs, periodNs, startNs, lengthNs = 3.21e6, 256e3, 5e12, 60e9
	r := rand.New(rand.NewPCG(3, 1))
	is := on(r)
	const fine = 10e3 // the load is told to 10 µs
	busy := make([]float64, int(lengthNs/fine)+1)
	for i := range busy[:len(busy)-1] {
		busy[i+1] = busy[i]
		if is(float64(i) * fine) {
			busy[i+1] += fine
		}
	}
	between := func(from, to float64) float64 { // share of [from, to) with IO
		at := func(ns float64) float64 { return busy[int(min(max(ns/fine, 0), float64(len(busy)-1)))] }
		return (at(to) - at(from)) / (to - from)
	}
	var watts []float64
	for x := 0.0; x < lengthNs; x += periodNs {
		watts = append(watts, 3+3*between(x-lateNs, x+periodNs-lateNs)+0.06*r.NormFloat64())
	}
	var out []engine.Interval
	for x := 0.0; x+binNs <= lengthNs; x += binNs {
		out = append(out, engine.Interval{
			StartNs: int64(startNs + x), EndNs: int64(startNs + x + binNs), Reads: uint64(100 * binNs / 1e6 * between(x, x+binNs)),
		})
	}
	return align.NewEnergy(startNs, periodNs, watts), out
}

// random is on and off for 20 to 200 ms each.
func random(r *rand.Rand) func(float64) bool {
	var next float64
	on := false
	return func(ns float64) bool {
		if ns >= next {
			on, next = !on, ns+20e6+180e6*r.Float64()
		}
		return on
	}
}

// A train of bursts is found to some tens of µs by intervals of 10 ms, and to some
// hundreds by those of 100 ms.
func TestCorrelateFindsTheOffset(t *testing.T) {
	for binMs, withinUs := range map[float64]float64{10: 40, 100: 400} {
		e, intervals := load(random, binMs*1e6)
		o, err := align.Correlate(e, intervals, 500e6)
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(o.Ns - 3.21e6); off > o.U95Ns || off > withinUs*1e3 || o.U95Ns > 10*withinUs*1e3 {
			t.Errorf("%g ms: %.1f ± %.1f us, is 3210", binMs, o.Ns*1e-3, o.U95Ns*1e-3)
		}
	}
}

// What fits at several places, or nowhere, is refused.
func TestCorrelateRefuses(t *testing.T) {
	regular := func(*rand.Rand) func(float64) bool {
		return func(ns float64) bool { return math.Mod(ns, 200e6) < 100e6 }
	}
	always := func(*rand.Rand) func(float64) bool { return func(float64) bool { return true } }
	for name, on := range map[string]func(*rand.Rand) func(float64) bool{"a load that repeats itself": regular, "a load without a change": always} {
		e, intervals := load(on, 10e6)
		if o, err := align.Correlate(e, intervals, 500e6); !errors.Is(err, align.ErrNotUnique) {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	_, intervals := load(random, 10e6)
	other, _ := load(always, 10e6)
	if o, err := align.Correlate(other, intervals, 500e6); !errors.Is(err, align.ErrNotUnique) {
		t.Errorf("another drive's power: %+v, %v", o, err)
	}
	e, _ := load(random, 10e6)
	if _, err := align.Correlate(e, intervals[:10], 500e6); !errors.Is(err, align.ErrNotUnique) {
		t.Error("ten intervals tell nothing")
	}
}
