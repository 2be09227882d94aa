package model

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// cellJoules sums V·I of the cells that make up [fromNs, toNs), as Fill reads
// them.
func cellJoules(d *Drive, fromNs, toNs int64) float64 {
	w := d.wave(d.past.Load())
	d.cells.forget()
	sum := 0.0
	for c := cellAt(fromNs); c < cellAt(toNs); c++ {
		p, _ := d.cell(&w, c)
		sum += (p.watts(on5V) + p.watts(on12V)) * cellNs * 1e-9
	}
	return sum
}

func TestTruthIsTheSumOfTheWaveform(t *testing.T) {
	// The truth comes in closed form and from the ledger, the samples from the
	// waveform: both must have the same joules, whatever happens in the window.
	events := map[string]func(d *Drive){
		"start-up": func(*Drive) {},
		"io":       func(d *Drive) { load(d, 4*second, 5*second, 60_000, true) },
		"io at the edge of ready, then off and on": func(d *Drive) {
			load(d, 3300*msNs, 4200*msNs, 27_500, false)
			d.SetPower(4200*msNs+3, false)
			load(d, 4200*msNs, 4210*msNs, 27_500, false) // reported after the drive is dead
			d.SetPower(4500*msNs, true)
		},
		"margins": func(d *Drive) {
			d.SetRail(3500*msNs, "5v", 4750)
			d.SetRail(3500*msNs, "12v", 12600)
			load(d, 4*second, 5*second, 20_000, true)
			d.SetRail(4800*msNs, "5v", 3700) // below the lock-out
			d.SetRail(4900*msNs, "5v", 5000)
		},
		"off while IO is in flight": func(d *Drive) {
			load(d, 4*second, 4500*msNs, 110_000, true)
			d.SetPower(4500*msNs, false)
		},
	}
	for name, do := range events {
		t.Run(name, func(t *testing.T) {
			d := quiet(t, 777_777, 1, nil)
			do(d)
			for _, w := range [][2]int64{{0, 1000}, {3000, 4000}, {4100, 4300}, {4495, 4505}, {4000, 5200}} {
				want := cellJoules(d, w[0]*msNs, w[1]*msNs)
				got := d.Truth(w[0]*msNs, w[1]*msNs).EnergyJ
				near(t, fmt.Sprintf("joules in %v ms", w), got, want, 1e-5*want+1e-12)
			}
		})
	}
}

func TestTruthIsTheSumOfSamples(t *testing.T) {
	// The same through Fill in whole counts, with noise: rounding is no bias
	// where noise spreads it. One second of 4 µs samples; the noise of the sum is
	// 2 W/√250 000 · (4 mA/0.4 A) and smaller for volts.
	c := Seagate1200(4)
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	load(d, 4*second, 5500*msNs, 27_500, true)
	v, a := fill(d, 4*second, 4000, 250_000)
	var nW int64
	for rail := range v {
		for k := range v[rail] {
			nW += int64(v[rail][k]) * int64(a[rail][k])
		}
	}
	want := d.Truth(4*second, 5*second).EnergyJ
	near(t, "joules", float64(nW)*4e-15, want, 5*2e-2/500)
}

func TestAveragingIsTheMeanOfSamples(t *testing.T) {
	// A stripe over N samples is their mean, up to one count of rounding.
	d := quiet(t, 0, 1, nil)
	load(d, 4*second, 4400*msNs, 100_000, true)
	for _, start := range []int64{70 * msNs, 376*msNs + 1234, 4*second + 7} {
		v, a := fill(d, start, 4000, 1<<15)
		for _, n := range []int{2, 16, 256, 1 << 15} {
			vn, an := fill(d, start, int64(n)*4000, (1<<15)/n)
			for rail := range v {
				for k := range vn[rail] {
					var sv, sa int64
					for i := k * n; i < (k+1)*n; i++ {
						sv += int64(v[rail][i])
						sa += int64(a[rail][i])
					}
					near(t, "mV", float64(vn[rail][k]), float64(sv)/float64(n), 1)
					near(t, "µA", float64(an[rail][k]), float64(sa)/float64(n), 1)
				}
			}
		}
	}
}

