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
	rests rests
	now   stretch // the latest that was asked for
}

// at returns cell c. work is the power of IO in it, in watts by rail.
func (w *wave) at(c int64, work [railCount]float64) (p point) {
	mid := c*cellNs + cellNs/2
	l := w.h.lifeAt(c)
	var load [railCount]float64
	if l != nil {
		load = w.load(l, c, &work)
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
		i := cr.Farads*slope + cr.LeakAmps/cr.NominalVolts*v0 + load[rail]
		if work[rail] != 0 && l != nil {
			i = ampsFor(v0, cr.SourceOhms, (v0-cr.SourceOhms*i)*i+work[rail])
		}
		p.i[rail] = i
		p.v[rail] = v0 - cr.SourceOhms*i
	}
	return p
}

// load returns the load current in cell c of life l, and adds to work what the drive
// does on its own.
func (w *wave) load(l *life, c int64, work *[railCount]float64) (amps [railCount]float64) {
	n := c - l.born
	k := n - w.start.settled()
	if k < 0 {
		return [railCount]float64{w.start.amps[on5V][n], w.start.amps[on12V][n]}
	}
	s := w.stretchAt(l, c)
	amps = s.load
	for rail := range work {
		work[rail] += s.extra[rail]
	}
	if s.state >= 0 {
		return amps
	}
	work[w.start.noiseRail] += w.noise.at(k / msCells)
	if w.start.bumping(k) {
		amps[w.start.bumpRail] += w.start.bumpAmps
	}
	if s.spunAt != forever {
		amps[on12V] += w.start.motor(c-s.spunAt) - w.c.Motor.IdleAmps
	}
	return amps
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
// idle noise and bump; c itself if c is not such a cell.
func (w *wave) steadyUntil(c int64) int64 {
	mid := c*cellNs + cellNs/2
	for rail := range railCount {
		if r := w.h.ramp(rail, mid); r != nil && mid < r.endNs {
			return c
		}
	}
	end := int64(forever)
	if next := w.h.nextNs(mid); next != forever {
		end = cellFrom(next)
	}
	l := w.h.lifeAt(c)
	if l == nil {
		return end
	}
	if c-l.born < w.start.settled() {
		return c
	}
	s := w.stretchAt(l, c)
	if s.spunAt != forever {
		return c
	}
	return min(end, s.to)
}

// sameUntil returns the end of the cells from c on that are like it, but for IO; c if
// there is no other.
func (w *wave) sameUntil(c int64) int64 {
	end := w.steadyUntil(c)
	l := w.h.lifeAt(c)
	if l == nil || end == c || w.stretchAt(l, c).state >= 0 {
		return end
	}
	k := c - l.born - w.start.settled()
	if w.start.bumpAmps > 0 {
		end = min(end, c+w.start.bumpFor(k))
	}
	if w.noise.sigma > 0 {
		end = min(end, c+msCells-k%msCells)
	}
	return end
}

// steadyJoules adds the energy of steady cells in closed form: floor, tasks, bumps, and
// the sum of the idle noise.
func (w *wave) steadyJoules(from, to int64, e *[railCount]float64) {
	const cellS = cellNs * 1e-9
	l := w.h.lifeAt(from)
	if l == nil {
		p := w.floor(from, nil)
		for rail := range e {
			e[rail] += p.watts(rail) * float64(to-from) * cellS
		}
		return
	}
	s := w.stretchAt(l, from)
	floor := w.floor(from, &s.load)
	for rail := range e {
		e[rail] += (floor.watts(rail) + s.extra[rail]) * float64(to-from) * cellS
	}
	if s.state >= 0 {
		return
	}
	b := w.start.bumpRail
	load := s.load
	load[b] += w.start.bumpAmps
	bump := w.floor(from, &load)
	first, end := from-l.born-w.start.settled(), to-l.born-w.start.settled()
	bumps := w.start.bumpCells(end) - w.start.bumpCells(first)
	e[b] += (bump.watts(b) - floor.watts(b)) * float64(bumps) * cellS
	for k := first; k < end; {
		next := min((k/msCells+1)*msCells, end)
		e[w.start.noiseRail] += w.noise.at(k/msCells) * float64(next-k) * cellS
		k = next
	}
}

// floor returns a steady cell with a load current, nil = the drive is dead.
func (w *wave) floor(c int64, load *[railCount]float64) (p point) {
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
		if load != nil {
			i += load[rail]
		}
		p.i[rail] = i
		p.v[rail] = r.to - cr.SourceOhms*i
	}
	return p
}
