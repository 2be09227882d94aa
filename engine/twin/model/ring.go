package model

import "math"

// femto is an energy by rail in femtojoules. Whole numbers: what is added to many
// cells and taken from many cells is gone to the last digit.
type femto [railCount]int64

const joulesPerFemto = 1e-15

// perCell divides joules over n cells, to half a femtojoule.
func perCell(joules [railCount]float64, n int64) (e femto) {
	for rail := range e {
		e[rail] = int64(math.Round(joules[rail] / joulesPerFemto / float64(n)))
	}
	return e
}

func (e *femto) add(o femto) {
	for rail := range e {
		e[rail] += o[rail]
	}
}

func (e femto) times(n int64) femto {
	for rail := range e {
		e[rail] *= n
	}
	return e
}

// ring holds what IO draws in each cell from about the last second on. A pulse costs
// the same whatever its length: it is noted where it begins and where it ends, and
// cells are summed up once, when they are first read or when they leave the ring.
// Then they go into the ledger.
type ring struct {
	ledger *ledger
	cells  [ringCells]femto // before front what a cell draws, from front on changes
	any    bool
	tail   int64 // oldest cell that is held, the first of a millisecond
	front  int64
	head   int64 // nothing is drawn from here on
	level  femto // drawn in the cell before front
	spells spells
}

const (
	ringCells = 1 << 16
	earlyMs   = 100 // how much earlier than the first IO another may still begin
)

func (r *ring) slot(c int64) *femto { return &r.cells[c&(ringCells-1)] }

// add books e in each of n cells from c on, or from the oldest that is held.
func (r *ring) add(c, n int64, e femto) {
	if !r.any {
		r.any, r.tail, r.front, r.head = true, (cellMs(c)-earlyMs)*msCells, c, c
	}
	c = max(c, r.tail)
	end := c + n
	r.makeRoom(end)
	r.head = max(r.head, end)
	r.spells.mark(c, end)
	if c < r.front {
		here := min(end, r.front)
		r.ledger.draw(c, here-c, e)
		for ; c < here; c++ {
			r.slot(c).add(e)
		}
		if c == end {
			return
		}
	}
	r.slot(c).add(e)
	r.slot(end).add(e.times(-1))
}

// makeRoom lets the oldest cells go until end has a slot.
func (r *ring) makeRoom(end int64) {
	if end < r.tail+ringCells {
		return
	}
	tail := (cellMs(end-ringCells) + 1) * msCells
	r.settle(tail)
	r.front = max(r.front, tail)
	for c := r.tail; c < min(tail, r.tail+ringCells); c++ {
		*r.slot(c) = femto{}
	}
	r.tail = tail
}

// settle sums up the cells before to, and puts them into the ledger.
func (r *ring) settle(to int64) {
	for to = min(to, r.head+1); r.front < to; r.front++ {
		e := r.slot(r.front)
		r.level.add(*e)
		*e = r.level
		if r.level != (femto{}) {
			r.ledger.draw(r.front, 1, r.level)
		}
	}
}

// holds says whether the ring still has cell c, or c is newer than anything in it.
func (r *ring) holds(c int64) bool { return !r.any || c >= r.tail }

// at returns what is drawn in a cell that the ring holds.
func (r *ring) at(c int64) femto {
	if !r.any || c >= r.head {
		return femto{}
	}
	r.settle(c + 1)
	return *r.slot(c)
}

// drop takes back what is drawn from cell c on.
func (r *ring) drop(c int64) {
	if !r.any {
		return
	}
	r.spells.drop(c)
	r.settle(r.head + 1)
	for c = max(c, r.tail); c < r.head; c++ {
		r.ledger.draw(c, 1, r.slot(c).times(-1))
		*r.slot(c) = femto{}
	}
}
