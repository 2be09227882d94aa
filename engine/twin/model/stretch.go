package model

import "math"

// stretch is cells of a settled life in which what the drive does on its own stays the
// same: its idle state, and the tasks at work.
type stretch struct {
	from, to int64
	born     int64 // of its life
	state    int   // index of the idle state, -1 = active
	entering int64 // the cell at which the next state will have been entered, if the first cell is on the way
	spunAt   int64 // the motor spins up from this cell on; forever = it does not
	load     [railCount]float64
	extra    [railCount]float64 // watts of tasks
}

// stretchAt returns the stretch of cell c of life l, which has settled.
func (w *wave) stretchAt(l *life, c int64) *stretch {
	if s := &w.now; s.from <= c && c < s.to && s.born == l.born {
		return s
	}
	begin := l.born + w.start.settled()
	s := stretch{from: c, to: forever, born: l.born, state: -1, spunAt: forever, load: w.start.idle}
	quiet, waking := begin, false
	for i := range w.start.tasks {
		t := &w.start.tasks[i]
		a := t.around(mix(w.c.Seed+0x7a5c+uint64(i))^mix(uint64(l.born)), c-begin, w.start.deepest)
		s.to = min(s.to, begin+a.next)
		for rail := range s.extra {
			s.extra[rail] += float64(a.on) * t.watts[rail]
		}
		if t.wakes {
			quiet, waking = max(quiet, begin+a.last), waking || a.on > 0
		}
	}
	if len(w.start.states) > 0 {
		w.rest(&s, c, quiet, waking)
	}
	w.now = s
	return &w.now
}

// rest finds the idle state of cell c. The drive's own tasks let it rest from cell quiet
// on, and not now if waking.
func (w *wave) rest(s *stretch, c, quiet int64, waking bool) {
	rest, before := w.rests.at(c)
	if rest.from == rest.to {
		s.to = min(s.to, rest.from)
		if spun := w.start.spunDown; spun > 0 && before.to-before.from >= spun && c < before.to+w.start.spinCells() {
			s.spunAt = before.to
			s.to = min(s.to, before.to+w.start.spinCells())
		}
		return
	}
	s.to = min(s.to, rest.to)
	if waking {
		return
	}
	quiet = max(quiet, rest.from)
	for i := range w.start.states {
		state := &w.start.states[i]
		if entered := quiet + state.entered; c < entered {
			s.to = min(s.to, entered)
			if c >= quiet+state.after {
				s.entering = entered
			}
			return
		}
		s.state, s.load = i, state.load
	}
}

// task is a Task in cells and watts by rail.
type task struct {
	long, each int64
	random     bool
	wakes      bool
	watts      [railCount]float64
}

// around is what a task does around a cell.
type around struct {
	on   int   // times at once
	last int64 // end of the latest time that is over, not before what was asked; else 0
	next int64 // nothing changes before
}

// around looks at cell k of a settled life, and back cells further for what is over. A
// random task has its moments in slots of its period, in each a number of them that
// follows Poisson's law with a mean of 1; a regular one begins in the middle of each.
func (t *task) around(seed uint64, k, back int64) (a around) {
	a.next = (k/t.each + 2) * t.each
	// From the newest slot back: once one has a time that is over, those before it have none
	// that is not.
	for slot := k/t.each + 1; slot >= max(0, k-t.long-back)/t.each && a.last == 0; slot-- {
		n, bits := 1, uint64(0)
		if t.random {
			bits = mix(seed + uint64(slot))
			n = poisson(bits)
		}
		for i := range n {
			from := slot*t.each + t.each/2
			if t.random {
				from = slot*t.each + int64(mix(bits+uint64(i))>>11%uint64(t.each))
			}
			switch to := from + t.long; {
			case from > k:
				a.next = min(a.next, from)
			case to > k:
				a.on++
				a.next = min(a.next, to)
			default:
				a.last = max(a.last, to)
			}
		}
	}
	return a
}

// poisson returns a number that is drawn by bits from a Poisson distribution of mean 1.
func poisson(bits uint64) int {
	u := unit(bits)
	n, p := 0, math.Exp(-1)
	for u -= p; u >= 0 && n < 16; u -= p {
		n++
		p /= float64(n)
	}
	return n
}
