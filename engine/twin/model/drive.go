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

	mu     sync.Mutex // guards what follows, and the making of a new history
	ring   ring
	ledger ledger
	filled int64 // first cell that Fill has not given out
	seq    uint64
	busyNs int64 // the work of all IOs so far has been drawn

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
	d.start = newStartup(&d.cfg)
	d.normals = newNormals()
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
	i := railIndex(rail)
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
	if k := len(h.lives) - 1; k >= 0 && h.lives[k].died != forever {
		d.ring.drop(h.lives[k].died, func(c int64, joules [railCount]float64) {
			for rail := range joules {
				joules[rail] = -joules[rail]
			}
			d.ledger.draw(c, 1, joules)
		})
	}
}

// Ready says whether the drive serves IO at ns.
func (d *Drive) Ready(ns int64) bool {
	l := d.past.Load().lifeAt(cellAt(ns))
	return l != nil && ns >= l.born*cellNs+d.cfg.ReadyNs
}

// backlogNs is how far completions that came in a lump are spread out at most.
const backlogNs = 50 * msNs

// IO books an IO that was served: it was submitted at submitNs and completed at
// doneNs, host time. Its joules are drawn by a pulse that begins at the IO's
// service plus the drive's lag, and not before the work of the IOs before it: a
// host that completes many at once does not make the flash work faster than it
// can. While the drive is dead nothing is drawn, but the IO is counted all the same.
func (d *Drive) IO(submitNs, doneNs int64, write bool, bytes int) {
	dir := d.cfg.direction(write)
	work := dir.workNs(bytes)
	n := (max(d.cfg.PulseNs, work) + cellNs - 1) / cellNs
	joules := dir.joules(bytes)
	for rail := range joules {
		joules[rail] /= float64(n)
	}
	served := max(submitNs, doneNs-max(dir.ServiceNs, work))

	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledger.serve(doneNs, write, bytes)
	d.seq++
	lag := d.cfg.LagMinNs + int64(mix(d.cfg.Seed^d.seq)>>32*uint64(d.cfg.LagMaxNs-d.cfg.LagMinNs)>>32)
	start := max(served+lag, min(d.busyNs, served+lag+backlogNs))
	if d.filled != math.MinInt64 {
		start = max(start, d.filled*cellNs)
	}
	d.busyNs = start + work
	c := cellFrom(start)
	if d.ring.any {
		c = max(c, d.ring.head-ringCells+1)
	}
	l := d.past.Load().lifeAt(c)
	if l == nil {
		return
	}
	n = min(n, l.died-c)
	d.ring.add(c, n, joules)
	d.ledger.draw(c, n, joules)
}

// workNs returns how long the controller is at work on an IO.
func (r *Direction) workNs(bytes int) int64 {
	return int64(max(1/r.TopIOPS, float64(bytes)/r.TopBytesPerS)*1e9 + 0.5)
}

// joules returns the energy of an IO by rail.
func (r *Direction) joules(bytes int) (e [railCount]float64) {
	media := float64((bytes+pageBytes-1)/pageBytes) * r.MediaJoules
	e[on5V] = r.IOJoules + float64(bytes)/pageBytes*r.PageJoules + r.Media5VPortion*media
	e[on12V] = (1 - r.Media5VPortion) * media
	return e
}

func (c *Config) direction(write bool) *Direction {
	if write {
		return &c.Write
	}
	return &c.Read
}

func (d *Drive) wave(h *history) wave {
	return wave{c: &d.cfg, h: h, start: d.start, noise: newIdleNoise(d.normals, mix(d.cfg.Seed), d.cfg.IdleNoise)}
}

// railIndex returns -1 for a rail that the drive does not have.
func railIndex(rail string) int {
	switch rail {
	case "5v":
		return on5V
	case "12v":
		return on12V
	}
	return -1
}
