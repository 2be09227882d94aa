package model

import "math"

// Flash is what stands behind a drive's interface: pages that can be programmed
// once and must be collected before they are programmed again. The zero Flash is
// none: writes then cost the same whatever was written before.
//
// A fresh drive takes FreshShare of its capacity, each page once. After that garbage
// collection programmes pages of its own: the write amplification (WA, programmes
// a page of the host's) of random writes rises from 1 to SteadyWA, by an exponential
// whose time constant is TailNs of programming at full rate. Programmes are what
// bounds and heats a flash, so the watts hardly change while IOPS fall.
//
// Sequential writes bring the order back with the same time constant, and have an
// amplification of their own. Discarding everything makes the drive fresh; a part
// of its live data makes it fresh by that part.
type Flash struct {
	ProgrammesPerS float64 // most 4 KiB pages that the flash takes a second; 0 = no flash
	FreshShare     float64 // × CapacityBytes is what a fresh drive takes before the cliff
	TailNs         int64   // time constant of the cliff's tail, at full rate
	SteadyWA       float64 // of random writes in the long run, 1 or more
	SequentialWA   float64 // of sequential writes after the cliff, 1 or more

	Bursts Bursts
	After  After

	// A write leaves the write cache this long after it was taken, drawn anew for each
	// between the two; its programmes are drawn all the while. Up to 500 ms.
	DrainMinNs, DrainMaxNs int64

	Compresses bool // what is stored of a page depends on its content
}

// Bursts is garbage collection that shows: for LongNs the drive draws more and
// serves less. A burst works off programmes that the writes before it owe, so
// neither the energy of a write nor the long-run rate depend on it.
type Bursts struct {
	LongNs, EachNs int64   // EachNs: mean period under full random load in the steady state; LongNs 0 = none
	ExtraW         float64 // under that load, against the watts between bursts
	SlowBy         float64 // 0 … 1: share of the IOPS that is missing meanwhile
}

// After is work that goes on when the host has stopped writing: garbage collection,
// or a volatile cache that is written out.
type After struct {
	Watts     float64 // 0 = none
	LongNs    int64   // the most that is owed
	PerWork   float64 // ns of it that a nanosecond of the controller's work on writes adds
	QuietNs   int64   // how long after the last IO it begins; any IO interrupts it
	Portion5V float64 // 0 … 1: share of Watts from 5 V
}

const mostDrainNs = 500 * msNs

func (f *Flash) faults(c *Config, need need) {
	a, b := &f.After, &f.Bursts
	need(a.Watts >= 0 && a.LongNs >= 0 && a.PerWork >= 0 && a.QuietNs >= 0, "Flash.After", "0 or more")
	need(a.Watts == 0 || c.shareable(a.Portion5V), "Flash.After.Portion5V", shareableText)
	need(a.Watts == 0 || a.QuietNs >= 10*msNs, "Flash.After.QuietNs", "10 ms or more")
	need(f.DrainMinNs >= 0 && f.DrainMaxNs >= f.DrainMinNs && f.DrainMaxNs <= mostDrainNs, "Flash.DrainMinNs, DrainMaxNs", "ordered, 0 to 500 ms")
	need(f.ProgrammesPerS >= 0, "Flash.ProgrammesPerS", "0 or more")
	if f.ProgrammesPerS == 0 {
		return
	}
	need(c.CapacityBytes > 0, "CapacityBytes", "positive for a drive with flash")
	need(c.Write.MediaJoules > 0, "Write.MediaJoules", "positive for a drive with flash")
	need(f.FreshShare >= 0 && f.TailNs > 0, "Flash.FreshShare, TailNs", "0 or more, positive")
	need(f.SteadyWA >= 1 && f.SequentialWA >= 1, "Flash.SteadyWA, SequentialWA", "1 or more")
	if b.LongNs != 0 {
		need(b.LongNs >= msNs && b.LongNs <= 500*msNs && b.EachNs >= 2*b.LongNs, "Flash.Bursts", "1 to 500 ms long, at most half of the time")
		need(b.ExtraW >= 0 && b.SlowBy >= 0 && b.SlowBy < 1, "Flash.Bursts", "with ExtraW of 0 or more and SlowBy of 0 to below 1")
		need(f.SteadyWA > 1 && newCollector(c).share <= 1, "Flash.Bursts.ExtraW", "within what the programmes beyond the host's can give")
	}
}

// collector is what bursts follow from: with δ = LongNs/EachNs, s = SlowBy and
// N = ProgrammesPerS/SteadyWA, the drive serves Nb = N/(1 − s·δ) between bursts. Of
// the SteadyWA programmes of a write, w are made at once and the rest in bursts:
//
//	δ·watts = N·e·(SteadyWA − w)             what bursts draw is what writes owe
//	watts   = ExtraW + s·Nb·(h + e·w)        bursts make up for the IOs they hold up
//
// with e the joules of a programme and h those of a 4 KiB write at the host side.
type collector struct {
	share      float64            // of the programmes beyond the first that bursts make
	joules     [railCount]float64 // of a burst, all of it programmes
	programmes float64            // of a burst
	slow       float64            // SlowBy
	duty       float64            // of bursts at full rate, for each programme owed a programme made
}

