package model

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// host is a closed loop: it keeps depth IOs in a drive, in virtual time.
type host struct {
	d       *Drive
	write   bool
	bytes   int
	inOrder bool // sequential
	doneNs  []int64
	n       uint64
}

func newHost(d *Drive, fromNs int64, depth int, write bool) *host {
	h := &host{d: d, write: write, bytes: 4096, doneNs: make([]int64, depth)}
	for i := range h.doneNs {
		h.doneNs[i] = fromNs
	}
	return h
}

// until runs to a time and returns how many IOs were done.
func (h *host) until(t testing.TB, ns int64) (n int) {
	t.Helper()
	for {
		next := 0
		for i, at := range h.doneNs {
			if at < h.doneNs[next] {
				next = i
			}
		}
		now := h.doneNs[next]
		if now >= ns {
			return n
		}
		page := h.n
		if !h.inOrder {
			page = mix(h.n)
		}
		h.n++
		pages := uint64(h.d.cfg.CapacityBytes / int64(h.bytes))
		ticket, err := h.d.Admit(now, Request{Write: h.write, OffsetBytes: int64(page%pages) * int64(h.bytes), Bytes: h.bytes})
		if err != nil {
			t.Fatal(err)
		}
		h.d.Done(ticket, ticket.DueNs)
		h.doneNs[next] = ticket.DueNs
		n++
	}
}

// small is the published drive with a capacity that is fresh for freshS seconds at
// full rate, and a tail of tailS.
func small(t testing.TB, scale int, freshS, tailS float64) *Drive {
	t.Helper()
	return quiet(t, 0, scale, func(c *Config) {
		c.CapacityBytes = int64(freshS*c.Flash.ProgrammesPerS/c.Flash.FreshShare) * pageBytes
		c.Flash.TailNs = int64(tailS * 1e9)
	})
}

func TestWriteCliff(t *testing.T) {
	// Fresh: 110 000 writes a second at 2.981 + 110 000 · (6 + 25.15) µJ = 6.4075 W. Steady:
	// 110 000/2.62 = 41 985 at 2.981 + 41 985 · 6 µJ + 110 000 · 25.15 µJ = 5.9994 W, bursts
	// included. So 1 − 1/2.62 = 0.618 of the IOPS go to housekeeping, and of the efficiency
	// 1 − (41 985/5.9994)/(110 000/6.4075) = 0.5924. A scale divides the IOPS and changes
	// nothing else.
	for _, scale := range []int{1, 4} {
		t.Run(fmt.Sprintf("scale %d", scale), func(t *testing.T) {
			k := float64(scale)
			d := small(t, scale, 3, 0.5)
			const from = 10 * second
			h := newHost(d, from, 32, true)
			h.until(t, from+2980*msNs)
			if s := d.Flash(); s.RandomWA != 1 {
				t.Errorf("the cliff came before 3 s of writing: %+v", s)
			}
			h.until(t, from+3020*msNs)
			if s := d.Flash(); s.RandomWA == 1 {
				t.Errorf("no cliff after 3 s of writing: %+v", s)
			}
			// A time constant of full-rate programming behind the cliff.
			h.until(t, from+3500*msNs)
			near(t, "amplification one time constant on", d.Flash().RandomWA, 1+1.62*(1-1/math.E), 0.03)
			h.until(t, from+40*second)

			fresh := d.Truth(from+500*msNs, from+2500*msNs)
			steady := d.Truth(from+10*second, from+40*second)
			f, s := float64(fresh.IOs)/2*k, float64(steady.IOs)/30*k
			near(t, "fresh IOPS", f, 110_000, 0.005*110_000)
			near(t, "fresh W", fresh.MeanW, 6.4075, 0.005*6.4075)
			near(t, "steady IOPS", s, 41_985, 0.005*41_985)
			near(t, "steady W", steady.MeanW, 5.9994, 0.005*5.9994)
			near(t, "IOPS ratio", f/s, 2.62, 0.005*2.62)
			near(t, "housekeeping of the IOPS", (f-s)/f, 0.618, 0.003)
			near(t, "housekeeping of the efficiency", 1-(s/steady.MeanW)/(f/fresh.MeanW), 0.5924, 0.003)
		})
	}
}

