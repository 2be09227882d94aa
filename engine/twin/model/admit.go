package model

import (
	"errors"
	"math"
	"slices"
	"sync"
)

// ErrNotReady says that the drive has no power or is still starting: an IO fails.
var ErrNotReady = errors.New("drive not ready")

// Request is an IO as the host asks for it.
type Request struct {
	Write       bool
	OffsetBytes int64
	Bytes       int
	Stored      float64 // of a write to a drive that compresses: share of it that is stored, 0 = all
}

// Ticket is an IO in the drive. It goes back to Done when the IO is done.
type Ticket struct {
	SubmitNs int64 // it reached the drive
	DueNs    int64 // it will be done

	write bool
	bytes int
}

// booking is what an IO does to the drive, beside taking its time.
type booking struct {
	slotNs, workNs int64   // when the controller works on it, and how long
	lagNs          int64   // from there to its current
	drainNs        int64   // for how long its programmes are in the write cache
	pages          float64 // that are programmed with it, or read
	burst          bool    // of garbage collection begins
	seekJ          float64 // of the arm
}

// queue schedules IO. Both directions share one controller: an IO takes 1/TopIOPS,
// bytes/TopBytesPerS or the flash's time for its programmes, whichever is longest.
type queue struct {
	mu        sync.Mutex
	tails     *[1 << 10]float64 // exponential, mean 1
	flash     *flash
	freeNs    int64 // the controller is free again
	drainedNs int64 // everything written so far has left the write cache
	seq       uint64
	done      []int64 // of the IOs in the drive, ascending
}

func (q *queue) init(c *Config) {
	q.flash = newFlash(c)
	q.tails = new([1 << 10]float64)
	for i := range q.tails {
		q.tails[i] = -math.Log((float64(i) + 0.5) / float64(len(q.tails)))
	}
}

// Admit takes an IO that reached the drive at nowNs and says when it will be done.
// Times should not go backwards by more than the caller's own jitter.
//
// The controller's time is absolute: a caller that was held up and comes late gets
// its IOs done sooner, up to BurstNs of them, so the rate over a second is the
// drive's and not the host's.
//
// The joules of the IO are drawn from the controller's time for it on, plus the
// drive's lag, and not before the work of the IOs before it: a host that sends many
// at once does not make the flash work faster than it can. The programmes of a write are
// drawn until it has left the write cache.
func (d *Drive) Admit(nowNs int64, r Request) (Ticket, error) {
	if !d.Ready(nowNs) {
		return Ticket{}, ErrNotReady
	}
	awakeNs := d.wake(nowNs)
	d.queue.mu.Lock()
	t, b := d.queue.take(&d.cfg, awakeNs, &r)
	d.queue.mu.Unlock()
	t.SubmitNs = nowNs
	d.book(&t, &b)
	return t, nil
}

// take finds a place for r in queue and flash.
func (q *queue) take(c *Config, nowNs int64, r *Request) (t Ticket, b booking) {
	dir := c.direction(r.Write)
	sequential := q.flash.recent.next(r.OffsetBytes, int64(r.Bytes))
	q.seq++
	dice := mix(c.Seed + q.seq)
	t = Ticket{SubmitNs: nowNs, write: r.Write, bytes: r.Bytes}
	b.lagNs = c.LagMinNs + within(dice, c.LagMaxNs-c.LagMinNs) + int64(float64(c.LagTailNs)*q.tails[dice>>10&(1<<10-1)])
	work := dir.workNs(r.Bytes)
	if r.Write {
		made := q.flash.write(r, sequential)
		b.pages, work = made.now, max(work, made.workNs)
		b.drainNs = c.Flash.DrainMinNs + within(mix(dice), c.Flash.DrainMaxNs-c.Flash.DrainMinNs)
	} else {
		b.pages = pagesOf(r.Bytes)
	}
	service := q.spread(dir.ServiceNs, dir.ServiceSpread, dice)
	if s := &dir.Seek; s.LongNs > 0 && !sequential {
		work, service = max(work, 1e9/s.TopIOPS), service+q.spread(s.ServiceNs, dir.ServiceSpread, mix(dice+1))
		b.seekJ = (s.MinAmps + (s.MaxAmps-s.MinAmps)*unit(mix(dice+2))) * c.Rail12V.NominalVolts * float64(s.LongNs) * 1e-9
	}
	if c.Unlimited {
		b.slotNs, t.DueNs = nowNs, nowNs
		b.burst = q.flash.burst(nowNs, c.Seed)
		q.drainedNs = max(q.drainedNs, nowNs+b.drainNs)
		return t, b
	}
	b.slotNs = q.freeNs
	switch gap := nowNs - q.freeNs; {
	case gap > pauseBursts*c.BurstNs:
		b.slotNs = nowNs
	case gap > c.BurstNs:
		b.slotNs = nowNs - c.BurstNs
	}
	b.burst = q.flash.burst(b.slotNs, c.Seed)
	if b.slotNs < q.flash.untilNs {
		work /= 1 - q.flash.collector.slow
	}
	b.workNs = int64(work + 0.5)
	q.freeNs = b.slotNs + b.workNs
	t.DueNs = max(q.enter(nowNs, c.QueueDepth)+service, q.freeNs)
	q.drainedNs = max(q.drainedNs, t.DueNs+b.drainNs)
	i, _ := slices.BinarySearch(q.done, t.DueNs)
	q.done = slices.Insert(q.done, i, t.DueNs)
	return t, b
}

// pauseBursts is after how many BurstNs without work a caller was not held up: it had
// nothing to ask for.
const pauseBursts = 10

// within returns a part of span that the upper half of dice chooses.
func within(dice uint64, spanNs int64) int64 { return int64(dice >> 32 * uint64(spanNs) >> 32) }

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

// spread draws a time of a mean, a share of which is an exponential tail.
func (q *queue) spread(meanNs int64, share float64, dice uint64) int64 {
	return int64(float64(meanNs) * (1 - share + share*q.tails[dice&(1<<10-1)]))
}

// Flush returns when everything written before nowNs has left the write cache.
func (d *Drive) Flush(nowNs int64) (doneNs int64, err error) {
	if !d.Ready(nowNs) {
		return 0, ErrNotReady
	}
	q := &d.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return max(nowNs, q.drainedNs), nil
}

// Discard tells the drive that nobody needs [offset, offset+n) any more.
func (d *Drive) Discard(nowNs, offset, n int64) error {
	if !d.Ready(nowNs) {
		return ErrNotReady
	}
	q := &d.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flash.discard(offset, n)
	return nil
}
