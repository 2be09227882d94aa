package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// restless returns a drive that does all that a drive may do on its own, in seconds
// instead of minutes.
func restless(t testing.TB, edit func(*Config)) *Drive {
	return quiet(t, 0, 1, func(c *Config) {
		c.IdleStates = []IdleState{
			{Name: "light", AfterNs: 20 * msNs, EnterNs: 5 * msNs, ExitNs: 3 * msNs, Rail5VW: 1.2, Rail12VW: 0.5},
			{Name: "deep", AfterNs: 200 * msNs, EnterNs: 10 * msNs, ExitNs: 40 * msNs, Rail5VW: 0.2, Rail12VW: 0.05},
			{Name: "stopped", AfterNs: 900 * msNs, EnterNs: 50 * msNs, Rail5VW: 0.1, Rail12VW: 0.05, SpunDown: true},
		}
		c.Tasks = []Task{
			{Name: "patrol", ExtraW: 0.8, LongNs: 30 * msNs, EachNs: 300 * msNs, Random: true, Portion5V: 0.3},
			{Name: "scan", ExtraW: 0.3, LongNs: 20 * msNs, EachNs: 700 * msNs, Portion5V: 0.5},
			{Name: "housekeeping", ExtraW: 0.5, LongNs: 40 * msNs, EachNs: 3000 * msNs, Random: true, Portion5V: 1, Wakes: true},
		}
		c.Rail12V.IdleMeanW = 1.8
		c.Motor = Motor{MaxAmps: 1, IdleAmps: 0.1, VoltSPerRadian: 0.0127, Ohms: 2.2, InertiaKgM2: 5e-6, RPM: 7200, StartNs: 10 * msNs}
		c.CapacityBytes = 1 << 30
		if edit != nil {
			edit(c)
		}
	})
}

// The truth comes from spans in closed form, the samples from cells: whatever IO and
// power do to a drive that sleeps, wakes and works on its own, both have the same
// joules, and samples do not depend on when they were asked for.
func TestRestlessTruthIsTheSumOfTheWaveform(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := restless(t, func(c *Config) { c.Seed = rapid.Uint64Range(1, 9).Draw(r, "seed") })
		at := int64(3300 * msNs)
		on := true
		for range rapid.IntRange(0, 12).Draw(r, "events") {
			at += rapid.Int64Range(1, 1500*msNs).Draw(r, "later by")
			switch rapid.IntRange(0, 9).Draw(r, "what") {
			case 0:
				on = !on
				d.SetPower(at, on)
			case 1:
				d.SetRail(at, "5v", rapid.SampledFrom([]int{3500, 4800, 5000}).Draw(r, "mV"))
			case 2:
				fill(d, at-5*msNs, 1_000_000, 3)
			default:
				if ticket, err := d.Admit(at, Request{Write: true, Bytes: 4096}); err == nil {
					d.Done(ticket, ticket.DueNs)
				}
			}
		}
		from := rapid.Int64Range(0, at/msNs).Draw(r, "from") * msNs
		to := from + rapid.Int64Range(1, 2000).Draw(r, "ms")*msNs
		middle := from + (to-from)/msNs/2*msNs
		want := cellJoules(d, from, to)
		got := d.Truth(from, to).EnergyJ
		if math.Abs(got-want) > 1e-6*want+1e-9 {
			r.Fatalf("joules of [%d, %d) ms: truth %.9g, waveform %.9g", from/msNs, to/msNs, got, want)
		}
		if sum := d.Truth(from, middle).EnergyJ + d.Truth(middle, to).EnergyJ; math.Abs(sum-got) > 1e-9 {
			r.Fatalf("halves have %.9g J, the whole %.9g J", sum, got)
		}
		v, a := fill(d, from, 100_000, 200)
		v2, a2 := fill(d, from+10*msNs, 100_000, 100)
		for k := range v2[0] {
			if v[0][100+k] != v2[0][k] || a[0][100+k] != a2[0][k] || v[1][100+k] != v2[1][k] || a[1][100+k] != a2[1][k] {
				r.Fatalf("stripe %d depends on where Fill began", k)
			}
		}
	})
}

