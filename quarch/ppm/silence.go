package ppm

import (
	"time"

	"powerd/quarch/wire"
)

// What bytes do not tell of a damaged stream, their absence does. A module that streams is
// never silent for long, unless it waits at a sync that was not seen.
const (
	// nudgeAfter is the silence after which a sync is answered that may have been damaged:
	// short, for the module's memory fills.
	nudgeAfter = 50 * time.Millisecond
	// silentAfter is the silence after which an end that was not to be expected is believed:
	// longer than a stall of the host or of a network.
	silentAfter = 300 * time.Millisecond
)

// hush looks at a stream that the decoder is in doubt about, and again when again says so.
func (c *consumer) hush(again *time.Timer) {
	if !c.s.doubtful.Load() {
		return
	}
	readNs := c.s.readNs.Load()
	silent := time.Duration(c.m.o.Now() - readNs)
	switch {
	case silent < nudgeAfter:
		again.Reset(nudgeAfter - silent)
		return
	case silent >= silentAfter:
		c.m.pump.silence(c.s)
		return
	case c.s.hunting.Load() && c.hushedNs != readNs:
		c.hushedNs = readNs
		if err := c.m.pump.write([]byte(wire.SyncAnswer)); err != nil {
			c.fail(err)
		}
	}
	again.Reset(silentAfter - silent)
}

// silence tells the decoder that nothing has come of s for long.
func (p *pump) silence(s *session) {
	out := s.empty()
	if out == nil {
		return // the queue is full: that is why nothing was read
	}
	p.decoding.Lock()
	defer p.decoding.Unlock()
	if p.decoded != s {
		s.put(out)
		return
	}
	p.dec.Silence()
	p.advance(s, out, true)
}
