package ppm

import (
	"testing"

	"powerd/quarch/wire"
)

// One consumer that takes nothing: the queue is full after 2^20 stripes, here in
// 1024 reads of 1024, and has room again when one came back.
func TestQueueIsBoundedInStripes(t *testing.T) {
	q := newQueue()
	const perRead = 1024
	for i := range mostStripes / perRead {
		b := q.empty()
		if b == nil {
			t.Fatalf("full after %d reads, want %d", i, mostStripes/perRead)
		}
		b.add(wire.Frame{First: uint64(i * perRead), N: perRead}, perRead)
		q.put(b)
	}
	if q.empty() != nil {
		t.Error("it takes more than 2^20 stripes")
	}
	first := (<-q.items).batch
	q.done(first)
	select {
	case <-q.room:
	default:
		t.Error("nobody is told of the room")
	}
	if b := q.empty(); b != first || len(b.parts) != 0 {
		t.Error("the batch that came back is not the next to be filled, empty")
	}
}

// Reads of a slow stream hold few stripes: their number is bounded too.
func TestQueueIsBoundedInReads(t *testing.T) {
	q := newQueue()
	for range mostReads {
		b := q.empty()
		b.add(wire.Frame{N: 1}, 1)
		q.put(b)
	}
	if q.empty() != nil {
		t.Error("it takes more than 2^13 reads")
	}
}

// A read that completed no stripe waits for nobody.
func TestEmptyBatchesDoNotCount(t *testing.T) {
	q := newQueue()
	for range 2 * mostReads {
		q.put(q.empty())
	}
	if q.empty() == nil || len(q.items) != 0 {
		t.Error("empty batches fill the queue")
	}
}