func TestWindowsAddUp(t *testing.T) {
	// Any cut of a window gives parts whose joules add up to it.
	d := quiet(t, 123_456, 1, nil)
	load(d, 4*second, 6*second, 5000, true)
	d.SetPower(7*second, false)
	rapid.Check(t, func(r *rapid.T) {
		a := rapid.Int64Range(0, 8*second).Draw(r, "a")
		b := rapid.Int64Range(a, 8*second).Draw(r, "b")
		m := rapid.Int64Range(a, b).Draw(r, "m")
		all, one, two := d.Truth(a, b), d.Truth(a, m), d.Truth(m, b)
		if diff := all.EnergyJ - one.EnergyJ - two.EnergyJ; diff > 1e-9 || diff < -1e-9 {
			r.Fatalf("joules differ by %g", diff)
		}
		off := int64(one.IOs) + int64(two.IOs) - int64(all.IOs)
		if limit := int64(all.EdgeIOs + one.EdgeIOs + two.EdgeIOs); max(off, -off) > limit {
			r.Fatalf("IOs differ by %d, at most %d are uncertain", off, limit)
		}
	})
}

func TestCountsAreExactAwayFromIO(t *testing.T) {
	// A window that begins before the first IO and ends behind the last has them
	// all, although both edges stand inside a millisecond that had IO.
	d := quiet(t, 0, 1, nil)
	rnd := rand.New(rand.NewPCG(1, 2))
	first, last := 5*second+123_457, int64(0)
	reads, writes, bytes := 0, 0, 0
	for at := first; at < 6*second; at += 1 + rnd.Int64N(50_000) {
		write, size := rnd.IntN(3) > 0, 4096<<rnd.IntN(6)
		d.IO(at-100_000, at, write, size)
		last, bytes = at, bytes+size
		if write {
			writes++
		} else {
			reads++
		}
	}
	got := d.Truth(first-10, last+1)
	if got.Reads != uint64(reads) || got.Writes != uint64(writes) || got.Bytes != uint64(bytes) || got.EdgeIOs != 0 {
		t.Errorf("got %+v, want %d reads, %d writes, %d bytes", got, reads, writes, bytes)
	}
	if got.FirstIONs != first || got.LastIONs != last {
		t.Errorf("got IO from %d to %d, want %d to %d", got.FirstIONs, got.LastIONs, first, last)
	}
	if one := d.Truth(first-10, last); one.IOs != got.IOs && one.EdgeIOs == 0 {
		t.Errorf("a window that ends before the last IO claims to be exact: %+v", one)
	}
}

func TestSamplesOnceGivenStay(t *testing.T) {
	// An IO that is reported after its time was sampled draws its joules later:
	// the samples stay, and nothing is lost.
	d := quiet(t, 0, 1, nil)
	before, _ := fill(d, 5*second, 4000, 2500)
	idle := d.Truth(5*second, 5100*msNs).EnergyJ
	d.IO(5*second, 5*second+100_000, true, 4096)
	after, _ := fill(d, 5*second, 4000, 2500)
	for k := range before[0] {
		if before[0][k] != after[0][k] {
			t.Fatalf("stripe %d changed", k)
		}
	}
	got := d.Truth(5*second, 5100*msNs)
	near(t, "joules of the IO, µJ", (got.EnergyJ-idle)*1e6, 31.15, 1e-3)
	near(t, "joules in the waveform", cellJoules(d, 5*second, 5100*msNs), got.EnergyJ, 1e-8)
	if n := d.Truth(5*second, 5001*msNs).IOs; n != 1 {
		t.Errorf("the IO belongs to its completion; got %d there", n)
	}
}

func TestWorkOlderThanTheRing(t *testing.T) {
	// A reader that lags by seconds gets the mean of each millisecond: other
	// wiggles, the same joules.
	d := quiet(t, 0, 1, nil)
	load(d, 4*second, 8*second, 50_000, true)
	near(t, "joules", cellJoules(d, 4*second, 5*second), d.Truth(4*second, 5*second).EnergyJ, 1e-4)
}

func TestPowerOff(t *testing.T) {
	// Off means no current and soon no volts; what is left is the instrument's
	// noise, which may be negative. The drive starts again from the next power-on.
	c := Seagate1200(1)
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	d.SetPower(6*second, false)
	v, a := fill(d, 6*second+10*msNs, 4000, 50_000)
	negative := false
	for rail := range v {
		for k := range v[rail] {
			if v[rail][k] > 20 || v[rail][k] < -20 || a[rail][k] > 20_000 || a[rail][k] < -20_000 {
				t.Fatalf("stripe %d of rail %d: %d mV, %d µA without power", k, rail, v[rail][k], a[rail][k])
			}
			negative = negative || a[rail][k] < 0
		}
	}
	if !negative {
		t.Error("no negative sample: the noise was cut")
	}
	near(t, "joules without power", d.Truth(6*second+10*msNs, 7*second).EnergyJ, 0, 1e-12)
	d.SetPower(8*second, true)
	_, a = fill(d, 8*second, 4000, 250_000)
	raw, at := moving(a[0], 1)
	near(t, "raw peak of the second start, mA", raw/1e3, 1060, 6)
	near(t, "its time, ms", at*4e-3, 404, 0.75)
	if n := len(d.Inrushes(InrushSpec{WindowsNs: []int64{msNs}})); n != 2 {
		t.Errorf("got %d start-ups, want 2", n)
	}
}

