package model

import "math/bits"

// liveMap says which granules of a drive hold data: of 4 KiB, or larger ones where
// the map would else take more than 16 MiB.
type liveMap struct {
	words []uint64
	shift uint
	end   int64 // bytes of the drive
	count int64 // granules that hold data
}

const (
	leastShift = 12
	mostBits   = 1 << 27
)

func newLiveMap(capacityBytes int64) liveMap {
	m := liveMap{shift: leastShift, end: capacityBytes}
	for capacityBytes>>m.shift >= mostBits {
		m.shift++
	}
	m.words = make([]uint64, (capacityBytes>>m.shift+64)/64)
	return m
}

// set marks every granule that [offset, offset+n) touches.
func (m *liveMap) set(offset, n int64) {
	m.each(offset, min(offset+n+1<<m.shift-1, m.end+1<<m.shift-1), func(word int64, mask uint64) {
		m.count += int64(bits.OnesCount64(mask &^ m.words[word]))
		m.words[word] |= mask
	})
}

// clear unmarks every granule that lies whole in [offset, offset+n), the drive's last
// one whatever its length, and returns how many held data.
func (m *liveMap) clear(offset, n int64) (gone int64) {
	end := offset + n
	if end >= m.end {
		end = m.end + 1<<m.shift - 1
	}
	m.each(offset+1<<m.shift-1, end, func(word int64, mask uint64) {
		gone += int64(bits.OnesCount64(mask & m.words[word]))
		m.words[word] &^= mask
	})
	m.count -= gone
	return gone
}

// each calls f with the masks of the granules from that of byte from up to that of
// byte to, that one excluded.
func (m *liveMap) each(from, to int64, f func(word int64, mask uint64)) {
	a, b := max(from, 0)>>m.shift, min(to>>m.shift, int64(len(m.words))*64)
	for a < b {
		word, bit := a/64, uint(a%64)
		n := min(b-a, int64(64-bit))
		f(word, (^uint64(0)>>(64-uint(n)))<<bit)
		a += n
	}
}

// recentEnds remembers where the latest requests began and ended, so that one which
// goes on there is known as sequential, also when neighbours have overtaken each other.
type recentEnds struct {
	n            uint64
	begins, ends [4 * recentWindow]neighbour // by the hash of their place
}

// neighbour is a request that another may go on from, and how many it goes on from.
type neighbour struct {
	place   int64
	seq     uint64
	streak  uint8
	present bool
}

const (
	recentWindow = 64 // requests that another may go on from
	leastStreak  = 3  // requests in a row are no accident
)

// next says whether [offset, offset+n) makes a row of at least three with recent
// requests, and remembers it.
func (r *recentEnds) next(offset, n int64) bool {
	r.n++
	slot := func(of *[4 * recentWindow]neighbour, place int64) *neighbour {
		return &of[mix(uint64(place))%uint64(len(of))]
	}
	streak := 1
	join := func(b *neighbour, place int64) {
		if b.present && b.place == place && r.n-b.seq <= recentWindow {
			streak += int(b.streak)
		}
	}
	join(slot(&r.ends, offset), offset)
	join(slot(&r.begins, offset+n), offset+n)
	short := uint8(min(streak, leastStreak))
	*slot(&r.begins, offset) = neighbour{offset, r.n, short, true}
	*slot(&r.ends, offset+n) = neighbour{offset + n, r.n, short, true}
	return streak >= leastStreak
}
