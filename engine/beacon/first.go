package beacon

import (
	"context"
	"errors"
	"time"
)

// firstPace is from the start of one try to that of the next.
const firstPace = 5 * time.Millisecond

// FirstOptions say what to try.
type FirstOptions struct {
	Path string        // block device or file; it need not be there yet
	Pace time.Duration // from try to try; 0 = 5 ms
	Now  func() int64
}

// First is when a drive first answered a read. Times are host CLOCK_MONOTONIC, 0 where
// there is none.
type First struct {
	Tries     int
	FailedNs  int64 // start of the last try that failed: the drive did not answer all of it
	GoodNs    int64 // end of the first read that came: the drive has answered by then
	LongestNs int64 // longest try
	Err       error // why the last try failed that did
}

// FirstRead tries to read 4 KiB until they come, or ctx is done. Every try opens the
// target anew, since a drive that comes back may be another node. A try that the kernel
// holds is waited for: nothing ends it but the kernel.
func FirstRead(ctx context.Context, o FirstOptions) First {
	if o.Pace <= 0 {
		o.Pace = firstPace
	}
	buf := alignedBuffer(pageBytes)
	pace := time.NewTicker(o.Pace)
	defer pace.Stop()
	var out First
	for ctx.Err() == nil {
		startNs := o.Now()
		err := readOnce(o.Path, buf)
		endNs := o.Now()
		out.Tries++
		out.LongestNs = max(out.LongestNs, endNs-startNs)
		if err == nil {
			out.GoodNs = endNs
			return out
		}
		out.FailedNs, out.Err = startNs, err
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
	if out.Err == nil {
		out.Err = errors.New("no try was made")
	}
	return out
}

func readOnce(path string, buf []byte) error {
	t, err := open(path)
	if err != nil {
		return err
	}
	defer t.close()
	return t.read(buf, 0)
}