func TestMargins(t *testing.T) {
	// A margined rail goes to its new volts; below the lock-out of 3.9 V the drive
	// is dead, and above it again it starts anew.
	d := quiet(t, 0, 1, nil)
	d.SetRail(5*second, "5v", 4750)
	d.SetRail(5*second, "3v3", 1000) // a rail that the drive does not have
	d.SetRail(6*second, "5v", 3800)
	d.SetRail(7*second, "5v", 5000)
	volts := func(at int64) int32 {
		v, _ := fill(d, at, msNs, 1)
		return v[0][0]
	}
	near(t, "mV at 4.75 V behind 40 mΩ and 0.42 A", float64(volts(5500*msNs)), 4750-0.04*421, 1)
	near(t, "mV of a dead drive", float64(volts(6500*msNs)), 3800, 1)
	for at, ready := range map[int64]bool{5500: true, 6500: false, 9: false, 10_100: false, 10_210: true} {
		if d.Ready(at*msNs) != ready {
			t.Errorf("%d ms: ready is %v", at, !ready)
		}
	}
	// A command for the past takes effect behind what has been sampled.
	d.SetPower(1*second, false)
	near(t, "mV where it was on when sampled", float64(volts(5500*msNs)), 4750-0.04*421, 1)
}

func TestAllAtOnce(t *testing.T) {
	// Power, IO, samples and truth from different goroutines: no joule is lost.
	d := quiet(t, 0, 1, nil)
	var all sync.WaitGroup
	all.Go(func() { load(d, 4*second, 4500*msNs, 50_000, true) })
	all.Go(func() { load(d, 4*second, 4500*msNs, 30_000, false) })
	all.Go(func() {
		for at := 4 * second; at < 5*second; at += 10 * msNs {
			fill(d, at, 4000, 2500)
		}
	})
	all.Go(func() {
		for range 3 {
			d.Truth(0, 5*second)
			d.Inrushes(InrushSpec{WindowsNs: []int64{msNs}})
			d.SetRail(5*second, "12v", 12_000)
		}
	})
	all.Wait()
	got := d.Truth(4*second, 6*second)
	if got.Writes != 24_999 || got.Reads != 14_999 {
		t.Errorf("got %d writes, %d reads", got.Writes, got.Reads)
	}
	want := cellJoules(d, 4*second, 6*second)
	near(t, "joules", got.EnergyJ, want, 1e-5*want)
}

func TestOpenChannel(t *testing.T) {
	// A rail without a wire reads noise around zero, never a flat 0.
	c := Seagate1200(1)
	d, _ := New(c)
	d.SetPower(0, true)
	v, a := [][]int32{make([]int32, 10_000)}, [][]int32{make([]int32, 10_000)}
	d.Fill(5*second, 4000, []string{"3v3"}, v, a)
	var sum, zeros int64
	for k := range a[0] {
		sum += int64(a[0][k])
		if a[0][k] == 0 {
			zeros++
		}
	}
	near(t, "mean, µA", float64(sum)/1e4, 0, 5*4000/100)
	if zeros > 10 {
		t.Errorf("%d of 10000 samples are exactly 0", zeros)
	}
}

func TestSameSeedSameSamples(t *testing.T) {
	// Samples depend on seed and time, not on how they were asked for.
	fresh := func() *Drive {
		d, _ := New(Seagate1200(1))
		d.SetPower(0, true)
		return d
	}
	v, a := fill(fresh(), 5*second+3, 4000, 5000)
	d := fresh()
	for k := 0; k < 5000; k += 1250 {
		v2, a2 := fill(d, 5*second+3+int64(k)*4000, 4000, 1250)
		for i := range v2[0] {
			if v[0][k+i] != v2[0][i] || a[1][k+i] != a2[1][i] {
				t.Fatalf("stripe %d differs", k+i)
			}
		}
	}
}
