package daemon

import (
	"sync"
	"time"

	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// retryAfter is how long a disk that failed is left alone.
const retryAfter = 30 * time.Second

// diskFull is why samples are not kept while a disk has too little room.
const diskFull = "the disk is nearly full"

// raw keeps a bench's samples, segment after segment. Its methods are for the worker's
// goroutine, but for clock and where.
type raw struct {
	w       *worker
	closing sync.WaitGroup // segments that are being ended
	retryNs int64

	mu      sync.Mutex
	seg     *segment // under way; nil = none
	trouble string   // why samples are not kept
}

// stream is what a segment's head says of the stream.
type stream struct {
	info            quarch.Info
	meta            results.Meta
	begun           bool
	sentNs, ackedNs int64
}

// take keeps a block, which begins a segment where one is due.
func (r *raw) take(b *quarch.Block, s *stream) {
	full := r.w.keeper.tooFull()
	if r.seg != nil && (full || b.ReadAtNs-r.seg.startNs >= r.w.o.Segment.Nanoseconds()) {
		r.end("done", results.Completed)
	}
	if r.seg == nil {
		switch {
		case full:
			r.fail(diskFull, 0)
			return
		case r.w.o.Now() < r.retryNs:
			return
		}
		if err := r.begin(b, s); err != nil {
			r.fail(err.Error(), retryAfter)
			return
		}
	}
	if err := r.seg.write(b); err != nil {
		r.end(err.Error(), results.Failed)
		r.fail(err.Error(), retryAfter)
	}
}

// begin begins a segment with b.
func (r *raw) begin(b *quarch.Block, s *stream) error {
	h := head{meta: s.meta, info: s.info, clock: r.w.o.Clock(), first: b.First}
	h.atNs, h.sentNs = place(&r.w.meter, b)
	if !s.begun {
		h.sentNs, h.ackedNs = s.sentNs, s.ackedNs
	}
	h.gap = r.w.gapUntil(h.atNs)
	seg, err := newSegment(r.w.dir, h, r.w.o.Now)
	if err != nil {
		return err
	}
	r.w.endGap(h.gap)
	s.begun = true
	r.w.keeper.began(seg.dir)
	if h.gap != nil {
		r.w.log.Info("samples are recorded again", "gap", h.gap.String())
	}
	r.set(seg, "")
	return nil
}

// end ends the segment under way beside the stream, which must not wait for the disk.
func (r *raw) end(why, outcome string) {
	if r.seg == nil {
		return
	}
	seg, upToNs, c := r.seg, r.w.reachedNs, r.w.o.Clock()
	r.set(nil, "")
	r.closing.Go(func() {
		if err := seg.end(why, outcome, upToNs, c); err != nil {
			r.w.log.Error("recording not whole", "recording", seg.dir, "error", err)
		}
		r.w.keeper.ended(seg.dir)
	})
}

// fail says why samples that come are not kept.
func (r *raw) fail(why string, pause time.Duration) {
	if pause > 0 {
		r.retryNs = r.w.o.Now() + pause.Nanoseconds()
	}
	if r.trouble != why && pause > 0 { // the keeper tells of a full disk
		r.w.log.Error("samples are not recorded; 100 ms means still are", "error", why)
	}
	r.set(nil, why)
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.begin(CauseDisk, why)
}

func (r *raw) set(seg *segment, trouble string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seg, r.trouble = seg, trouble
}

// where returns the folder of the segment under way, or why there is none.
func (r *raw) where() (dir, trouble string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seg != nil {
		dir = r.seg.dir
	}
	return dir, r.trouble
}

// clock keeps a reading of the clocks with the samples.
func (r *raw) clock(c quarch.Clock) {
	r.mu.Lock()
	seg := r.seg
	r.mu.Unlock()
	if seg == nil {
		return
	}
	err := seg.w.Event(quarch.Event{MonoNs: c.MonoNs, Kind: quarch.EventClock, Data: map[string]any{"raw_ns": c.RawNs, "utc_ns": c.UTCNs}})
	if now, _ := r.where(); err != nil && now == seg.dir { // else it ended meanwhile
		r.w.log.Warn("clocks not recorded", "error", err)
	}
}

// wait returns when all segments are ended.
func (r *raw) wait() { r.closing.Wait() }
