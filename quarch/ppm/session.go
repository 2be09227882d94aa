package ppm

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"powerd/quarch/wire"
)

// session is one stream between the pump, which fills it, and its consumer.
type session struct {
	queue
	abandoned chan struct{} // closed by the consumer when it takes no more
	ended     chan struct{} // closed after the last item was put
	once      sync.Once

	frames  atomic.Uint64 // good ones, as a sign of life
	stripes atomic.Uint64 // index after the last stripe
	heardNs atomic.Int64  // host time of the last good frame

	readNs   atomic.Int64  // host time of the last read
	doubt    chan struct{} // of one: what was read leaves the decoder in doubt
	doubtful atomic.Bool   // it still is
	hunting  atomic.Bool   // because it looks for the next frame
	stopping atomic.Bool   // the module was asked for the end

	owed   int   // frames that were not acknowledged yet; of the pump's goroutine
	paidNs int64 // host time of the last acknowledgement

	stop     *waiter       // `rec stop` is to be sent at the next sync; under pump.mu
	stopSent chan struct{} // closed when it was
}

func newSession() *session {
	return &session{
		queue:     newQueue(),
		doubt:     make(chan struct{}, 1),
		abandoned: make(chan struct{}), ended: make(chan struct{}), stopSent: make(chan struct{}),
	}
}

func (s *session) finish(last item) {
	s.once.Do(func() {
		last.end = true
		s.items <- last
		close(s.ended)
	})
}

// framed takes input of the framed link.
func (p *pump) framed(b []byte, atNs int64, s *session) {
	var out *batch
	var ok bool
	if s != nil {
		if out, ok = p.take(s); !ok {
			out = new(batch) // nobody takes it: decoded for its end only
		}
	}
	p.decoding.Lock()
	defer p.decoding.Unlock()
	if s != p.decoded {
		if s != nil {
			p.dec.ExpectStream()
		} else {
			p.dec.Reset()
		}
		p.decoded = s
	}
	p.dec.Feed(b)
	if s == nil {
		p.heard(b)
		p.betweenStreams(atNs)
		return
	}
	s.readNs.Store(atNs)
	p.advance(s, out, ok)
	if p.dec.Doubt() {
		notify(s.doubt)
	}
}

// advance decodes what has come of s into out, hands that on if it was taken from the queue,
// and ends s with its last item. p.decoding is held.
func (p *pump) advance(s *session, out *batch, taken bool) {
	atNs := s.readNs.Load()
	out.atNs = atNs
	last := p.decode(s, out)
	if taken {
		s.put(out)
	}
	s.doubtful.Store(p.dec.Doubt())
	s.hunting.Store(p.dec.Hunting())
	if last == nil {
		return
	}
	p.mu.Lock()
	p.session = nil
	p.mu.Unlock()
	p.decoded = nil
	s.finish(*last)
	p.betweenStreams(atNs)
}

// take waits until there is room for another batch.
func (p *pump) take(s *session) (*batch, bool) {
	for {
		if b := s.empty(); b != nil {
			return b, true
		}
		select {
		case <-s.room:
		case <-s.abandoned:
			return nil, false
		case <-p.closing:
			return nil, false
		}
	}
}

// ackEveryNs is how long acknowledgements are collected. Every frame gets one, and a
// module ignores it: it is there for the network. A write for each would cost as much
// as decoding does.
const ackEveryNs = 5_000_000

// acks returns the acknowledgements that are owed.
func (s *session) acks(atNs int64) string {
	out := strings.Repeat(wire.Ack, s.owed)
	s.owed, s.paidNs = 0, atNs
	return out
}

