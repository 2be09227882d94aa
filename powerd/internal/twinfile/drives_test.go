package twinfile

import (
	"math"
	"testing"

	"powerd/engine/twin/model"
)

const second = int64(1e9)

// drive returns a built-in twin without the instrument's noise, with power from 0 on.
func drive(t *testing.T, name string, edit func(*model.Config)) *model.Drive {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c.NoiseOff = true
	if edit != nil {
		edit(&c)
	}
	d, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	return d
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: got %.6g, want %.6g ± %.2g", what, got, want, tolerance)
	}
}

// amps returns means over n periods of both rails.
func amps(d *model.Drive, startNs, periodNs int64, n int) (on5V, on12V []float64) {
	v, a := [][]int32{make([]int32, n), make([]int32, n)}, [][]int32{make([]int32, n), make([]int32, n)}
	d.Fill(startNs, periodNs, []string{"5v", "12v"}, v, a)
	on5V, on12V = make([]float64, n), make([]float64, n)
	for k := range n {
		on5V[k], on12V[k] = float64(a[0][k])*1e-6, float64(a[1][k])*1e-6
	}
	return on5V, on12V
}

func most(x []float64) (best float64, at int) {
	for k, y := range x {
		if y > best {
			best, at = y, k
		}
	}
	return best, at
}

// The published start-up, row by row as its reconstruction gives it.
func TestPublishedStartUp(t *testing.T) {
	d := drive(t, "seagate-1200-400", nil)
	in := d.Inrushes(model.InrushSpec{
		WindowsNs: []int64{ms, 100 * ms, 500 * ms}, Limits12VAmps: []float64{0.4}, LimitWindowNs: 10 * ms,
	})[0]
	firstS := float64(in.FirstNs) * 1e-9

	a5, a12 := amps(d, 40*ms, ms, 1)
	// capacitors: 120 µF · 50 V/s and 68 µF · 120 V/s; leakage at 40.5 % of the volts
	near(t, "5 V on the ramp, mA", 1e3*a5[0]-4*0.405, 6, 0.05)
	near(t, "12 V on the ramp, mA", 1e3*a12[0]-2*0.405, 8.2, 0.05)
	near(t, "life, ms", float64(in.UVLONs)*1e-6, 78.0, 0.02)
	near(t, "lock-out, V", in.UVLOVolts, 3.900, 0.001)
	near(t, "100 ms, mA", 1e3*in.Rail5V.Peaks[1].Amps, 807, 1)
	near(t, "500 ms, mA", 1e3*in.Rail5V.Peaks[2].Amps, 704, 1)
	near(t, "12 V above 400 mA from, ms", 1e3*(in.Rail12V.Above[0].FirstS+firstS), 2209, 1)
	near(t, "12 V above 400 mA to, ms", 1e3*(in.Rail12V.Above[0].LastS+firstS), 2796, 1)
	near(t, "to ready, J", in.EnergyToReadyJ, 16.46, 0.01)
	near(t, "in 8 s, J", d.Truth(0, 8*second).EnergyJ, 30.54, 0.02)
	near(t, "ready, s", in.ReadyS+firstS, 3.28, 0.01)
	v5, v12, all := d.IdleMeans()
	near(t, "idle 5 V, W", v5, 2.100, 1e-6)
	near(t, "idle 12 V, W", v12, 0.881, 1e-6)
	near(t, "idle, W", all, 2.981, 1e-6)
}

