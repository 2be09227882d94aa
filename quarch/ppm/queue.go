package ppm

import (
	"sync"

	"powerd/quarch/wire"
)

// What may wait for the consumer before the pump stops reading and the module has
// to keep its samples: four seconds at 250 kS/s, in 16 MiB. A consumer that waits
// for a disk does not stop the reading, since a module keeps much less: the memory
// of an emulated one is 350 ms.
const (
	mostStripes = 1 << 20
	mostReads   = 1 << 13
)

// queue hands what the pump decoded to the consumer. A batch that came back is
// the next to be filled, so that as many are in memory as have ever waited.
type queue struct {
	items chan item     // in order; the last one has end set
	room  chan struct{} // of one: a batch came back

	mu      sync.Mutex // guards what follows
	spare   []*batch
	reads   int // batches with the consumer, or on the way to it
	stripes int // in them
}

// item is what the pump tells the consumer.
type item struct {
	header *wire.Header
	batch  *batch
	end    bool
	status wire.Status // if end
	err    error       // the stream broke; implies end
}

func newQueue() queue {
	return queue{items: make(chan item, mostReads+2), room: make(chan struct{}, 1)} // + header and end
}

// empty returns a batch to fill, or nil while too much waits.
func (q *queue) empty() *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reads >= mostReads || q.stripes >= mostStripes {
		return nil
	}
	n := len(q.spare)
	if n == 0 {
		return new(batch)
	}
	b := q.spare[n-1]
	q.spare = q.spare[:n-1]
	b.cols.Reset()
	b.parts = b.parts[:0]
	return b
}

// put hands a batch of empty to the consumer, or takes it back if it is still
// empty.
func (q *queue) put(b *batch) {
	q.mu.Lock()
	if len(b.parts) == 0 {
		q.spare = append(q.spare, b)
		q.mu.Unlock()
		return
	}
	q.reads++
	q.stripes += b.stripes()
	q.mu.Unlock()
	q.items <- item{batch: b}
}

// done gives a batch back that the consumer needs no more.
func (q *queue) done(b *batch) {
	q.mu.Lock()
	q.reads--
	q.stripes -= b.stripes()
	q.spare = append(q.spare, b)
	q.mu.Unlock()
	notify(q.room)
}
