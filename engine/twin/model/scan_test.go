package model

import (
	"testing"
)

func TestStartUpTruthIsTheWaveform(t *testing.T) {
	// The same figures from samples of 4 µs without noise: the largest moving means, also
	// of a window that is no whole number of cells, what flowed since the first volts, and
	// the time above a limit.
	d := quiet(t, 0, 1, nil)
	spec := InrushSpec{
		FromNs: 0, ToNs: 1 * second, WindowsNs: []int64{4000, 64_000, 100_000, 10 * msNs, 61 * second, 2 * second},
		Limits5VAmps: []float64{0.8, 1.2}, LimitWindowNs: 10 * msNs,
	}
	got := d.Inrushes(spec)
	if len(got) != 1 || got[0].EndNs != 1*second {
		t.Fatalf("got %+v, want one start-up up to 1 s", got)
	}
	in := got[0]
	v, a := fill(d, 0, 4000, 250_000)
	if len(in.Rail5V.Peaks) != 4 || len(in.Total.Peaks) != 4 {
		t.Fatalf("%d and %d peaks, want 4: two windows are longer than what was looked at", len(in.Rail5V.Peaks), len(in.Total.Peaks))
	}
	watts, all := make([]int32, len(a[0])), make([]int32, len(a[0])) // µW
	for k := range watts {
		watts[k] = int32(int64(v[0][k]) * int64(a[0][k]) / 1000)
		all[k] = watts[k] + int32(int64(v[1][k])*int64(a[1][k])/1000)
	}
	for _, p := range in.Rail5V.Peaks {
		want, at := moving(a[0], int(max(1, p.WindowNs/4000)))
		near(t, "peak, A", p.Amps, want*1e-6, 2e-6)
		if p.WindowNs > 4000 { // the highest cell has five equal samples
			near(t, "its time, s", p.AmpsAtS, at*4e-6-1e-3, 2e-5)
		}
		want, _ = moving(watts, int(max(1, p.WindowNs/4000)))
		near(t, "peak, W", p.Watts, want*1e-6, 1e-3) // volts are rounded to 1 mV
	}
	for _, p := range in.Total.Peaks {
		want, _ := moving(all, int(max(1, p.WindowNs/4000)))
		near(t, "peak of both, W", p.Watts, want*1e-6, 2e-3)
	}
	charge := 0.0
	for _, x := range a[0][250:] { // volts are 1 % of nominal after 1 ms
		charge += float64(x) * 1e-6 * 4e-6
	}
	near(t, "charge, C", in.Rail5V.ChargeC, charge, 1e-6)
	near(t, "energy, J", in.Total.EnergyJ, d.Truth(msNs, second).EnergyJ, 1e-6)

	sum, above, first, last := 0.0, 0, 0, 0
	for k, x := range a[0] {
		sum += float64(x)
		if k >= 2500 {
			sum -= float64(a[0][k-2500])
		}
		if k >= 2499 && sum > 2500*800_000 {
			if above == 0 {
				first = k
			}
			above, last = above+1, k
		}
	}
	middle := func(k int) float64 { return (float64(k)-1249.5)*4e-6 - 1e-3 }
	near(t, "first above, s", in.Rail5V.Above[0].FirstS, middle(first), 3e-5)
	near(t, "last above, s", in.Rail5V.Above[0].LastS, middle(last), 3e-5)
	near(t, "above in all, s", in.Rail5V.Above[0].TotalS, float64(above)*4e-6, 3e-5)
	if never := in.Rail5V.Above[1]; never != (Above{LimitAmps: 1.2}) {
		t.Errorf("above 1.2 A: %+v", never)
	}
}

func TestShortBreaksCountAsAbove(t *testing.T) {
	a := stay{limit: 1}
	for k, mean := range []float64{0, 2, 2, 0, 0, 2, 0, 0, 0, 2, 2} {
		a.see(k, mean, 2)
	}
	// Cells 1 to 5 with a break of two in it, then a break of three, then 9 and 10.
	if a.first != 1 || a.last != 10 || a.cells != 5+2 {
		t.Errorf("from %d to %d, %d cells; want 1 to 10, 7", a.first, a.last, a.cells)
	}
}

func TestEdgesAndSpells(t *testing.T) {
	d := quiet(t, 1*second, 1, nil)
	for _, at := range []int64{5*second + 10, 5*second + 50*msNs, 6 * second} {
		d.IO(at-100_000, at, false, 4096)
	}
	d.IO(7*second, 7*second+100_000, true, 4096)
	d.SetPower(7*second+110_000, false) // before the write's current has begun
	spells := d.Spells(0, 8*second)
	if len(spells) != 2 {
		t.Fatalf("spells %v, want two: 5 to 5.05 s and 6 s; the write never drew", spells)
	}
	// A pulse of 200 µs begins 100 µs and more after the service.
	for i, want := range [][2]int64{{5*second + 10, 5*second + 50*msNs}, {6 * second, 6 * second}} {
		near(t, "first current, ms", float64(spells[i].FirstNs)*1e-6, float64(want[0])*1e-6, 1)
		near(t, "end of current, ms", float64(spells[i].EndNs)*1e-6, float64(want[1])*1e-6+0.2, 1)
	}
	if n := len(d.Spells(5100*msNs, 5900*msNs)); n != 0 {
		t.Errorf("%d spells where no IO was", n)
	}
	edges := d.Edges()
	want := []Edge{
		{Rail: "5v", StartNs: second, EndNs: 1100 * msNs, ToVolts: 5},
		{Rail: "12v", StartNs: second, EndNs: 1100 * msNs, ToVolts: 12},
		{Rail: "5v", StartNs: 7*second + 110_000, EndNs: 7*second + 110_000 + 5*msNs, FromVolts: 5, Off: true},
		{Rail: "12v", StartNs: 7*second + 110_000, EndNs: 7*second + 110_000 + 5*msNs, FromVolts: 12, Off: true},
	}
	for i := range want {
		if i >= len(edges) || edges[i] != want[i] {
			t.Errorf("edges %+v, want %+v", edges, want)
			break
		}
	}
}