// decode takes every whole frame, answers the module, and returns the last item
// if the stream is over.
func (p *pump) decode(s *session, out *batch) (last *item) {
	var answers []byte
	defer func() {
		if s.owed > 0 && out.atNs-s.paidNs >= ackEveryNs {
			answers = append(answers, s.acks(out.atNs)...)
		}
		if len(answers) == 0 {
			return
		}
		if err := p.write(answers); err != nil && last == nil {
			last = &item{err: err}
		}
	}()
	for {
		if s.stopping.Load() {
			p.dec.ExpectEnd()
		}
		f, ok, err := p.dec.Next(&out.cols)
		if err != nil {
			p.dec.Reset()
			return &item{err: fmt.Errorf("module %s: %w", p.port, err)}
		}
		if !ok {
			return nil
		}
		s.frames.Add(1)
		s.heardNs.Store(out.atNs)
		if !f.More {
			s.owed++
		}
		switch f.Kind {
		case wire.KindReply:
			p.replyPart(f.Text, out.atNs)
		case wire.KindHeader:
			if f.Damage != nil {
				p.log.Warn("damage before the stream's header", "port", p.port, "error", f.Damage)
			}
			s.items <- item{header: &f.Header}
		case wire.KindData:
			p.data(s, out, f)
		}
		if f.Status == wire.StatusSync {
			answers = append(answers, s.acks(out.atNs)...)
			answers = append(answers, p.takeStop(s)...)
			answers = append(answers, wire.SyncAnswer...)
		}
		if f.Status.Ends() {
			return &item{status: f.Status}
		}
	}
}

func (p *pump) data(s *session, out *batch, f wire.Frame) {
	if f.Damage != nil {
		p.log.Warn("damaged stream", "port", p.port, "error", f.Damage, "stripes_lost", f.Lost, "resyncs", f.Resync)
	}
	if f.N == 0 {
		return
	}
	to := 0
	for _, col := range out.cols {
		to = max(to, len(col))
	}
	out.add(f, to)
	s.stripes.Store(f.First + uint64(f.N))
}

// betweenStreams takes frames while no stream runs: replies, and what is left of
// a stream that an earlier owner of the module did not stop.
func (p *pump) betweenStreams(atNs int64) {
	var none wire.Columns
	for {
		f, ok, err := p.dec.Next(&none)
		switch {
		case err != nil:
			p.log.Debug("input that is no frame", "port", p.port, "error", err)
			p.dec.Reset()
			return
		case !ok:
			return
		case f.Kind == wire.KindReply:
			p.replyPart(f.Text, atNs)
		default:
			notify(p.stray)
			if f.Status == wire.StatusSync {
				if err := p.write([]byte(wire.SyncAnswer)); err != nil {
					return // the next exchange says so
				}
			}
		}
	}
}

// heard keeps the first bytes that came while a reply is awaited, for a message
// about a device that is no module.
func (p *pump) heard(b []byte) {
	const most = 256
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.waiter; w != nil {
		w.got = append(w.got, b[:min(len(b), max(0, most-len(w.got)))]...)
		w.replied += len(b)
	}
}

// begin makes s the stream in progress: the next frame that is no reply is its
// header.
func (p *pump) begin(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.session = s
}

// abort forgets s: what still comes of it is stray.
func (p *pump) abort(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == s {
		p.session = nil
		p.stale = true
	}
}

// wantStop asks for `rec stop` at the next sync, with w as receiver of its reply.
func (p *pump) wantStop(s *session, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.stop = w
}

// unwantStop withdraws wantStop; it reports whether nothing was sent.
func (p *pump) unwantStop(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	unsent := s.stop != nil
	s.stop = nil
	return unsent
}

// takeStop returns the stop command if it is still wanted.
func (p *pump) takeStop(s *session) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.stop == nil {
		return nil
	}
	p.waiter, s.stop = s.stop, nil
	s.stopping.Store(true)
	close(s.stopSent)
	return wire.AppendFrame(nil, []byte(p.waiter.cmd+"\r\n"))
}

// stopNow sends the stop command without a sync, unless it was sent at one. A
// sync that got lost is answered too.
func (p *pump) stopNow(s *session) error {
	cmd := p.takeStop(s)
	if cmd == nil {
		return nil
	}
	return p.write(append(cmd, wire.SyncAnswer...))
}

// markStale says that input may come which belongs to nobody.
func (p *pump) markStale() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stale = true
}
