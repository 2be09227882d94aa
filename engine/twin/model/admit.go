package model

import (
	"errors"
	"math"
	"slices"
	"sync"
)

// ErrNotReady says that the drive has no power or is still starting: an IO fails.
var ErrNotReady = errors.New("drive not ready")

// queue schedules IO. Both directions share one controller: an IO takes 1/TopIOPS
// or bytes/TopBytesPerS of its time, whichever is longer.
type queue struct {
	mu     sync.Mutex
	tails  *[1 << 10]float64 // exponential, mean 1
	freeNs int64             // the controller is free again
	seq    uint64
	done   []int64 // of the IOs in the drive, ascending
}

// Admit takes an IO that reached the drive at nowNs and returns when it will be
// done. Times should not go backwards by more than the caller's own jitter.
//
// The controller's time is absolute: a caller that was held up and comes late gets
// its IOs done sooner, up to BurstNs of them, so the rate over a second is the
// drive's and not the host's.
func (d *Drive) Admit(nowNs int64, write bool, bytes int) (doneNs int64, err error) {
	if !d.Ready(nowNs) {
		return 0, ErrNotReady
	}
	dir := d.cfg.direction(write)
	q := &d.queue
	q.mu.Lock()
	defer q.mu.Unlock()

	startNs := q.enter(nowNs, d.cfg.QueueDepth)
	q.freeNs = max(q.freeNs, nowNs-d.cfg.BurstNs) + dir.workNs(bytes)
	doneNs = max(startNs+q.service(dir, d.cfg.Seed), q.freeNs)
	i, _ := slices.BinarySearch(q.done, doneNs)
	q.done = slices.Insert(q.done, i, doneNs)
	return doneNs, nil
}

// enter returns when there is a place in the drive, and takes it.
func (q *queue) enter(nowNs int64, depth int) int64 {
	gone, _ := slices.BinarySearch(q.done, nowNs+1)
	startNs := nowNs
	if len(q.done)-gone >= depth {
		startNs = q.done[gone]
		gone++
	}
	q.done = slices.Delete(q.done, 0, gone)
	return startNs
}

// service draws how long an IO is in the drive when nothing else is.
func (q *queue) service(dir *Direction, seed uint64) int64 {
	if q.tails == nil {
		q.tails = new([1 << 10]float64)
		for i := range q.tails {
			q.tails[i] = -math.Log((float64(i) + 0.5) / float64(len(q.tails)))
		}
	}
	q.seq++
	tail := q.tails[mix(seed+q.seq)&(1<<10-1)]
	return int64(float64(dir.ServiceNs) * (1 - dir.ServiceSpread + dir.ServiceSpread*tail))
}