func TestBursts(t *testing.T) {
	// In a burst of 100 ms the drive serves 35 % less than between bursts and draws
	// 0.8 W more; there is one a second in the mean.
	d := small(t, 4, 0.1, 0.5)
	const from = 10 * second
	h := newHost(d, from, 32, true)
	h.until(t, from+10*second)
	before := d.Flash().Bursts
	const seconds = 40
	h.until(t, from+(10+seconds)*second)
	near(t, "bursts", float64(d.Flash().Bursts-before), seconds, 2)

	var in [2]struct{ n, ios, watts float64 }
	for at := from + 10*second; at < from+(10+seconds)*second; at += 20 * msNs {
		w := d.Truth(at, at+20*msNs)
		k := 0
		if w.MeanW > 6.4 { // 5.92 W between bursts and 6.72 W in them
			k = 1
		}
		in[k].n, in[k].ios, in[k].watts = in[k].n+1, in[k].ios+float64(w.IOs), in[k].watts+w.MeanW
	}
	base, burst := in[0], in[1]
	// Windows that a burst begins or ends in are on either side: 1 of 6 of the bursts', and
	// few of the others.
	near(t, "IOPS in bursts against between them", (burst.ios/burst.n)/(base.ios/base.n), 0.65, 0.05)
	near(t, "W more in bursts", burst.watts/burst.n-base.watts/base.n, 0.8, 0.1)
}

func TestDiscard(t *testing.T) {
	// Everything discarded makes fresh, a half of the live data gives a half back; what
	// holds nothing gives nothing.
	d := small(t, 4, 2, 0.5)
	const from = 10 * second
	h := newHost(d, from, 32, true)
	h.until(t, from+10*second)
	all := d.cfg.CapacityBytes
	steady := d.Flash()
	near(t, "amplification", steady.RandomWA, 2.62, 0.01)
	if err := d.Discard(from+10*second, 0, all/2); err != nil {
		t.Fatal(err)
	}
	half := d.Flash()
	near(t, "bytes that are fresh after a half", half.FreshBytes, 1.15*float64(all)/2, 0.02*float64(all))
	near(t, "bytes that are live then", float64(half.LiveBytes), float64(steady.LiveBytes)/2, 0.01*float64(all))
	if err := d.Discard(from+10*second, 0, all/2); err != nil {
		t.Fatal(err)
	}
	if got := d.Flash(); got != half {
		t.Errorf("the same again changed %+v to %+v", half, got)
	}
	if err := d.Discard(from+10*second, 0, all); err != nil {
		t.Fatal(err)
	}
	near(t, "bytes that are fresh after all", d.Flash().FreshBytes, 1.15*float64(all), pageBytes)
	h.until(t, from+12*second)
	near(t, "IOPS when fresh again", float64(d.Truth(from+10100*msNs, from+11900*msNs).IOs)/1.8, 27_500, 300)

	d.SetPower(from+12*second, false)
	if err := d.Discard(from+13*second, 0, all); err == nil {
		t.Error("a drive without power took a discard")
	}
}

func TestSequentialWrites(t *testing.T) {
	// In order, a write costs 1.05 programmes; and order comes back: what is written at
	// random after it begins near 1 again.
	d := small(t, 4, 0.5, 0.5)
	const from = 10 * second
	h := newHost(d, from, 32, true)
	h.inOrder, h.bytes = true, 128<<10
	h.until(t, from+5*second)
	near(t, "MB/s of 128 KiB in order", float64(d.Truth(from+2*second, from+5*second).Bytes)/3e6, 27_500*4096/1.05e6, 2)
	// Where the drive ends and begins again, a row of 380 breaks off: two look like random.
	near(t, "random amplification after order", d.Flash().RandomWA, 1, 0.02)
	h.inOrder, h.bytes = false, 4096
	h.until(t, from+15*second)
	near(t, "and after random writes", d.Flash().RandomWA, 2.62, 0.01)
}