// An IO that finds the drive in a state waits for its exit; one that comes while a state
// is being entered waits for that first; a second one behind it waits no longer than the
// first. Times count from the last IO's end, or its current's begin up to 0.4 ms later.
func TestWaking(t *testing.T) {
	for _, c := range []struct {
		afterMs, waitNs int64
	}{
		{10, 0},                    // active
		{22, 3*msNs + 3*msNs},      // 3 ms of entering are left
		{100, 3 * msNs},            // light
		{205, 5*msNs + 40*msNs},    // entering the deep one
		{500, 40 * msNs},           // deep
		{925, 25*msNs + spinNs(t)}, // the motor is stopping
		{5000, spinNs(t)},          // stopped
	} {
		d := restless(t, func(c *Config) { c.Tasks, c.Write.ServiceSpread = nil, 0 })
		first, err := d.Admit(20*second, Request{Write: true, Bytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		now := first.DueNs + c.afterMs*msNs
		for _, behindNs := range []int64{0, msNs} {
			ticket, err := d.Admit(now+behindNs, Request{Write: true, Bytes: 4096})
			if err != nil {
				t.Fatal(err)
			}
			if ticket.SubmitNs != now+behindNs {
				t.Errorf("submitted at %d, want %d", ticket.SubmitNs, now+behindNs)
			}
			want := float64(max(0, c.waitNs-behindNs) + 25_000) // and its own service
			near(t, "wait, ms", float64(ticket.DueNs-ticket.SubmitNs)*1e-6, want*1e-6, 0.4)
		}
	}
}

// spinNs returns how long the motor of restless takes.
func spinNs(t *testing.T) int64 { return restless(t, nil).start.spinCells() * cellNs }

// Random tasks are Poisson: in 3000 slots of mean 1 the number of moments has a mean of 1
// and a variance of 1 (± 3/√3000 and ± 3·√(3/3000)).
func TestRandomTasksArePoisson(t *testing.T) {
	var sum, square float64
	for slot := range uint64(3000) {
		n := float64(poisson(mix(7 + slot)))
		sum, square = sum+n, square+n*n
	}
	mean := sum / 3000
	near(t, "mean", mean, 1, 0.055)
	near(t, "variance", square/3000-mean*mean, 1, 0.095)
}

// A drive with one rail lives, starts and idles on it, and the other reads as an open
// channel: noise around zero, with the instrument's noise on.
func TestOneRail(t *testing.T) {
	c := Seagate1200(4)
	c.Rail5V = Rail{}
	c.LockOut = LockOut{Rail: "12v", Volts: 9}
	c.IdleNoise.Rail = "12v"
	c.Read.Host5VPortion, c.Read.Media5VPortion, c.Write.Host5VPortion, c.Write.Media5VPortion = 0, 0, 0, 0
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	load(d, 10*second, 11*second, 20_000, true)
	got := d.Truth(10*second, 11*second)
	near(t, "W", got.MeanW, 0.881+80_000*31.15e-6, 0.02)
	if got.Energy5VJ != 0 {
		t.Errorf("%g J on 5 V", got.Energy5VJ)
	}
	v, a := fill(d, 10*second, 4000, 1000)
	sum, most := int64(0), int32(0)
	for k := range v[0] {
		sum += int64(a[0][k])
		most = max(most, a[0][k])
	}
	near(t, "mean of the open channel, µA", float64(sum)/1000, 0, 500)
	if in := d.Inrushes(InrushSpec{WindowsNs: []int64{msNs}}); len(in) != 1 || math.Abs(in[0].UVLOVolts-9) > 0.01 {
		t.Errorf("start-ups %+v", in)
	}
	if most == 0 {
		t.Error("the open channel reads a flat 0")
	}
}

// What a task does around a cell is what every one of its slots says: how many times are
// on, which one ended last of those that are not older than asked, and when the next
// begins or ends. The first slots of a life are among them.
func TestAroundLooksAtWhatMatters(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		task := task{each: rapid.Int64Range(50, 400).Draw(r, "each"), random: rapid.Bool().Draw(r, "random")}
		task.long = rapid.Int64Range(1, task.each).Draw(r, "long")
		seed, k := rapid.Uint64().Draw(r, "seed"), rapid.Int64Range(0, 20_000).Draw(r, "cell")
		back := rapid.Int64Range(0, 20_000).Draw(r, "back")
		got := task.around(seed, k, back)

		var want around
		want.next = (k/task.each + 2) * task.each
		for slot := range k/task.each + 2 {
			for _, from := range begins(&task, seed, slot) {
				switch to := from + task.long; {
				case from > k:
					want.next = min(want.next, from)
				case to > k:
					want.on++
					want.next = min(want.next, to)
				default:
					want.last = max(want.last, to)
				}
			}
		}
		if got.on != want.on || got.next != want.next {
			r.Fatalf("cell %d of %+v: %+v, want %+v", k, task, got, want)
		}
		if got.last != want.last && (got.last > want.last || want.last > k-back) {
			r.Fatalf("cell %d of %+v, %d back: the last ended at %d, want %d", k, task, back, got.last, want.last)
		}
	})
}

// begins returns the moments of a task in a slot, as its doc has them.
func begins(t *task, seed uint64, slot int64) (all []int64) {
	if !t.random {
		return []int64{slot*t.each + t.each/2}
	}
	bits := mix(seed + uint64(slot))
	for i := range poisson(bits) {
		all = append(all, slot*t.each+int64(mix(bits+uint64(i))>>11%uint64(t.each)))
	}
	return all
}
