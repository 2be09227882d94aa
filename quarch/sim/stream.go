package sim

import (
	"context"
	"math/rand/v2"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// StreamTruth is what really happened in one stream.
type StreamTruth struct {
	Index    int     // streams count from 0 since New
	StartNs  int64   // start of stripe 0, host CLOCK_MONOTONIC
	PeriodNs int64   // nominal period of a stripe
	DriftPPM float64 // the true period is PeriodNs·(1 + DriftPPM·1e-6)
	Stripes  uint64  // made, from stripe 0 on without a gap
	Sent     uint64  // written to the client whole
	Overrun  bool    // the FIFO was full: no stripe was made after that
	Losses   []Loss  // what did not arrive as it was made, or was not made, and why; in time

	clock stripeClock
}

// Loss is what a fault did to stripes of a stream.
type Loss struct {
	Index   uint64 // first stripe
	Stripes uint64 // of a stream that went on for its client: up to its stop, the next stream, or now
	What    string
}

// StripeNs returns when stripe k really began, host CLOCK_MONOTONIC. It ended when the
// next one began, unless the clock stood still between them.
func (t StreamTruth) StripeNs(k uint64) int64 { return t.clock.startNs(int64(k)) }

// stream is one stream from `rec stream` to its end status.
type stream struct {
	m        *Module
	clock    stripeClock
	header   wire.Header
	fifo     *fifo
	stopping chan struct{} // closed by stop

	stopNs  int64       // 0 until stopped; guarded by m.mu
	truth   StreamTruth // guarded by m.mu
	missing missing     // guarded by m.mu
	pending []int64     // stripes in which triggers fell; guarded by m.mu

	enc encoder

	// Of the producer alone.
	made   int64
	heldNs int64 // how much earlier than usual the load was last settled
	jitter *rand.Rand
	v, a   [][]int32
	buf    []byte

	triggers  []int64 // those of pending that were taken over
	flushedNs int64
}

// mostStreams bounds what is remembered of them.
const mostStreams = 100_000

func (c *client) streamState([]string) answer {
	if c.m.active != nil {
		return say("Running")
	}
	return say("Stopped")
}

func (c *client) enableStream(args []string) answer {
	on, ok := parseOnOff(args[0])
	if !ok {
		return fail(refusedValue, "Stream enable must be ON or OFF")
	}
	c.streamEnabled = on
	return say("OK")
}

func (c *client) startStream([]string) answer {
	switch {
	case !c.framed:
		return fail(refusedState, "No streaming on this link")
	case !c.streamEnabled:
		return fail(refusedState, "Send CONF STREAM ENABLE ON first")
	case c.m.active != nil:
		return fail(refusedState, "A stream is running")
	case len(c.m.streams) == mostStreams:
		return fail(refusedState, "Too many streams since the start")
	}
	c.m.active = c.m.newStream()
	return answer{text: "OK", stream: c.m.active}
}

func (c *client) stopStream([]string) answer {
	now := c.m.opts.Now()
	c.m.unwanted(now)
	if c.m.active != nil {
		c.m.active.stop(now)
	}
	return say("OK")
}

// newStream begins a stream now. The caller holds mu.
func (m *Module) newStream() *stream {
	m.faults.nextStream()
	m.unwanted(m.opts.Now())
	clock := m.clock(m.opts.Now() + m.opts.OffsetNs)
	clock.bend = m.bend(clock)
	n := uint64(len(m.streams))
	header := wire.Header{Version: m.opts.Format.variant().version, Mask: maskOf(m.opts.Rails), Exponent: m.saidExponent()}
	s := &stream{
		m:         m,
		clock:     clock,
		header:    header,
		enc:       m.newEncoder(header.Mask),
		fifo:      newFIFO(m.opts.FIFOBytes),
		stopping:  make(chan struct{}),
		truth:     StreamTruth{StartNs: clock.t0Ns, PeriodNs: clock.periodNs, DriftPPM: clock.driftPPM, clock: clock},
		flushedNs: m.opts.Now(),
		jitter:    rand.New(rand.NewPCG(m.opts.Seed, n)),
		v:         columns(len(m.opts.Rails), fillStripes),
		a:         columns(len(m.opts.Rails), fillStripes),
	}
	m.streams = append(m.streams, s)
	return s
}

// maskOf returns the channels of rails. The 3.3 V rail uses those of 5 V.
func maskOf(rails []string) wire.Mask {
	var mask wire.Mask
	for _, rail := range rails {
		if quarch.Rail(rail) == quarch.Rail12V {
			mask |= wire.Mask12VVolts | wire.Mask12VAmps
		} else {
			mask |= wire.Mask5VVolts | wire.Mask5VAmps
		}
	}
	return mask
}

// stop ends production at atNs. The caller holds m.mu.
func (s *stream) stop(atNs int64) {
	if s.stopNs == 0 {
		s.stopNs = atNs
		close(s.stopping)
	}
}

// run makes stripes until the stream was stopped, overran, or ctx is done.
//
// Each round looks at the clock once: how much is due and how late the round is
// go by the same reading. Otherwise a host that stalls between two readings would
// make stripes due for which the reader had no time.
func (s *stream) run(ctx context.Context) {
	defer func() { s.v, s.a, s.buf = nil, nil, nil }() // the truth about it stays
	now := s.m.opts.Now
	atNs := now()
	planned := atNs + s.waitNs(atNs)
	timer := time.NewTimer(time.Duration(planned - atNs))
	defer timer.Stop()
	stopping := s.stopping
	for {
		select {
		case <-ctx.Done():
			return
		case <-stopping:
			stopping = nil
		case <-timer.C:
		}
		atNs = now()
		late := max(0, atNs-planned) + s.heldNs
		patience := late
		if !s.produce(ctx, atNs, &patience) {
			return
		}
		planned = atNs + s.waitNs(atNs) + late - patience // waiting for the reader is not the host's doing
		timer.Reset(time.Duration(planned - now()))
	}
}

// waitNs returns how long the producer sleeps.
func (s *stream) waitNs(nowNs int64) int64 {
	wait := max(batchNs, s.clock.startNs(s.made+1)+s.m.behindNs()-nowNs)
	if stopNs := s.stopped(); stopNs != 0 {
		wait = min(wait, stopNs+s.m.opts.LagNs-nowNs)
	}
	if j := s.m.opts.ArrivalJitterNs; j > 0 {
		wait += s.jitter.Int64N(j)
	}
	return max(wait, batchNs/10)
}

func (s *stream) stopped() int64 {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return s.stopNs
}

// produce makes the stripes that are due at atNs and returns false if there will
// be no more. *patienceNs is for how long the host kept the producer from running.
func (s *stream) produce(ctx context.Context, atNs int64, patienceNs *int64) bool {
	limit := s.m.knownNs(atNs)
	s.heldNs = atNs - s.m.behindNs() - limit
	stopNs := s.stopped()
	last := false
	if stopNs != 0 && stopNs <= limit {
		limit, last = stopNs, atNs >= stopNs+s.m.opts.LagNs
	}
	due := s.blocked(s.clock.ended(limit), last)
	end, status := s.cut(due)
	for s.made < end {
		want := s.clock.together(s.made, min(end-s.made, fillStripes))
		n := min(want, s.room(ctx, want, patienceNs))
		if n == 0 {
			s.overrun()
			return false
		}
		s.stoodStill()
		s.make(n)
	}
	if end < due {
		s.end(status)
		return false
	}
	if last {
		s.finish(wire.StatusEnd)
	} else {
		s.flush(atNs)
	}
	return !last
}

// room returns for how many stripes the FIFO has room. It waits for want, but no
// longer than *patienceNs, which it uses up.
func (s *stream) room(ctx context.Context, want int64, patienceNs *int64) int64 {
	free := s.enc.fits(s.fifo.free())
	if free >= want || *patienceNs <= 0 {
		return free
	}
	began := s.m.opts.Now()
	timer := time.NewTimer(time.Duration(*patienceNs))
	defer timer.Stop()
	for free < want {
		select {
		case <-s.fifo.room:
			free = s.enc.fits(s.fifo.free())
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		break
	}
	*patienceNs -= s.m.opts.Now() - began
	return free
}

func (s *stream) overrun() { s.end(wire.StatusOverrun) }

// end ends the stream unasked.
func (s *stream) end(status wire.Status) {
	what := "early end: nothing was made from this stripe on"
	if status == wire.StatusOverrun {
		what = "overrun: nothing was made from this stripe on"
	}
	s.m.mu.Lock()
	s.truth.Overrun = status == wire.StatusOverrun
	s.missing.notMade(what)
	s.m.mu.Unlock()
	s.finish(status)
}

// make measures n stripes, at most fillStripes, for which there is room.
func (s *stream) make(n int64) {
	s.m.mu.Lock()
	for r := range s.v {
		s.v[r], s.a[r] = s.v[r][:n], s.a[r][:n]
	}
	s.m.fill(s.clock, s.made, n, s.v, s.a)
	first := s.made
	s.made += n
	s.truth.Stripes = uint64(s.made)
	for r := range s.v {
		s.m.reading.v[r][0], s.m.reading.a[r][0] = s.v[r][n-1], s.a[r][n-1]
	}
	s.triggers, s.pending = append(s.triggers, s.pending...), nil
	s.m.mu.Unlock()
	if b := s.encode(first, int(n)); len(b) > 0 {
		s.fifo.put(b)
	}
}
