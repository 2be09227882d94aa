package sim

import (
	"io"
	"math/rand/v2"
	"slices"

	"powerd/quarch/wire"
)

// line is what carries bytes to one client, with its faults: they may come in
// pieces, late, damaged, twice, or not at all. Of one goroutine alone.
type line struct {
	m     *Module
	done  <-chan struct{} // closed when the client is to be left
	w     io.Writer
	queue *lineQueue // nil: what is written goes at once

	rand    *rand.Rand
	model   string // of the delay
	baud    int
	mergeNs int64
	piece   int
	freeNs  int64 // host time from which the line carries the next byte
}

// newLine returns the line to a client until done is closed. Its owner must run it.
func (m *Module) newLine(done <-chan struct{}, w io.Writer) *line {
	l := &line{m: m, done: done, w: w}
	if len(m.faults.live) == 0 {
		return l
	}
	l.rand = rand.New(rand.NewPCG(m.opts.Seed, 2_000))
	if f, ok := m.faults.named(faultDelay); ok {
		l.model = f.Model
	}
	if f, ok := m.faults.named(faultSlowLine); ok {
		l.baud = f.Baud
	}
	if f, ok := m.faults.named(faultMerged); ok {
		l.mergeNs = f.By.Nanoseconds()
	}
	if f, ok := m.faults.named(faultSplit); ok {
		l.piece = f.Bytes
	}
	_, stalls := m.faults.named(faultStall)
	if l.model != "" || l.baud > 0 || l.mergeNs > 0 || stalls {
		l.queue = newLineQueue(l.room(), m.opts.Now)
	}
	return l
}

const (
	lineRoom   = 256 << 10 // bytes on their way; 50 ms at the highest rate are 150,000
	slowLineMs = 10        // what a slow line carries in it is on its way at most, as in the buffer of a port
)

// room is how many bytes may be on their way.
func (l *line) room() int {
	if l.baud > 0 {
		return max(256, l.baud/10*slowLineMs/1000)
	}
	return lineRoom
}

// run delivers what was written until done or until the client has gone.
func (l *line) run() error {
	if l.queue == nil {
		return nil
	}
	return l.queue.run(l.done, l.w)
}

// Write implements io.Writer for all that is no frame of samples.
func (l *line) Write(p []byte) (int, error) {
	if len(l.m.faults.live) > 0 && l.m.silent() {
		return len(p), nil
	}
	if l.piece == 0 {
		return len(p), l.carry(p)
	}
	for piece := range slices.Chunk(p, l.piece) {
		if err := l.carry(piece); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// carry sends bytes that stay together.
func (l *line) carry(p []byte) error {
	if l.queue == nil {
		_, err := l.w.Write(p)
		return err
	}
	at := l.m.opts.Now()
	if l.baud > 0 {
		at = max(at, l.freeNs) + int64(len(p))*10*1_000_000_000/int64(l.baud)
		l.freeNs = at
	}
	if l.mergeNs > 0 {
		at = tick(at, l.mergeNs)
	}
	if l.model != "" {
		at = delayNs(l.model, at, l.rand)
	}
	return l.queue.put(l.done, p, at)
}

// stall lets nothing through until host time untilNs.
func (l *line) stall(untilNs int64) { l.queue.hold(untilNs) }

// frame sends a frame of s, which completes n stripes from first on.
func (l *line) frame(p []byte, s *stream, first, n uint64) error {
	if len(l.m.faults.live) == 0 {
		_, err := l.Write(p)
		return err
	}
	now := l.m.opts.Now()
	since := now - s.clock.t0Ns
	silent := l.m.silent()
	if silent { // a sync that nobody hears is never answered
		l.m.held(whySilent)
	}
	if n == 0 { // a status alone
		_, err := l.Write(p)
		return err
	}
	if silent {
		s.lost(first, n, whySilent)
		return nil
	}
	if f := l.m.faults.struck(faultStall, since); f != nil {
		by := f.By.Nanoseconds()
		if by == 0 {
			by = int64(5+l.m.faults.draw(f, 76)) * msNs
		}
		l.stall(now + by)
	}
	if f := l.m.faults.struck(faultLostByte, since); f != nil {
		i := l.m.faults.draw(f, len(p))
		p = slices.Concat(p[:i], p[i+1:])
		s.lost(first, n, "a byte of its frame was lost")
	}
	if f := l.m.faults.struck(faultWrongLength, since); f != nil {
		wrong := uint16(p[0]) | uint16(p[1])<<8
		wrong += uint16(2 * (1 + l.m.faults.draw(f, 100)))
		p = slices.Concat([]byte{byte(wrong), byte(wrong >> 8)}, p[2:])
		s.lost(first, n, "the length of its frame was wrong")
	}
	if _, err := l.Write(p); err != nil {
		return err
	}
	if _, twice := l.m.faults.strikes(faultDuplicated, since); twice {
		s.lost(first+n, n, "its frame was sent twice")
		_, err := l.Write(p)
		return err
	}
	return nil
}

// garbage sends bytes that mean nothing before a stream's first frame, if they are
// wanted.
func (l *line) garbage() error {
	f := l.m.faults.struck(faultGarbage, 0)
	if f == nil {
		return nil
	}
	b := make([]byte, f.Bytes)
	for i := range b {
		b[i] = byte(l.m.faults.draw(f, 256))
	}
	_, err := l.Write(b)
	return err
}

// header sends the header of a stream.
func (l *line) header(h wire.Header) error {
	if err := l.garbage(); err != nil {
		return err
	}
	_, err := l.Write(wire.AppendFrame(nil, wire.AppendHeader(nil, h)))
	return err
}
