package model

// count is what was served in one millisecond. An IO belongs to the millisecond of
// its completion; first and last are when in it, in ns.
type count struct {
	reads, writes uint32
	bytes         uint32
	first, last   uint32

	readUnits, writeUnits uint32 // of latencyUnitNs, that they were in the drive together
	longest               uint32 // of the longest of them
}

// latencyUnitNs is what latencies are kept in: IOs of one millisecond may have been in the
// drive for 275 s together.
const latencyUnitNs = 64

// Milliseconds are kept in pages of pageMs.
const (
	pageBits = 10
	pageMs   = 1 << pageBits
)

type page struct {
	drawn  [pageMs]femto
	served [pageMs]count
}

// ledger keeps what was drawn and served in each millisecond of the whole run; a
// page without IO takes no memory.
type ledger struct {
	pages  map[int64]*page
	recent *page
	number int64 // of recent
}

// page returns the page of a millisecond, making it.
func (l *ledger) page(ms int64) *page {
	number := ms >> pageBits
	if l.recent == nil || l.number != number {
		p := l.pages[number]
		if p == nil {
			if l.pages == nil {
				l.pages = make(map[int64]*page)
			}
			p = new(page)
			l.pages[number] = p
		}
		l.recent, l.number = p, number
	}
	return l.recent
}

// peek returns the page of a millisecond, or nil if there is none.
func (l *ledger) peek(ms int64) *page {
	if l.recent != nil && l.number == ms>>pageBits {
		return l.recent
	}
	return l.pages[ms>>pageBits]
}

// draw books e in each of n cells from c on.
func (l *ledger) draw(c, n int64, e femto) {
	for n > 0 {
		ms := cellMs(c)
		here := min(n, (ms+1)*msCells-c)
		l.page(ms).drawn[ms&(pageMs-1)].add(e.times(here))
		c, n = c+here, n-here
	}
}

// serve books a completion, and for how long it was in the drive.
func (l *ledger) serve(ns, tookNs int64, write bool, bytes int) {
	ms := cellMs(cellAt(ns))
	b, off := &l.page(ms).served[ms&(pageMs-1)], uint32(ns-ms*msNs)
	if b.reads+b.writes == 0 {
		b.first, b.last = off, off
	}
	b.first, b.last = min(b.first, off), max(b.last, off)
	b.bytes += uint32(bytes)
	units := uint32(min(max(0, tookNs)+latencyUnitNs/2, 1<<37) / latencyUnitNs)
	b.longest = max(b.longest, units)
	if write {
		b.writes++
		b.writeUnits += units
	} else {
		b.reads++
		b.readUnits += units
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
