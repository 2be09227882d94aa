package daemon

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"powerd/powerd/internal/config"
)

const (
	floorBytes = 1 << 30            // free on the disk; below it nothing is recorded
	backBytes  = floorBytes * 5 / 4 // from here on it is again
	keepEvery  = 10 * time.Second
	trimEvery  = 10 * time.Minute
)

// keeper bounds what recordings take.
type keeper struct {
	dir  string
	max  int64
	free func(string) (int64, error)
	log  *slog.Logger
	wake chan struct{} // a segment has ended

	short  atomic.Bool  // the disk is too full to record
	isFree atomic.Int64 // bytes on the disk, when it was last looked at

	mu   sync.Mutex      // never held while the disk is waited for: streams wait for it
	open map[string]bool // folders that are written

	passing sync.Mutex
	sizes   map[string]int64 // of folders that are not written
	said    string           // the last complaint
}

func newKeeper(o Options) *keeper {
	return &keeper{
		dir: o.Dir, max: o.DiskMax, free: o.Free, log: o.Log, wake: make(chan struct{}, 1),
		open: map[string]bool{}, sizes: map[string]int64{},
	}
}

// begin takes away what a deletion left that was cut short, and looks at the disk.
func (k *keeper) begin() error {
	left, err := fs.Glob(os.DirFS(k.dir), "*/*"+deleting)
	if err != nil {
		return fmt.Errorf("look for half deleted recordings: %w", err)
	}
	for _, name := range left {
		if err := os.RemoveAll(filepath.Join(k.dir, name)); err != nil {
			return fmt.Errorf("delete recording: %w", err)
		}
	}
	k.pass()
	return nil
}

// run keeps until ctx is done; trim is called now and then.
func (k *keeper) run(ctx context.Context, trim func(context.Context)) {
	t, every := time.NewTicker(keepEvery), time.NewTicker(trimEvery)
	defer t.Stop()
	defer every.Stop()
	for {
		select {
		case <-k.wake:
			k.pass()
		case <-t.C:
			k.pass()
		case <-every.C:
			trim(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// began says that a segment is written, ended that it is not any more.
func (k *keeper) began(dir string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open[dir] = true
}

func (k *keeper) ended(dir string) {
	k.mu.Lock()
	delete(k.open, dir)
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// tooFull reports whether the disk has no room for samples.
func (k *keeper) tooFull() bool { return k.short.Load() }

// left returns the bytes that are free on the disk, and whether they are too few.
func (k *keeper) left() (free int64, short bool) { return k.isFree.Load(), k.short.Load() }

// gib is a number of bytes as people read it.
func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// written returns the folders that are written now.
func (k *keeper) written() map[string]bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.open)
}

// pass looks at the disk and at what recordings take.
func (k *keeper) pass() {
	k.passing.Lock()
	defer k.passing.Unlock()
	err := k.bound()
	if free, failed := k.free(k.dir); failed != nil {
		err = failed
	} else {
		k.judge(free)
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != k.said {
		k.log.Error("recordings cannot be bounded", "error", err)
	}
	k.said = text
}

// judge stops and resumes recording by what is free.
func (k *keeper) judge(free int64) {
	k.isFree.Store(free)
	switch short := k.short.Load(); {
	case !short && free < floorBytes:
		k.short.Store(true)
		k.log.Error("the disk is nearly full: samples are not recorded any more, 100 ms means still are; make room", "free_bytes", free, "needed_bytes", int64(backBytes), "dir", k.dir)
	case short && free >= backBytes:
		k.short.Store(false)
		k.log.Info("there is room on the disk again: samples are recorded", "free_bytes", free)
	}
}

// bound deletes the oldest segments that are not written, until all take no more than
// they may. The caller holds k.passing.
func (k *keeper) bound() error {
	all, err := allSegments(k.dir)
	if err != nil {
		return err
	}
	open := k.written()
	var closed []Segment
	var total int64
	known := map[string]int64{}
	for _, s := range all {
		size, ok := k.sizes[s.Dir]
		if !ok || open[s.Dir] {
			if size, err = sizeOf(s.Dir); err != nil {
				return err
			}
		}
		total += size
		if !open[s.Dir] {
			known[s.Dir] = size
			closed = append(closed, s)
		}
	}
	k.sizes = known
	for _, s := range closed {
		if total <= k.max {
			return nil
		}
		if err := s.remove(); err != nil {
			return err
		}
		total -= k.sizes[s.Dir]
		k.log.Info("oldest recording deleted, for room", "recording", s.Dir, "bytes", k.sizes[s.Dir], "disk_max_bytes", k.max)
		delete(k.sizes, s.Dir)
	}
	if total > k.max {
		return fmt.Errorf("what is being recorded alone takes %d bytes, more than serve.disk_max (%v)", total, config.Bytes(k.max))
	}
	return nil
}

// roundUp returns a size that people read, no smaller than n.
func roundUp(n int64) int64 {
	unit := int64(1)
	for n/unit >= 1024 {
		unit <<= 10
	}
	return (n + unit - 1) / unit * unit
}