// A recording of 4 µs finds its peak of 1060 mA ± 1 % at 404 ± 2 ms whatever the noise:
// in each of 200 seeds, on the first 100 ms around the second plateau, outside of which
// nothing is within 30 σ. Over 1 ms the peak is 1045 mA, noise of 1/√250 included.
func TestPeakInEverySeed(t *testing.T) {
	c, err := Find("seagate-1200-400")
	if err != nil {
		t.Fatal(err)
	}
	c.CapacityBytes = 1 << 30 // no IO: a small map of it
	for seed := range uint64(200) {
		c.Seed = seed + 1
		d, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		d.SetPower(0, true)
		a5, _ := amps(d, 370*ms, 4000, 16_000)
		peak, at := most(a5)
		near(t, "peak, mA", 1e3*peak, 1060, 10.6)
		near(t, "at, ms", 370+4e-3*float64(at), 404, 2)
		if seed%20 != 0 {
			continue
		}
		var sum, best float64
		for k, x := range a5 {
			if sum += x; k >= 250 {
				sum -= a5[k-250]
			}
			best = max(best, sum/250)
		}
		near(t, "1 ms peak, mA", 1e3*best, 1045, 1.5)
	}
}

// Patrol reads come on top of the published idle power: 0.8 W for 100 ms each 2 s are
// 40 mW, a scan of 0.3 W for 200 ms each 30 s is 2 mW. Over three hours 5400 reads, give
// or take 73, leave 0.54 mW of chance.
func TestPatrol(t *testing.T) {
	d := drive(t, "seagate-1200-400-patrol", nil)
	_, _, all := d.IdleMeans()
	near(t, "idle, W", all, 2.981+0.040+0.002, 1e-6)
	got := d.Truth(10*second, 10810*second)
	near(t, "mean of three hours, W", got.MeanW, all, 3*0.54e-3)
	// And every one of them is 0.8 W high and 100 ms long, or several at once.
	_, a12 := amps(d, 10*second, 10*ms, 6000)
	floor, high := a12[0], 0
	for _, x := range a12 {
		floor = min(floor, x)
	}
	for _, x := range a12 {
		if x > floor+0.7*0.8/12*0.9 {
			high++
		}
	}
	if high < 15*8 || high > 55*12 { // 30 reads of 10 stripes are expected
		t.Errorf("%d of 6000 stripes of 10 ms are in patrol reads", high)
	}
}

// A motor as its equation has it: 2.0 A flat, then less as its own voltage rises,
// (12 − 0.0127·754)/2.2 = 1.10 A at 7200 rpm, and 0.28 A when it is there, 8.0 s after it
// began. On 5 V 0.57 A at most and 0.36 A idle, 5.2 W together.
func TestHardDisk(t *testing.T) {
	d := drive(t, "hdd-7200", nil)
	_, a12 := amps(d, 0, ms, 12_000)
	peak, _ := most(a12)
	near(t, "12 V peak, A", peak, 2.0, 0.01)
	started, flat, there := 0, 0, 0
	for k, x := range a12 {
		if x > 1.9 && started == 0 {
			started = k
		}
		if x > 1.99 {
			flat = k
		}
		if x > 1.0 {
			there = k
		}
	}
	near(t, "spin-up, s", float64(there-started)*1e-3, 8.0, 0.15)
	if flat-started < 5000 || flat-started > 6500 {
		t.Errorf("2.0 A for %d ms", flat-started)
	}
	near(t, "at speed before it lets go, A", a12[there-2], 1.10, 0.01)
	near(t, "12 V idle, A", a12[11_500], 0.28, 0.005)
	a5, _ := amps(d, 0, ms, 12_000)
	peak, _ = most(a5)
	near(t, "5 V peak, A", peak, 0.57, 0.005)
	near(t, "5 V idle, A", a5[11_500], 0.36, 0.01)
	_, _, all := d.IdleMeans()
	near(t, "idle, W", all, 5.2, 0.05)
	if d.Ready(9*second) || !d.Ready(10*second) {
		t.Error("it is ready before its motor, or never")
	}
}

