package serve

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"powerd/engine/twin/model"
)

// mostBooking is how many IOs may be on their way into the drive's account at once
// before one has to wait for another: a few, unless their threads lose their processors.
const mostBooking = 128

// bookings says up to when all IO is in the drive's account. Whoever is about to take an
// IO's time notes a time that is not later, until the IO is in the account. There is no
// lock in it: IO of many threads must not wait for each other here.
type bookings struct {
	notes [mostBooking]note
}

// note is a host time in ns, 0 = none, on a cache line of its own.
type note struct {
	ns atomic.Int64
	_  [56]byte
}

// begin notes nowNs. The IO's own time must be taken after it has returned.
func (b *bookings) begin(nowNs int64) *note {
	for i := rand.Uint32N(mostBooking); ; i++ {
		n := &b.notes[i%mostBooking]
		if n.ns.CompareAndSwap(0, nowNs) {
			return n
		}
		if i%mostBooking == 0 {
			runtime.Gosched()
		}
	}
}

// end says that the IO is in the account, or will never be.
func (n *note) end() { n.ns.Store(0) }

// settled returns the time up to nowNs before which nothing will be booked any more;
// nowNs must have been taken before. An IO that notes itself after its place was looked at
// takes its time later than nowNs.
func (b *bookings) settled(nowNs int64) int64 {
	for i := range b.notes {
		if ns := b.notes[i].ns.Load(); ns != 0 {
			nowNs = min(nowNs, ns)
		}
	}
	return model.Whole(nowNs)
}

// Settled returns up to when the drive's power is known for good, nowNs at most, which is
// a host time that has been read: no IO will be served any more that draws before that.
func (m *Mounted) Settled(nowNs int64) int64 { return m.file.pacer.booking.settled(nowNs) }
