package model

import (
	"math"
	"slices"
	"sort"
)

const forever = math.MaxInt64

// rails of the drive, as indices.
const (
	on5V = iota
	on12V
	railCount
)

// ramp is a linear change of a supply; after endNs it stays at to. An open one
// has lost its source: its volts fall and no current flows.
type ramp struct {
	startNs, endNs int64
	from, to       float64
	open           bool
}

func (r *ramp) at(ns int64) (volts, voltsPerS float64) {
	if ns >= r.endNs {
		return r.to, 0
	}
	slope := (r.to - r.from) / float64(r.endNs-r.startNs)
	return r.from + slope*float64(ns-r.startNs), slope * 1e9
}

// life is the time in which the drive runs, in cells.
type life struct{ born, died int64 }

// history is every power command so far and what follows from it. It is never
// changed: a command makes a new one.
type history struct {
	on     bool
	set    [railCount]float64 // volts when on
	ramps  [railCount][]ramp  // by startNs
	lives  []life
	cycles []int64 // power-ons
}

// newest returns the index of the last of n elements whose start is not after x,
// or -1. The newest is tried first: that is where nearly every question goes.
func newest(n int, x int64, start func(int) int64) int {
	if n == 0 || start(n-1) <= x {
		return n - 1
	}
	return sort.Search(n, func(i int) bool { return start(i) > x }) - 1
}

func (h *history) ramp(rail int, ns int64) *ramp {
	rs := h.ramps[rail]
	i := newest(len(rs), ns, func(i int) int64 { return rs[i].startNs })
	if i < 0 {
		return nil
	}
	return &rs[i]
}

// volts returns the supply of a rail at ns, 0 before the first command.
func (h *history) volts(rail int, ns int64) float64 {
	if r := h.ramp(rail, ns); r != nil {
		v, _ := r.at(ns)
		return v
	}
	return 0
}

// lifeAt returns the life that cell c belongs to, or nil.
func (h *history) lifeAt(c int64) *life {
	i := newest(len(h.lives), c, func(i int) int64 { return h.lives[i].born })
	if i < 0 || c >= h.lives[i].died {
		return nil
	}
	return &h.lives[i]
}

// lastNs returns the time of the latest command.
func (h *history) lastNs() int64 {
	last := int64(math.MinInt64)
	for _, rs := range h.ramps {
		if n := len(rs); n > 0 {
			last = max(last, rs[n-1].startNs)
		}
	}
	return last
}

// nextNs returns the time of the first command after ns, or forever.
func (h *history) nextNs(ns int64) int64 {
	next := int64(forever)
	for _, rs := range h.ramps {
		i := newest(len(rs), ns, func(i int) int64 { return rs[i].startNs }) + 1
		if i < len(rs) {
			next = min(next, rs[i].startNs)
		}
	}
	return next
}

func (h *history) clone() *history {
	c := *h
	for i := range c.ramps {
		c.ramps[i] = slices.Clone(h.ramps[i])
	}
	c.lives = slices.Clone(h.lives)
	c.cycles = slices.Clone(h.cycles)
	return &c
}

// power returns h after a power command. Both rails go together.
func (h *history) power(c *Config, atNs int64, on bool) *history {
	if on == h.on {
		return h
	}
	n := h.clone()
	n.on = on
	if on {
		n.cycles = append(n.cycles, atNs)
	}
	for rail := range railCount {
		if c.rail(rail).absent() {
			continue
		}
		to := 0.0
		if on {
			to = n.set[rail]
		}
		n.turn(c, rail, atNs, to)
	}
	return n
}

// turn lets a rail go to another voltage from atNs on.
func (h *history) turn(c *Config, rail int, atNs int64, to float64) {
	nominal, fullNs := c.rail(rail).NominalVolts, c.RampNs
	if !h.on {
		fullNs = c.FallNs
	}
	from := h.volts(rail, atNs)
	r := ramp{startNs: atNs, from: from, to: to, open: !h.on}
	r.endNs = atNs + int64(math.Abs(to-from)/nominal*float64(fullNs))
	h.ramps[rail] = append(h.ramps[rail], r)
	h.relive(c, cellFrom(atNs))
}

// relive ends or begins a life from cell now on, as the newest ramps of all rails have it.
// What the ramps before them would have done later does not happen any more.
func (h *history) relive(c *Config, now int64) {
	k := len(h.lives) - 1
	if k >= 0 && h.lives[k].born >= now {
		h.lives = h.lives[:k]
		k--
	}
	start, end := h.fed(c)
	if k >= 0 && h.lives[k].died > now { // it lives
		if start <= now {
			h.lives[k].died = max(now, end)
			return
		}
		h.lives[k].died = now
	}
	if start = max(start, now); start < end {
		h.lives = append(h.lives, life{born: start, died: end})
	}
}

// fed returns the cells in which every rail of the drive is, by its newest ramp, at the
// volts that the drive needs.
func (h *history) fed(c *Config) (start, end int64) {
	start, end = math.MinInt64, forever
	for rail := range railCount {
		if c.rail(rail).absent() {
			continue
		}
		if len(h.ramps[rail]) == 0 {
			return 0, 0
		}
		r := &h.ramps[rail][len(h.ramps[rail])-1]
		from, to := r.above(c.least(rail))
		start, end = max(start, from), min(end, to)
	}
	return start, end
}

// above returns the cells in which the ramp, and what it ends in, is at volts or above.
func (r *ramp) above(volts float64) (start, end int64) {
	share := (volts - r.from) / (r.to - r.from) // not used where it is none
	cross := func() int64 { return cellFrom(r.startNs + int64(share*float64(r.endNs-r.startNs))) }
	switch {
	case r.open || r.from < volts && r.to < volts:
		return 0, 0
	case r.from < volts:
		return cross(), forever
	case r.to < volts:
		return math.MinInt64, cross()
	}
	return math.MinInt64, forever
}

// least returns the volts below which a rail does not keep the drive alive.
func (c *Config) least(rail int) float64 {
	switch {
	case rail == railIndex(c.LockOut.Rail):
		return c.LockOut.Volts
	case c.LockOut.OtherVolts > 0:
		return c.LockOut.OtherVolts
	}
	return c.rail(rail).NominalVolts / 2
}

// cellAt returns the cell that ns lies in.
func cellAt(ns int64) int64 {
	c := ns / cellNs
	if ns < c*cellNs {
		c--
	}
	return c
}

// cellFrom returns the first cell whose middle is at ns or later: the first that
// something which happens at ns can be seen in.
func cellFrom(ns int64) int64 { return cellAt(ns + cellNs/2 - 1) }

// cellsFor returns how many cells a length takes.
func cellsFor(ns int64) int64 { return (ns + cellNs - 1) / cellNs }

// railIndex returns -1 for a rail that no drive has.
func railIndex(rail string) int {
	switch rail {
	case "5v":
		return on5V
	case "12v":
		return on12V
	}
	return -1
}

// index returns -1 for a rail that the drive does not have.
func (c *Config) index(rail string) int {
	if i := railIndex(rail); i >= 0 && !c.rail(i).absent() {
		return i
	}
	return -1
}

func (c *Config) rail(i int) *Rail {
	if i == on5V {
		return &c.Rail5V
	}
	return &c.Rail12V
}
