package model

// ring holds the joules that IO draws in each cell of about the last 1.3 s.
type ring struct {
	joules [ringCells][railCount]float64
	head   int64 // newest cell that was written
	any    bool
}

const ringCells = 1 << 16

// add books joules in n cells from c on. c is not older than the ring.
func (r *ring) add(c, n int64, joules [railCount]float64) {
	if !r.any {
		r.head, r.any = c-1, true
	}
	for first := max(r.head+1, c+n-ringCells); first < c+n; first++ {
		r.joules[first&(ringCells-1)] = [railCount]float64{}
	}
	r.head = max(r.head, c+n-1)
	for k := c; k < c+n; k++ {
		e := &r.joules[k&(ringCells-1)]
		e[on5V] += joules[on5V]
		e[on12V] += joules[on12V]
	}
}

// holds says whether the ring still has cell c, or c is newer than anything in it.
func (r *ring) holds(c int64) bool { return !r.any || c > r.head-ringCells }

// at returns the joules of a cell that the ring holds.
func (r *ring) at(c int64) (joules [railCount]float64) {
	if r.any && c <= r.head {
		joules = r.joules[c&(ringCells-1)]
	}
	return joules
}

// drop takes every cell from c on out of the ring and hands it to taken.
func (r *ring) drop(c int64, taken func(c int64, joules [railCount]float64)) {
	if !r.any {
		return
	}
	for k := max(c, r.head-ringCells+1); k <= r.head; k++ {
		e := &r.joules[k&(ringCells-1)]
		taken(k, *e)
		*e = [railCount]float64{}
	}
}

// bucket is what was served and drawn in one millisecond. An IO belongs to the
// millisecond of its completion; first and last are when in it, in ns.
type bucket struct {
	joules        [railCount]float32
	reads, writes uint32
	bytes         uint32
	first, last   uint32
}

// Buckets are allocated in pages of pageMs.
const (
	pageBits = 10
	pageMs   = 1 << pageBits
)

// ledger keeps the buckets of the whole run; a page without IO takes no memory.
type ledger struct {
	pages  map[int64]*[pageMs]bucket
	recent *[pageMs]bucket
	number int64 // of recent
}

// bucket returns the bucket of a millisecond, making it.
func (l *ledger) bucket(ms int64) *bucket {
	number := ms >> pageBits
	if l.recent == nil || l.number != number {
		p := l.pages[number]
		if p == nil {
			if l.pages == nil {
				l.pages = make(map[int64]*[pageMs]bucket)
			}
			p = new([pageMs]bucket)
			l.pages[number] = p
		}
		l.recent, l.number = p, number
	}
	return &l.recent[ms&(pageMs-1)]
}

// peek returns the bucket of a millisecond, or nil if its page has none.
func (l *ledger) peek(ms int64) *bucket {
	p := l.pages[ms>>pageBits]
	if p == nil {
		return nil
	}
	return &p[ms&(pageMs-1)]
}

// draw books joules in n cells from c on.
func (l *ledger) draw(c, n int64, joules [railCount]float64) {
	for n > 0 {
		ms := cellMs(c)
		here := min(n, (ms+1)*msCells-c)
		b := l.bucket(ms)
		for rail := range joules {
			b.joules[rail] += float32(joules[rail] * float64(here))
		}
		c, n = c+here, n-here
	}
}

// serve books a completion.
func (l *ledger) serve(ns int64, write bool, bytes int) {
	ms := cellMs(cellAt(ns))
	b, off := l.bucket(ms), uint32(ns-ms*msNs)
	if b.reads+b.writes == 0 {
		b.first, b.last = off, off
	}
	b.first, b.last = min(b.first, off), max(b.last, off)
	b.bytes += uint32(bytes)
	if write {
		b.writes++
	} else {
		b.reads++
	}
}

// cellMs returns the millisecond that cell c lies in.
func cellMs(c int64) int64 {
	ms := c / msCells
	if c < ms*msCells {
		ms--
	}
	return ms
}