// closed has n readers or writers of 4 KiB at random places for a time, each as soon as
// its last one is done, and returns how many they did a second.
func closed(t *testing.T, d *model.Drive, fromNs, toNs int64, depth int, random bool, bytes int) float64 {
	t.Helper()
	due := make([]int64, depth)
	for i := range due {
		due[i] = fromNs
	}
	n := 0
	for {
		next := 0
		for i := range due {
			if due[i] < due[next] {
				next = i
			}
		}
		if due[next] >= toNs {
			return float64(n) / (float64(toNs-fromNs) * 1e-9)
		}
		offset := int64(n) * int64(bytes)
		if random {
			offset = int64(n) * 7919 % 100_003 * 1 << 20
		}
		ticket, err := d.Admit(due[next], model.Request{OffsetBytes: offset, Bytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(ticket, ticket.DueNs)
		due[next] = ticket.DueNs
		n++
	}
}

// Each random IO moves the arm: 80 a second alone, 180 with a queue to choose from; the
// current then has pulses of 0.5 to 1.0 A on 12 V over the motor's 0.28 A. Sequential
// reads go at 180 MB/s and move nothing.
func TestSeeks(t *testing.T) {
	d := drive(t, "hdd-7200", nil)
	near(t, "random IOPS alone", closed(t, d, 10*second, 30*second, 1, true, 4096), 80, 4)
	near(t, "random IOPS at depth 32", closed(t, d, 40*second, 60*second, 32, true, 4096), 180, 4)
	near(t, "sequential MB/s", closed(t, d, 70*second, 72*second, 4, false, 256<<10)*0.262144, 180, 4)
	_, a12 := amps(d, 41*second, 500_000, 20_000)
	peak, _ := most(a12)
	near(t, "12 V peak, A", peak, 0.28+0.99, 0.03)
	// 180 pulses of 5 ms and 0.75 A on average: 0.28 + 0.675 A.
	mean := 0.0
	for _, x := range a12 {
		mean += x / float64(len(a12))
	}
	near(t, "12 V mean, A", mean, 0.28+180*5e-3*0.75, 0.03)
	_, a12 = amps(d, 71*second, ms, 500)
	peak, _ = most(a12)
	near(t, "12 V in sequential reads, A", peak, 0.28, 0.01)
}

// The platters come to rest after 20 minutes without IO; the next one waits for the
// whole spin-up, which takes its 2.0 A again. Truth and samples have the same joules.
func TestStandby(t *testing.T) {
	d := drive(t, "hdd-7200", nil)
	at := int64(9525 * ms) // ready, and settled
	for _, c := range []struct {
		afterS int64
		state  string
		watts  float64
	}{{60, "idle a", 5.162}, {300, "idle b", 4.60}, {900, "idle c", 2.78}, {1300, "standby", 0.84}} {
		got := d.Truth(at+c.afterS*second, at+(c.afterS+10)*second)
		near(t, c.state+", W", got.MeanW, c.watts, 0.01)
	}
	wakeNs := at + 2000*second
	ticket, err := d.Admit(wakeNs, model.Request{Bytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "first IO after standby, s", float64(ticket.DueNs-wakeNs)*1e-9, 8.2, 0.15)
	a5, a12 := amps(d, wakeNs-second, ms, 12_000)
	peak, first := most(a12)
	near(t, "12 V, A", peak, 2.0, 0.05)
	near(t, "from, ms", float64(first), 1000, 200)
	near(t, "after it, A", a12[11_000], 0.28, 0.005)
	sum := 0.0
	for k := range a5 {
		sum += ((5-0.04*a5[k])*a5[k] + (12-0.04*a12[k])*a12[k]) * 1e-3
	}
	near(t, "joules of the samples", sum, d.Truth(wakeNs-second, wakeNs+11*second).EnergyJ, 0.05)
}

// An SSD with 5 V only: active idle, slumber, DevSlp; 12 V reads as an open channel. Its
// own housekeeping wakes it, and so does an IO, which waits for it.
func TestDevSlp(t *testing.T) {
	d := drive(t, "sata-ssd-devslp", func(c *model.Config) { c.Tasks = nil })
	want := map[string]float64{"active": 0.320, "slumber": 0.060, "devslp": 0.008}
	for _, s := range d.IdleStates() {
		near(t, s.Name+", W", s.TotalW, want[s.Name], 1e-6)
	}
	near(t, "DevSlp, W", d.Truth(20*second, 30*second).MeanW, 0.008, 1e-6)
	ticket, err := d.Admit(30*second, model.Request{Bytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "an IO in DevSlp, ms", float64(ticket.DueNs-ticket.SubmitNs)*1e-6, 20.1, 0.2)
	d.Done(ticket, ticket.DueNs)
	near(t, "active, W", d.Truth(30*second, 30*second+60*ms).MeanW, 0.320, 0.006) // ± noise of 2 mW
	near(t, "slumber, W", d.Truth(30*second+200*ms, 31*second).MeanW, 0.060, 1e-6)
	near(t, "DevSlp, W", d.Truth(33*second, 34*second).MeanW, 0.008, 1e-6)
	_, a12 := amps(d, 20*second, ms, 100)
	if peak, _ := most(a12); peak != 0 {
		t.Errorf("%g A on a rail that the drive does not have", peak)
	}

	// With housekeeping, an hour: 180 times 0.4 s at 0.92 W and 50 ms more at 0.32 W, 2 s
	// in slumber, the rest in DevSlp. ± 13 of 180.
	d = drive(t, "sata-ssd-devslp", nil)
	each := 0.4*0.92 + 0.051*0.32 + 1.959*0.060 - 2.41*0.008
	near(t, "an hour with housekeeping, W", d.Truth(10*second, 3610*second).MeanW, 0.008+each/20, 3*13.4/180*each/20)
}

// An NVMe drive with 12 V only goes down its power states, and lives from 9 V of 12 in a
// ramp of 10 ms on.
func TestPowerStates(t *testing.T) {
	d := drive(t, "nvme-12v", nil)
	in := d.Inrushes(model.InrushSpec{WindowsNs: []int64{ms}})[0]
	near(t, "life, ms", float64(in.UVLONs)*1e-6, 7.5, 0.02)
	near(t, "lock-out, V", in.UVLOVolts, 9, 0.02)
	at := int64(1560 * ms) // settled
	for _, c := range []struct {
		fromMs, toMs int64
		watts        float64
	}{{300, 900, 4.09}, {1100, 4900, 3.48}, {5100, 29_000, 0.38}, {31_000, 60_000, 0.038}} {
		near(t, "W", d.Truth(at+c.fromMs*ms, at+c.toMs*ms).MeanW, c.watts, 1e-6)
	}
	for _, c := range []struct {
		afterS int64
		waitMs float64
	}{{3, 0}, {10, 45}, {60, 50}} { // PS2, PS3, PS4
		now := at + 100*second + c.afterS*second
		d := drive(t, "nvme-12v", nil)
		first, err := d.Admit(at+100*second, model.Request{Bytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(first, first.DueNs)
		ticket, err := d.Admit(now, model.Request{Bytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "first IO, ms", float64(ticket.DueNs-now)*1e-6, c.waitMs+0.08, 0.05)
	}
	if got := d.Truth(0, 10*second); got.Energy5VJ != 0 {
		t.Errorf("%g J on a rail that the drive does not have", got.Energy5VJ)
	}
}

// 12 seconds of writes at full rate, and the drive collects for 90 s more at 1.2 W.
func TestLongCollection(t *testing.T) {
	d := drive(t, "ssd-gc-90s", nil)
	for at, n := 10*second, int64(0); at < 22*second; n++ {
		ticket, err := d.Admit(at, model.Request{Write: true, OffsetBytes: n * 7919 % 1_000_003 * 4096, Bytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(ticket, ticket.DueNs)
		at = max(at+9090, ticket.DueNs-300_000)
	}
	near(t, "in it, W", d.Truth(30*second, 110*second).MeanW, 2.981+1.2, 5e-3)
	near(t, "after it, W", d.Truth(114*second, 200*second).MeanW, 2.981, 2e-3)
}