func TestWhatAWriteCosts(t *testing.T) {
	// Over many writes in the steady state at a tenth of the rate, each takes 6 µJ and 2.62
	// programmes of 25.15 µJ, however they are divided between write and burst.
	d := small(t, 1, 0.1, 0.1)
	h := newHost(d, 10*second, 32, true)
	h.until(t, 13*second)
	const from, to = 20 * second, 80 * second
	n := 0
	for at := from; at < to; at += 250_000 {
		ticket, err := d.Admit(at, Request{Write: true, OffsetBytes: int64(mix(uint64(n))%(1<<20)) * 4096, Bytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		d.Done(ticket, ticket.DueNs)
		n++
	}
	idle := quiet(t, 0, 1, nil).Truth(from, to).EnergyJ
	want := float64(n) * (6 + 2.62*25.15) * 1e-6
	near(t, "joules of the writes", d.Truth(from, to).EnergyJ-idle, want, 0.3) // a burst is 0.18 J
}

func TestPowerFallsAfterTheLastWrite(t *testing.T) {
	// The write cache is empty 1 to 5 ms after the last write, and then all is as it was.
	d := small(t, 4, 60, 30)
	const from = 10 * second
	h := newHost(d, from, 32, true)
	h.until(t, from+second)
	last := d.Truth(from, from+2*second).LastIONs
	idle := quiet(t, 0, 4, nil)
	extra := func(a, b int64) float64 {
		return d.Truth(last+a, last+b).MeanW - idle.Truth(last+a, last+b).MeanW
	}
	if w := extra(0, msNs); w < 2 {
		t.Errorf("%.2f W above idle right after the last write, the cache is full then", w)
	}
	near(t, "W above idle 7 ms on", extra(7*msNs, 20*msNs), 0, 1e-6)
	done, err := d.Flush(last)
	if err != nil || done < last+msNs || done > last+6*msNs {
		t.Errorf("a flush is done %d ns after the last write, %v; want 1 to 5 ms", done-last, err)
	}
}

func TestWorkAfterLoad(t *testing.T) {
	// 20 s of writes owe all of the 90 s; it begins 50 ms after the last IO, a read 30 s
	// into it interrupts it, and the rest follows.
	d := quiet(t, 0, 4, func(c *Config) {
		c.Flash.After = After{Watts: 0.7, LongNs: 90 * second, PerWork: 9, QuietNs: 50 * msNs, Portion5V: 0.4}
	})
	idle := quiet(t, 0, 4, nil)
	load(d, 10*second, 30*second, 27_500, true)
	extra := func(aS, bS float64) float64 {
		a, b := int64(aS*1e9), int64(bS*1e9)
		return d.Truth(a, b).EnergyJ - idle.Truth(a, b).EnergyJ
	}
	near(t, "J in a second of it", extra(40, 41), 0.7, 1e-6)
	near(t, "J in all", extra(30.01, 200), 0.7*90, 0.7*0.01)
	d.IO(60*second, 60*second, false, 4096)
	near(t, "J in the pause after a read", extra(60.001, 60.049), 0, 1e-6)
	near(t, "J in all with a read", extra(30.01, 200), 0.7*90+4*16e-6, 0.7*0.01)
	near(t, "J at the end", extra(120.5, 200), 0, 1e-6)
	// Samples and truth are one waveform.
	near(t, "J of the waveform", cellJoules(d, 59*second, 61*second), d.Truth(59*second, 61*second).EnergyJ, 1e-6)
	// Without power there is nothing to do, and what was owed is forgotten.
	load(d, 200*second, 220*second, 27_500, true)
	d.SetPower(240*second, false)
	d.SetPower(250*second, true)
	near(t, "J until power-off", extra(220.05, 240), 0.7*19.95, 0.01)
	near(t, "J in the next life", d.Truth(260*second, 261*second).EnergyJ-idle.Truth(260*second, 261*second).EnergyJ, 0, 0.02)
}

func TestCompression(t *testing.T) {
	// Content is of no matter but to a drive that compresses.
	for _, compresses := range []bool{false, true} {
		d := quiet(t, 0, 4, func(c *Config) { c.Flash.Compresses = compresses })
		idle := d.Truth(10*second, 11*second).EnergyJ
		for at := 10 * second; at < 10*second+100*msNs; at += 100_000 {
			ticket, err := d.Admit(at, Request{Write: true, Bytes: 4096, Stored: 0.25})
			if err != nil {
				t.Fatal(err)
			}
			d.Done(ticket, ticket.DueNs)
		}
		want := 4 * (6 + 25.15) * 1e-3 // 1000 writes
		if compresses {
			want = 4 * (6 + 25.15/4) * 1e-3
		}
		near(t, "J of 1000 writes", d.Truth(10*second, 11*second).EnergyJ-idle, want, 1e-6)
	}
}

// Whatever is done to a drive in whatever order, the joules of parts add up to those of
// the whole, and are those of the waveform.
func TestEnergyIsConserved(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := Seagate1200(4)
		c.NoiseOff, c.Seed = true, rapid.Uint64().Draw(r, "seed")
		c.CapacityBytes, c.Flash.TailNs = 4<<20, 10*msNs
		c.Flash.After = After{Watts: 0.5, LongNs: second, PerWork: 5, QuietNs: 20 * msNs, Portion5V: 1}
		d, err := New(c)
		if err != nil {
			r.Fatal(err)
		}
		d.SetPower(-20*second, true)
		at := int64(0)
		for range rapid.IntRange(1, 12).Draw(r, "events") {
			at += rapid.Int64Range(0, 60*msNs).Draw(r, "pause")
			switch rapid.IntRange(0, 5).Draw(r, "what") {
			case 0:
				d.SetPower(at, false)
			case 1:
				d.SetPower(at, true)
			case 2:
				_ = d.Discard(at, rapid.Int64Range(0, c.CapacityBytes).Draw(r, "offset"), rapid.Int64Range(0, c.CapacityBytes).Draw(r, "bytes"))
			case 3:
				fill(d, at-5*msNs, 4000, 500)
			default:
				pages := rapid.IntRange(1, 64).Draw(r, "pages")
				for k := range rapid.IntRange(1, 200).Draw(r, "IOs") {
					q := Request{Write: true, OffsetBytes: int64(mix(uint64(k)) % (4 << 20)), Bytes: pages * pageBytes}
					if ticket, err := d.Admit(at, q); err == nil {
						d.Done(ticket, ticket.DueNs)
					}
				}
			}
		}
		end := (at/msNs + 2000) * msNs
		whole := d.Truth(-second, end).EnergyJ
		sum, last := 0.0, -second
		for last < end {
			next := min(last+rapid.Int64Range(1, second).Draw(r, "part"), end)
			sum += d.Truth(last, next).EnergyJ
			last = next
		}
		if diff := whole - sum; diff > 1e-9 || diff < -1e-9 {
			r.Fatalf("the parts have %.9f J, the whole %.9f J", sum, whole)
		}
		// The last second still stands in the ring, cell by cell.
		wave, truth := cellJoules(d, end-second, end), d.Truth(end-second, end).EnergyJ
		if diff := wave - truth; diff > 1e-9 || diff < -1e-9 {
			r.Fatalf("the waveform has %.9f J, the truth %.9f J", wave, truth)
		}
	})
}

