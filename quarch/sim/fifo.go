package sim

import "sync"

// fifo is the module's sample memory: bytes of fixed number, one writer, one
// reader.
type fifo struct {
	ready chan struct{} // told when there is something to take, or the end
	room  chan struct{} // told when something was taken

	mu      sync.Mutex
	buf     []byte
	head, n int
	ended   bool
	status  byte // why it ended
}

func newFIFO(size int) *fifo {
	return &fifo{buf: make([]byte, size), ready: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// tell wakes whoever waits on c, now or at its next wait.
func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (f *fifo) free() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.buf) - f.n
}

// put appends p, for which there must be room.
func (f *fifo) put(p []byte) {
	f.mu.Lock()
	f.add(p)
	f.mu.Unlock()
	tell(f.ready)
}

// add is put for who holds mu.
func (f *fifo) add(p []byte) {
	tail := (f.head + f.n) % len(f.buf)
	k := copy(f.buf[tail:], p)
	copy(f.buf, p[k:])
	f.n += len(p)
}

// end appends p, for which there must be room, and says that nothing more will come, and
// why.
func (f *fifo) end(p []byte, status byte) {
	f.mu.Lock()
	if len(p) > 0 {
		f.add(p)
	}
	f.ended, f.status = true, status
	f.mu.Unlock()
	tell(f.ready)
}

// take appends up to limit bytes to dst. last is true if nothing is left and
// nothing will come; status then says why.
func (f *fifo) take(dst []byte, limit int) (out []byte, status byte, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(limit, f.n)
	k := min(n, len(f.buf)-f.head)
	dst = append(dst, f.buf[f.head:f.head+k]...)
	dst = append(dst, f.buf[:n-k]...)
	f.head, f.n = (f.head+n)%len(f.buf), f.n-n
	last = f.ended && f.n == 0
	if f.n > 0 {
		tell(f.ready)
	}
	if n > 0 {
		tell(f.room)
	}
	if last {
		f.buf = nil
	}
	return dst, f.status, last
}

// drop forgets what nobody will take. Nothing may be put any more.
func (f *fifo) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf, f.n = nil, 0
}
