package sim

import (
	"io"
	"sync"
	"time"
)

// lineQueue holds what is on its way to a client: bytes in order, each with the host
// time at which it arrives. Its size is bounded: whoever puts more has to wait, as at
// a line that is full.
type lineQueue struct {
	limit int
	now   func() int64
	ready chan struct{} // told when there is more to deliver
	room  chan struct{} // told when something was delivered

	mu      sync.Mutex
	parcels []parcel
	bytes   int
	lastNs  int64 // no parcel overtakes one before it
}

type parcel struct {
	atNs  int64
	bytes []byte
}

func newLineQueue(limit int, now func() int64) *lineQueue {
	return &lineQueue{limit: limit, now: now, ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put appends a copy of p to arrive at atNs, or when what is before it has arrived.
func (q *lineQueue) put(done <-chan struct{}, p []byte, atNs int64) error {
	for !q.add(p, atNs) {
		select {
		case <-q.room:
		case <-done:
			return io.ErrClosedPipe
		}
	}
	tell(q.ready)
	return nil
}

func (q *lineQueue) add(p []byte, atNs int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes > 0 && q.bytes+len(p) > q.limit {
		return false
	}
	q.lastNs = max(q.lastNs, atNs)
	q.parcels = append(q.parcels, parcel{q.lastNs, append([]byte(nil), p...)})
	q.bytes += len(p)
	return true
}

// hold delays what is put from now on until untilNs at least.
func (q *lineQueue) hold(untilNs int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lastNs = max(q.lastNs, untilNs)
}

// due returns what has arrived by atNs, all in one, and when the next is to be looked
// for; 0 = when told.
func (q *lineQueue) due(atNs int64) (b []byte, nextNs int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.parcels) > 0 && q.parcels[0].atNs <= atNs {
		b = append(b, q.parcels[0].bytes...)
		q.bytes -= len(q.parcels[0].bytes)
		q.parcels = q.parcels[1:]
	}
	if len(q.parcels) > 0 {
		nextNs = q.parcels[0].atNs
	}
	return b, nextNs
}

// run delivers until done is closed or w takes no more.
func (q *lineQueue) run(done <-chan struct{}, w io.Writer) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b, nextNs := q.due(q.now())
		if len(b) > 0 {
			tell(q.room)
			if _, err := w.Write(b); err != nil {
				return err
			}
			continue
		}
		timer.Stop()
		if nextNs > 0 {
			timer.Reset(time.Duration(max(0, nextNs-q.now())))
		}
		select {
		case <-q.ready:
		case <-timer.C:
		case <-done:
			return nil
		}
	}
}
