package sim

import "powerd/quarch/wire"

// sender cuts one stream into frames: data, statuses, and pauses at a sync.
type sender struct {
	s         *stream // nil while nothing is sent
	paused    bool    // until the client answers the sync
	frames    int     // with data, since the last sync
	syncAtNs  int64   // host time of the next sync by time
	quietAtNs int64   // host time of the next status 3
	sentBytes uint64
	payload   []byte // scratch
	frame     []byte // scratch
}

// begin starts to send s.
func (p *sender) begin(s *stream, nowNs int64) {
	*p = sender{s: s, payload: p.payload, frame: p.frame}
	p.resume(nowNs)
	p.quietAtNs = nowNs + s.m.opts.QuietNs
}

// resume goes on after a sync was answered.
func (p *sender) resume(nowNs int64) {
	if p.s == nil {
		return
	}
	p.s.m.mu.Lock()
	p.s.missing.goesOn()
	p.s.m.mu.Unlock()
	p.paused, p.frames = false, 0
	p.syncAtNs = nowNs + p.s.m.opts.SyncNs
}

// ready tells when next has something to send; it never does while paused.
func (p *sender) ready() <-chan struct{} {
	if p.s == nil || p.paused {
		return nil
	}
	return p.s.fifo.ready
}

// dueNs returns at which host time next has a status to send although no data
// came; ok is false if at no time.
func (p *sender) dueNs() (atNs int64, ok bool) {
	if p.s == nil || p.paused {
		return 0, false
	}
	o := p.s.m.opts
	switch {
	case o.QuietNs > 0 && o.SyncNs > 0:
		return min(p.quietAtNs, p.syncAtNs), true
	case o.QuietNs > 0:
		return p.quietAtNs, true
	}
	return p.syncAtNs, o.SyncNs > 0
}

// send writes the next frame, if there is one.
func (p *sender) send(l *line, nowNs int64) error {
	first := p.stripes()
	last := p.next(nowNs)
	if len(p.payload) == 0 {
		return nil
	}
	p.frame = wire.AppendFrame(p.frame[:0], p.payload)
	if last { // whoever has read the end may begin the next
		p.over()
	}
	if err := l.frame(p.frame, p.s, first, p.stripes()-first); err != nil {
		return err
	}
	p.wrote(last)
	return nil
}

// stripes returns how many stripes are in what was taken so far.
func (p *sender) stripes() uint64 { return p.s.enc.stripes(p.sentBytes) }

// next makes the next payload: data, a status, or both. It is empty if there is
// nothing to send; last is true for the one that ends the stream.
func (p *sender) next(nowNs int64) (last bool) {
	o := p.s.m.opts
	var why byte
	p.payload, why, last = p.s.fifo.take(p.payload[:0], o.FramePayloadBytes)
	data := len(p.payload)
	if data > 0 {
		p.frames++
		p.sentBytes += uint64(data)
		p.quietAtNs = nowNs + o.QuietNs
	}
	status := wire.StatusNone
	switch {
	case last:
		status = wire.Status(why)
	case p.frames >= o.SyncFrames || o.SyncNs > 0 && nowNs >= p.syncAtNs:
		status, p.paused = wire.StatusSync, true
	case data == 0 && o.QuietNs > 0 && nowNs >= p.quietAtNs:
		status, p.quietAtNs = wire.StatusNoData, nowNs+o.QuietNs
	case data == 0:
		return false
	}
	if status != wire.StatusNone {
		p.payload = append(p.payload, byte(status))
	}
	return last
}

// wrote notes that the frame has left.
func (p *sender) wrote(last bool) {
	m := p.s.m
	m.mu.Lock()
	defer m.mu.Unlock()
	p.s.truth.Sent = p.stripes()
	if last {
		p.s = nil
	}
}

// over makes room for another stream.
func (p *sender) over() {
	m := p.s.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active == p.s {
		m.active = nil
	}
}
