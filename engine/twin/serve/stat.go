package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
)

// statName is the file beside the drive that tells of it what the kernel tells of a
// block device, in the kernel's format.
const statName = "stat"

const (
	nsPerMs     = 1_000_000
	sectorBytes = 512 // as the kernel counts them
)

// counters are what was served. Failed IO is not counted.
type counters struct {
	now func() int64

	mu                  sync.Mutex
	read, write         direction
	discards, flushes   uint64
	discardBytes        uint64
	inFlight            uint64
	busyNs, busySinceNs int64 // with IO under way, until the last time that there was none
}

// direction is what was served of reads or writes.
type direction struct {
	ios, bytes uint64
	ns         int64 // in the drive, of all of them
}

// begin counts an IO in.
func (c *counters) begin(nowNs int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight == 0 {
		c.busySinceNs = nowNs
	}
	c.inFlight++
}

// end counts an IO out. It is called before the engine learns of it, so that who has
// seen the IO done finds it counted.
func (c *counters) end(t *model.Ticket, q *model.Request, doneNs int64, served bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight--; c.inFlight == 0 {
		c.busyNs += doneNs - c.busySinceNs
	}
	if !served {
		return
	}
	d := &c.read
	if q.Write {
		d = &c.write
	}
	d.ios, d.bytes, d.ns = d.ios+1, d.bytes+uint64(q.Bytes), d.ns+doneNs-t.SubmitNs
}

func (c *counters) discard(bytes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discards, c.discardBytes = c.discards+1, c.discardBytes+bytes
}

func (c *counters) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushes++
}

// line returns the kernel's 17 fields: reads, merges, sectors, ms; writes likewise; in
// flight, busy ms, ms of all requests; discards likewise; flushes, ms. The drive joins
// no requests, and takes no time for discards and flushes.
func (c *counters) line() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	busyNs := c.busyNs
	if c.inFlight > 0 {
		busyNs += c.now() - c.busySinceNs
	}
	return fmt.Appendf(nil, "%8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d %8d\n",
		c.read.ios, 0, c.read.bytes/sectorBytes, c.read.ns/nsPerMs,
		c.write.ios, 0, c.write.bytes/sectorBytes, c.write.ns/nsPerMs,
		c.inFlight, busyNs/nsPerMs, (c.read.ns+c.write.ns)/nsPerMs,
		c.discards, 0, c.discardBytes/sectorBytes, 0, c.flushes, 0)
}

// statistics is the file.
type statistics struct {
	fs.Inode
	counters *counters
}

var (
	_ fs.NodeOpener    = (*statistics)(nil)
	_ fs.NodeGetattrer = (*statistics)(nil)
)

// Open gives each opener its own view, past any cache.
func (s *statistics) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		return nil, 0, syscall.EACCES
	}
	return &view{counters: s.counters}, fuse.FOPEN_DIRECT_IO, 0
}

// Getattr says that it is a file to read. It has no size that could be told before.
func (s *statistics) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = fuse.S_IFREG | 0o444
	out.Nlink = 1
	return 0
}

// view is the file as one opener sees it: made anew when it is read from the beginning,
// as the kernel does, so that a reader in pieces gets pieces of one line.
type view struct {
	counters *counters
	mu       sync.Mutex
	line     []byte
}

var _ fs.FileReader = (*view)(nil)

// Read returns the line, or the rest of it.
func (v *view) Read(_ context.Context, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if off == 0 {
		v.line = v.counters.line()
	}
	if off < 0 || off >= int64(len(v.line)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(v.line[off:min(off+int64(len(dest)), int64(len(v.line)))]), 0
}

// Statistics returns the file of statistics beside a drive that this package serves,
// in whichever process; ok is false where target is something else.
func Statistics(target string) (path string, ok bool, err error) {
	m, err := mountUnder(target)
	return filepath.Join(filepath.Dir(target), statName), m.Type == fsType, err
}
