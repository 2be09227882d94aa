package beacon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"powerd/engine"
)

const (
	pageBytes      = 4096 // what direct IO is aligned to on any drive
	defaultBlock   = 128 << 10
	defaultReaders = 16
	intervalNs     = 10_000_000
)

// Options say what to read, how hard, and for how long.
type Options struct {
	Path       string // block device or file
	Duration   time.Duration
	BlockBytes int    // a multiple of 4096; 0 = 128 KiB, or 4 KiB of a smaller target
	Readers    int    // reads outstanding at once; 0 = 16
	Seed       uint64 // of the places
	Now        func() int64
}

// Result is what a burst did. Times are host CLOCK_MONOTONIC.
type Result struct {
	StartNs    int64 // right before the first read was submitted
	EndNs      int64 // right after the last one had completed
	Reads      uint64
	Bytes      uint64
	BlockBytes int
	Intervals  []engine.Interval // completions of every 10 ms, without a gap; the first one holds StartNs or is before it
}

// Burst reads for a while. Beside an error stands what was read until then.
func Burst(ctx context.Context, o Options) (Result, error) {
	if o.Now == nil || o.Duration <= 0 || o.BlockBytes < 0 || o.BlockBytes%pageBytes != 0 || o.Readers < 0 {
		return Result{}, fmt.Errorf("read a burst of %v from %s: blocks of %d bytes by %d readers cannot be had; "+
			"a duration, a multiple of %d bytes and a clock are needed", o.Duration, o.Path, o.BlockBytes, o.Readers, pageBytes)
	}
	t, err := open(o.Path)
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	if o.BlockBytes, err = t.block(o.BlockBytes); err != nil {
		return Result{}, err
	}
	if o.Readers == 0 {
		o.Readers = defaultReaders
	}
	return burst(ctx, t, o)
}

// burst starts the readers and waits for them.
func burst(ctx context.Context, t *target, o Options) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	readers := make([]reader, o.Readers)
	for i := range readers {
		readers[i] = reader{
			target: t, now: o.Now, buf: alignedBuffer(o.BlockBytes),
			random: rand.New(rand.NewPCG(o.Seed, uint64(i))), blocks: t.size / int64(o.BlockBytes),
		}
	}
	startNs := o.Now()
	endNs := startNs + o.Duration.Nanoseconds()
	var all sync.WaitGroup
	for i := range readers {
		r := &readers[i]
		all.Go(func() {
			if err := r.run(ctx, startNs, endNs); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return gather(readers, startNs, o.BlockBytes), cause(ctx)
}

// cause returns why a burst did not come to its end.
func cause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// reader keeps one read outstanding.
type reader struct {
	target *target
	now    func() int64
	buf    []byte
	random *rand.Rand
	blocks int64 // of the target

	firstNs, lastNs int64 // first read submitted, last one completed; valid after one completed
	counts          []uint64
}

// run reads until endNs. A read that is under way then is waited for.
func (r *reader) run(ctx context.Context, startNs, endNs int64) error {
	for ctx.Err() == nil {
		submittedNs := r.now()
		if submittedNs >= endNs {
			break
		}
		if err := r.target.read(r.buf, r.random.Int64N(r.blocks)*int64(len(r.buf))); err != nil {
			return err
		}
		r.lastNs = r.now()
		if r.counts == nil {
			r.firstNs = submittedNs
		}
		for i := (r.lastNs - startNs) / intervalNs; int64(len(r.counts)) <= i; {
			r.counts = append(r.counts, 0)
		}
		r.counts[(r.lastNs-startNs)/intervalNs]++
	}
	return nil
}

// gather puts the readers' counts together.
func gather(readers []reader, startNs int64, blockBytes int) Result {
	out := Result{StartNs: startNs, EndNs: startNs, BlockBytes: blockBytes}
	for i := range readers {
		r := &readers[i]
		if r.counts == nil {
			continue
		}
		out.EndNs = max(out.EndNs, r.lastNs)
		if out.Reads == 0 || r.firstNs < out.StartNs {
			out.StartNs = r.firstNs
		}
		for k, n := range r.counts {
			if k == len(out.Intervals) {
				from := startNs + int64(k)*intervalNs
				out.Intervals = append(out.Intervals, engine.Interval{StartNs: from, EndNs: from + intervalNs})
			}
			out.Intervals[k].Reads += n
			out.Intervals[k].ReadBytes += n * uint64(blockBytes)
			out.Reads += n
		}
	}
	out.Bytes = out.Reads * uint64(blockBytes)
	return out
}

// alignedBuffer returns n bytes that begin on a page, as direct IO wants them.
func alignedBuffer(n int) []byte {
	b := make([]byte, n+pageBytes)
	skip := (pageBytes - int(uintptr(unsafe.Pointer(&b[0]))%pageBytes)) % pageBytes
	return b[skip : skip+n : skip+n]
}

// read fills buf from offset.
func (t *target) read(buf []byte, offset int64) error {
	for {
		n, err := unix.Pread(t.fd, buf, offset)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("read %d bytes of %s at offset %d: %w%s", len(buf), t.path, offset, err, hint(err))
		case n < len(buf):
			return fmt.Errorf("read %d bytes of %s at offset %d: only %d came; the target has become smaller than %d bytes", len(buf), t.path, offset, n, t.size)
		default:
			return nil
		}
	}
}

// hint says what an error of a drive may mean.
func hint(err error) string {
	switch {
	case errors.Is(err, unix.EIO):
		return "; the drive is off, gone or defective: see the kernel's log"
	case errors.Is(err, unix.EINVAL):
		return "; the drive takes no direct reads of this size"
	}
	return ""
}
