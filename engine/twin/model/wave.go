package model

// point is the state of both rails in one cell.
type point struct{ v, i [railCount]float64 }

// watts returns the power of a rail.
func (p *point) watts(rail int) float64 { return p.v[rail] * p.i[rail] }

// wave is the drive's waveform as one history has it. It belongs to one
// goroutine; it is best asked in the order of time.
type wave struct {
	c     *Config
	h     *history
	start *startup
	noise idleNoise
}

// at returns cell c. work is the power of IO in it, in watts by rail.
func (w *wave) at(c int64, work [railCount]float64) (p point) {
	mid := c*cellNs + cellNs/2
	l := w.h.lifeAt(c)
	n := int64(-1)
	if l != nil {
		n = c - l.born
		if k := n - w.start.settled(); k >= 0 {
			work[on5V] += w.noise.at(k / msCells)
		}
	}
	for rail := range railCount {
		r := w.h.ramp(rail, mid)
		if r == nil {
			continue
		}
		v0, slope := r.at(mid)
		if r.open {
			p.v[rail] = v0
			continue
		}
		cr := w.c.rail(rail)
		i := cr.Farads*slope + cr.LeakAmps/cr.NominalVolts*v0
		if n >= 0 {
			i += w.start.load(rail, n)
		}
		if work[rail] != 0 && n >= 0 {
			i = ampsFor(v0, cr.SourceOhms, (v0-cr.SourceOhms*i)*i+work[rail])
		}
		p.i[rail] = i
		p.v[rail] = v0 - cr.SourceOhms*i
	}
	return p
}

// joules returns the energy of the cells [from, to) by rail, without IO.
func (w *wave) joules(from, to int64) (e [railCount]float64) {
	for c := from; c < to; {
		if end := min(w.steadyUntil(c), to); end > c {
			w.steadyJoules(c, end, &e)
			c = end
			continue
		}
		p := w.at(c, [railCount]float64{})
		for rail := range e {
			e[rail] += p.watts(rail) * cellNs * 1e-9
		}
		c++
	}
	return e
}

// steadyUntil returns the end of the cells from c on in which nothing changes but
// the idle extras; c itself if c is not such a cell.
func (w *wave) steadyUntil(c int64) int64 {
	mid := c*cellNs + cellNs/2
	for rail := range railCount {
		if r := w.h.ramp(rail, mid); r != nil && mid < r.endNs {
			return c
		}
	}
	if l := w.h.lifeAt(c); l != nil && c-l.born < w.start.settled() {
		return c
	}
	next := w.h.nextNs(mid)
	if next == forever {
		return forever
	}
	return cellFrom(next)
}

// steadyJoules adds the energy of steady cells in closed form: floor, bumps, and
// the sum of the idle noise.
func (w *wave) steadyJoules(from, to int64, e *[railCount]float64) {
	const cellS = cellNs * 1e-9
	l := w.h.lifeAt(from)
	floor := w.floor(from, l, 0)
	for rail := range e {
		e[rail] += floor.watts(rail) * float64(to-from) * cellS
	}
	if l == nil {
		return
	}
	bump := w.floor(from, l, w.start.bumpAmps)
	a, b := from-l.born-w.start.settled(), to-l.born-w.start.settled()
	bumps := w.start.bumpCells(b) - w.start.bumpCells(a)
	e[on12V] += (bump.watts(on12V) - floor.watts(on12V)) * float64(bumps) * cellS
	for k := a; k < b; {
		next := min((k/msCells+1)*msCells, b)
		e[on5V] += w.noise.at(k/msCells) * float64(next-k) * cellS
		k = next
	}
}

// floor returns a steady cell without idle noise, with extra amperes on 12 V.
func (w *wave) floor(c int64, l *life, extra float64) (p point) {
	for rail := range railCount {
		cr := w.c.rail(rail)
		r := w.h.ramp(rail, c*cellNs+cellNs/2)
		if r == nil {
			continue
		}
		p.v[rail] = r.to
		if r.open {
			continue
		}
		i := cr.LeakAmps / cr.NominalVolts * r.to
		if l != nil {
			i += w.start.idle[rail]
			if rail == on12V {
				i += extra
			}
		}
		p.i[rail] = i
		p.v[rail] = r.to - cr.SourceOhms*i
	}
	return p
}