func newCollector(c *Config) collector {
	f := &c.Flash
	if f.Bursts.LongNs == 0 || f.ProgrammesPerS == 0 {
		return collector{}
	}
	b := &f.Bursts
	delta := float64(b.LongNs) / float64(b.EachNs)
	n := f.ProgrammesPerS / f.SteadyWA
	e, h := c.Write.MediaJoules, c.Write.IOJoules+c.Write.PageJoules
	nb := n / (1 - b.SlowBy*delta)
	held := delta * b.SlowBy * nb
	w := (n*e*f.SteadyWA - delta*b.ExtraW - held*h) / (e * (n + held))
	watts := b.ExtraW + b.SlowBy*nb*(h+e*w)
	joules := watts * float64(b.LongNs) * 1e-9
	return collector{
		share:      (f.SteadyWA - w) / (f.SteadyWA - 1),
		joules:     c.Write.split(joules),
		programmes: joules / e,
		slow:       b.SlowBy,
		duty:       e * f.ProgrammesPerS / watts,
	}
}

// flash is the state of a drive's flash. It belongs to the queue.
type flash struct {
	c         *Flash
	collector collector
	fresh     float64 // programmes that FreshShare stands for
	tail      float64 // programmes that TailNs stands for
	free      float64 // programmes before garbage must be collected
	dirty     float64 // 0 = in order, 1 = as random writes leave it in the long run
	owed      float64 // programmes left to bursts
	burstAt   float64 // … that start the next one
	bursts    uint64
	untilNs   int64 // end of the latest burst
	live      liveMap
	recent    recentEnds
}

func newFlash(c *Config) *flash {
	f := &flash{c: &c.Flash, collector: newCollector(c)}
	if c.Flash.ProgrammesPerS == 0 {
		return f
	}
	f.fresh = c.Flash.FreshShare * float64(c.CapacityBytes) / pageBytes
	f.free = f.fresh
	f.tail = float64(c.Flash.TailNs) * 1e-9 * c.Flash.ProgrammesPerS
	f.live = newLiveMap(c.CapacityBytes)
	f.nextBurst(c.Seed)
	return f
}

func (f *flash) nextBurst(seed uint64) {
	f.burstAt = f.collector.programmes * (0.5 + unit(mix(seed+0xb0b0+f.bursts)))
}

// programmed is what a write did to the flash.
type programmed struct {
	now    float64 // programmes made with it
	workNs float64 // of the controller, at full rate
}

// write takes pages of the host's, which may be a part of one.
func (f *flash) write(r *Request, sequential bool) programmed {
	pages := pagesOf(r.Bytes)
	if f.c.Compresses && r.Stored > 0 {
		pages *= min(r.Stored, 1)
	}
	if f.c.ProgrammesPerS == 0 {
		return programmed{now: pages}
	}
	f.live.set(r.OffsetBytes, int64(r.Bytes))
	wa, end := 1.0, 1.0
	if f.free <= 0 {
		if wa = 1 + (f.c.SteadyWA-1)*f.dirty; sequential {
			wa, end = f.c.SequentialWA, 0
		}
	}
	made := pages * wa
	if f.free > 0 {
		f.free -= made
	} else {
		f.dirty += (end - f.dirty) * -math.Expm1(-made/f.tail)
	}
	k := &f.collector
	left := k.share * (made - pages)
	f.owed += left
	return programmed{
		now:    made - left,
		workNs: made / f.c.ProgrammesPerS * 1e9 * (1 - k.slow*k.duty*left/made),
	}
}

// burst says whether garbage collection shows from atNs on, and begins a burst if
// one is due.
func (f *flash) burst(atNs int64, seed uint64) bool {
	if f.owed < f.burstAt || f.collector.programmes == 0 || atNs < f.untilNs {
		return false
	}
	f.owed -= f.collector.programmes
	f.untilNs = atNs + f.c.Bursts.LongNs
	f.bursts++
	f.nextBurst(seed)
	return true
}

// discard takes what was written in [offset, offset+bytes) away.
func (f *flash) discard(offset, bytes int64) {
	if f.c.ProgrammesPerS == 0 {
		return
	}
	all := f.live.count
	gone := f.live.clear(offset, bytes)
	if gone == 0 {
		return
	}
	share := float64(gone) / float64(all)
	f.free = max(f.free, 0) + share*(f.fresh-max(f.free, 0))
	f.dirty *= 1 - share
	f.owed *= 1 - share
}

// Compresses says whether what is stored of a write depends on its content.
func (d *Drive) Compresses() bool { return d.cfg.Flash.Compresses }

// FlashState is the state of the flash behind a drive.
type FlashState struct {
	FreshBytes float64 // that can still be written at an amplification of 1
	RandomWA   float64 // of a random write now
	LiveBytes  int64   // that hold data, to the map's resolution
	Bursts     uint64  // begun so far
}

// Flash returns the state now.
func (d *Drive) Flash() FlashState {
	q := &d.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	f := q.flash
	s := FlashState{FreshBytes: max(f.free, 0) * pageBytes, RandomWA: 1, LiveBytes: f.live.count << f.live.shift, Bursts: f.bursts}
	if f.free <= 0 && f.c.ProgrammesPerS > 0 {
		s.RandomWA = 1 + (f.c.SteadyWA-1)*f.dirty
	}
	return s
}