// What Fill takes for a stretch of equal cells is one: cell by cell the waveform is the
// same, with the start-up, idle extras, IO, work after it and power cuts.
func TestStretchesAreAlike(t *testing.T) {
	c := Seagate1200(4)
	c.NoiseOff = true
	c.Flash.After = After{Watts: 0.5, LongNs: second, PerWork: 5, QuietNs: 20 * msNs, Portion5V: 1}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(0, true)
	load(d, 5*second, 5300*msNs, 20_000, true)
	load(d, 5500*msNs, 5501*msNs, 20_000, true)
	load(d, 8*second, 8010*msNs, 20_000, false)
	d.SetPower(9*second, false)
	w := d.wave(d.past.Load())
	stretches := 0
	for _, from := range []int64{3 * second, 5 * second, 7900 * msNs, 8900 * msNs} {
		d.cells.forget()
		for k, end := from/cellNs, (from+1200*msNs)/cellNs; k < end; k++ {
			got, alike := d.cell(&w, k)
			if alike > k+1 {
				stretches++
			}
			d.mu.Lock()
			work := d.workAt(k)
			d.mu.Unlock()
			if want := w.at(k, work); *got != want {
				t.Fatalf("cell %d at %.6f s: %+v, it is %+v", k, float64(k)*cellNs*1e-9, *got, want)
			}
		}
	}
	if stretches < 50_000 { // of 240 000 cells
		t.Errorf("only %d cells in stretches", stretches)
	}
}
