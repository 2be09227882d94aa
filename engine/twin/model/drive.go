package model

import (
	"math"
	"sync"
	"sync/atomic"
)

// Drive is an emulated drive. It is without power at first: SetPower with a time
// in the past makes one that has been running. All methods may be called at the
// same time; each is short but Truth and Inrushes, which hold no lock for long.
type Drive struct {
	cfg     Config
	start   *startup
	normals *normals

	past atomic.Pointer[history]

	mu      sync.Mutex // guards what follows, and the making of a new history
	ring    ring
	ledger  ledger
	chores  chores
	rests   rests
	awakeNs int64 // a drive that was in an idle state serves IO from here on
	filled  int64 // first cell that Fill has not given out
	busyNs  int64 // the work of all IOs so far has been drawn
	late    uint64

	fillMu sync.Mutex // one Fill at a time
	cells  cellBuffer

	queue queue
}

// New returns a drive without power.
func New(c Config) (*Drive, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	d := &Drive{cfg: c, filled: math.MinInt64}
	d.ring.ledger = &d.ledger
	d.queue.init(&d.cfg)
	d.start = newStartup(&d.cfg)
	d.normals = newNormals()
	d.rests = rests{from: forever}
	if len(d.start.states) > 0 {
		d.rests.least = d.start.states[0].entered
	}
	h := &history{}
	for i := range railCount {
		h.set[i] = d.cfg.rail(i).NominalVolts
	}
	d.past.Store(h)
	return d, nil
}

// SetPower switches both rails at atNs. A time before the last command, or
// before what Fill has given out, is moved to there. Switching to the state that
// the drive is in already does nothing.
func (d *Drive) SetPower(atNs int64, on bool) {
	d.change(atNs, func(h *history, atNs int64) *history { return h.power(&d.cfg, atNs, on) })
}

// SetRail sets the voltage of rail "5v" or "12v" while it is on, in millivolts;
// the rail goes there at the slope of a power-on. Another rail is ignored.
func (d *Drive) SetRail(atNs int64, rail string, milliVolts int) {
	i := d.cfg.index(rail)
	if i < 0 {
		return
	}
	d.change(atNs, func(h *history, atNs int64) *history {
		n := h.clone()
		n.set[i] = float64(milliVolts) * 1e-3
		if n.on {
			n.turn(&d.cfg, i, atNs, n.set[i])
		}
		return n
	})
}

// change makes a new history. Work that the drive has lost with its life is
// taken back: it was never drawn.
func (d *Drive) change(atNs int64, next func(h *history, atNs int64) *history) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.past.Load()
	atNs = max(atNs, h.lastNs())
	if d.filled != math.MinInt64 {
		atNs = max(atNs, d.filled*cellNs)
	}
	h = next(h, atNs)
	d.past.Store(h)
	k := len(h.lives) - 1
	switch {
	case k < 0:
		d.rests.drop(cellFrom(atNs))
	case h.lives[k].died != forever:
		d.ring.drop(h.lives[k].died)
		d.chores.drop(h.lives[k].died)
		d.rests.drop(h.lives[k].died)
	default:
		d.rests.begin(max(cellFrom(atNs), h.lives[k].born+d.start.settled()))
	}
}

// Ready says whether the drive serves IO at ns.
func (d *Drive) Ready(ns int64) bool {
	l := d.past.Load().lifeAt(cellAt(ns))
	return l != nil && ns >= l.born*cellNs+d.cfg.ReadyNs
}

// Done counts an IO that was served at doneNs, host time. One that was admitted and
// is never done, for the power went, is not counted.
func (d *Drive) Done(t Ticket, doneNs int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger.serve(doneNs, doneNs-t.SubmitNs, t.write, t.bytes)
}

// Late returns how many IOs so far drew their joules after their time, for Fill had given
// that out before they were admitted.
func (d *Drive) Late() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late
}

// Whole returns the last time up to ns that Fill may be asked up to without an IO that is
// admitted at ns or later finding its time given out: it gives out whole cells.
func Whole(ns int64) int64 { return cellAt(ns) * cellNs }

// backlogNs is how far IOs that came in a lump are spread out at most.
const backlogNs = 500 * msNs

// book draws the joules of an IO, from the next cell that Fill has not given out on
// if that is later.
func (d *Drive) book(t *Ticket, b *booking) {
	dir := d.cfg.direction(t.write)
	host, media := dir.joules(t.bytes, b.pages)
	longNs := max(d.cfg.PulseNs, b.workNs)
	if b.drainNs == 0 {
		for rail := range host {
			host[rail] += media[rail]
		}
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	startNs := max(b.slotNs, t.SubmitNs)
	if d.filled != math.MinInt64 && startNs < d.filled*cellNs-b.lagNs {
		startNs = d.filled*cellNs - b.lagNs
		d.late++
	}
	startNs = max(startNs, min(d.busyNs, startNs+backlogNs))
	d.busyNs = startNs + b.workNs
	c := cellFrom(startNs + b.lagNs)
	l := d.past.Load().lifeAt(c)
	if l == nil {
		return
	}
	if b.drainNs != 0 {
		d.draw(l, c, longNs+b.drainNs, media)
	}
	d.draw(l, c, longNs, host)
	if b.burst {
		d.draw(l, c, d.cfg.Flash.Bursts.LongNs, d.queue.flash.collector.joules)
	}
	if b.seekJ > 0 {
		d.draw(l, c, dir.Seek.LongNs, [railCount]float64{on12V: b.seekJ})
	}
	if len(d.cfg.IdleStates) > 0 {
		d.rests.busy(c, max(c, cellFrom(t.DueNs)))
	}
	if a := &d.cfg.Flash.After; a.Watts > 0 {
		d.chores.interrupt(a, c, max(c, cellFrom(t.DueNs)))
		if t.write {
			d.chores.owe(a, b.workNs)
		}
	}
}

// draw books joules in the cells from c on, as far as life l lasts. The caller holds mu.
func (d *Drive) draw(l *life, c, longNs int64, joules [railCount]float64) {
	n := cellsFor(longNs)
	d.ring.add(c, min(n, l.died-c), perCell(joules, n))
}

// workNs returns how long the controller is at work on an IO, the flash aside.
func (r *Direction) workNs(bytes int) float64 {
	return max(1/r.TopIOPS, float64(bytes)/r.TopBytesPerS) * 1e9
}

// joules returns the energy of an IO by rail: of the host side, and of the pages
// that the flash programmes or reads.
func (r *Direction) joules(bytes int, pages float64) (host, media [railCount]float64) {
	return split(r.Host5VPortion, r.IOJoules+float64(bytes)/pageBytes*r.PageJoules), r.split(pages * r.MediaJoules)
}

// split divides joules of the media between the rails.
func (r *Direction) split(joules float64) [railCount]float64 { return split(r.Media5VPortion, joules) }

// split divides joules or watts between the rails.
func split(portion5V, x float64) [railCount]float64 {
	return [railCount]float64{on5V: portion5V * x, on12V: (1 - portion5V) * x}
}

// pagesOf returns how many pages bytes take.
func pagesOf(bytes int) float64 { return float64((bytes + pageBytes - 1) / pageBytes) }

func (c *Config) direction(write bool) *Direction {
	if write {
		return &c.Write
	}
	return &c.Read
}

// wave returns the waveform as h has it. The caller holds mu.
func (d *Drive) wave(h *history) wave {
	return wave{c: &d.cfg, h: h, start: d.start, rests: d.rests, noise: newIdleNoise(d.normals, mix(d.cfg.Seed), d.cfg.IdleNoise)}
}
