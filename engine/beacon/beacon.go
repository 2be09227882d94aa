package beacon

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	StartNs     int64 // right before the first read was submitted
	FirstDoneNs int64 // right after the first one had completed
	EndNs       int64 // right after the last one had completed
	Reads       uint64
	Bytes       uint64
	BlockBytes  int
	Intervals   []engine.Interval // completions of every 10 ms, without a gap; the first one holds StartNs or is before it
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

// burst keeps reads outstanding until its time is over, and waits for them.
func burst(ctx context.Context, t *target, o Options) (Result, error) {
	q, err := newQueue(t, o.Readers, o.BlockBytes)
	if err != nil {
		return Result{}, err
	}
	defer q.close()
	startNs := o.Now()
	c := counter{startNs: startNs, out: Result{StartNs: startNs, FirstDoneNs: startNs, EndNs: startNs, BlockBytes: o.BlockBytes}}
	endNs := startNs + o.Duration.Nanoseconds()
	random := rand.New(rand.NewPCG(o.Seed, 0))
	free := make([]int, o.Readers)
	for i := range free {
		free[i] = i
	}
	for {
		if err == nil && ctx.Err() == nil {
			if submittedNs := o.Now(); submittedNs < endNs {
				for _, slot := range free {
					q.reads[slot].offset = random.Int64N(t.size/int64(o.BlockBytes)) * int64(o.BlockBytes)
				}
				err = q.begin(free)
				c.submitted(submittedNs)
			}
		}
		if q.under == 0 {
			break
		}
		events, waiting := q.wait()
		if waiting != nil {
			return c.out, errors.Join(err, waiting)
		}
		doneNs := o.Now()
		free = free[:0]
		for _, e := range events {
			free = append(free, int(e.slot))
			if failed := q.check(e); failed == nil {
				c.done(doneNs)
			} else if err == nil {
				err = failed
			}
		}
	}
	return c.result(), errors.Join(err, context.Cause(ctx))
}

// counter counts the reads of a burst.
type counter struct {
	startNs int64 // of the first interval
	firstNs int64 // the first read was submitted; 0 = none was
	out     Result
}

func (c *counter) submitted(ns int64) {
	if c.firstNs == 0 {
		c.firstNs = ns
	}
}

func (c *counter) done(ns int64) {
	if c.out.Reads == 0 {
		c.out.StartNs, c.out.FirstDoneNs = c.firstNs, ns
	}
	c.out.EndNs = ns
	c.out.Reads++
	k := (ns - c.startNs) / intervalNs
	for n := int64(len(c.out.Intervals)); n <= k; n++ {
		from := c.startNs + n*intervalNs
		c.out.Intervals = append(c.out.Intervals, engine.Interval{StartNs: from, EndNs: from + intervalNs})
	}
	c.out.Intervals[k].Reads++
	c.out.Intervals[k].ReadBytes += uint64(c.out.BlockBytes)
}

func (c *counter) result() Result {
	c.out.Bytes = c.out.Reads * uint64(c.out.BlockBytes)
	return c.out
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
			return t.failed(len(buf), offset, err)
		case n < len(buf):
			return t.short(n, len(buf), offset)
		default:
			return nil
		}
	}
}

func (t *target) failed(bytes int, offset int64, err error) error {
	return fmt.Errorf("read %d bytes of %s at offset %d: %w%s", bytes, t.path, offset, err, hint(err))
}

func (t *target) short(n, bytes int, offset int64) error {
	return fmt.Errorf("read %d bytes of %s at offset %d: only %d came; the target has become smaller than %d bytes", bytes, t.path, offset, n, t.size)
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
