package ppm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// consumer takes a session's items in the goroutine of the iteration.
type consumer struct {
	m        *Module
	s        *session
	layout   layout
	exponent byte // of the averaging
	yield    func(*quarch.Block, error) bool

	left    bool       // the loop was left: yield must not be called again
	failed  error      // what the stream ends with, once the module has stopped
	asked   bool       // the module was asked to stop
	stopped chan error // of one: how the asking went

	nudged   bool   // a sync was answered that nobody has seen
	stalled  bool   // nothing came, to the nudge neither
	frames   uint64 // at the last look
	hushedNs int64  // the last read before the silence in which one was answered
}

// run yields blocks until the stream has ended, and asks for its end when ctx is
// done, the loop was left, or something is wrong.
func (c *consumer) run(ctx context.Context) error {
	stall := c.m.o.Timeout + stallPeriods*time.Duration(c.layout.periodNs)
	watch := time.NewTimer(stall)
	defer watch.Stop()
	quiet := time.NewTimer(silentAfter)
	quiet.Stop() // until the decoder is in doubt
	defer quiet.Stop()
	done, stopped := ctx.Done(), c.stopped
	defer func() {
		if c.asked && stopped != nil {
			if err := <-stopped; err != nil {
				c.m.o.Log.Debug("rec stop was not answered", "port", c.m.o.Port, "error", err)
			}
		}
	}()
	for {
		select {
		case it := <-c.s.items:
			if it.end {
				return c.end(it)
			}
			c.take(it)
		case <-done:
			done = nil
			c.stop()
		case err := <-stopped:
			stopped = nil
			if err != nil && !c.over() {
				c.m.pump.abort(c.s)
				return c.told(c.blame(errors.Join(c.failed, err)))
			}
		case <-c.s.doubt:
			c.hush(quiet)
		case <-quiet.C:
			c.hush(quiet)
		case <-watch.C:
			c.look(stall)
			watch.Reset(stall)
		}
	}
}

func (c *consumer) over() bool {
	select {
	case <-c.s.ended:
		return true
	default:
		return false
	}
}

// told returns err unless there is nobody to tell it to.
func (c *consumer) told(err error) error {
	if c.left && err != nil {
		c.m.o.Log.Warn("the stream did not end well after its reader had left", "port", c.m.o.Port, "error", err)
		return nil
	}
	return err
}

func (c *consumer) take(it item) {
	if it.header != nil {
		c.layout.mask = it.header.Mask
		c.m.compareFormat(*it.header)
		if said := wire.PeriodNs(it.header.Exponent); said != c.layout.periodNs {
			c.fail(fmt.Errorf("module %s: the stream's header says a period of %d µs, rec:ave? said %d µs: nothing of it is used",
				c.m.o.Port, said/1000, c.layout.periodNs/1000))
		}
		return
	}
	for _, b := range it.batch.blocks(c.layout) {
		if c.left || c.failed != nil {
			break
		}
		if !c.yield(&b, nil) {
			c.left = true
			c.stop()
		}
	}
	c.s.done(it.batch)
}

// look judges whether the module is alive. A sync that was lost on the line
// leaves it waiting for an answer: it gets one before it is given up.
func (c *consumer) look(after time.Duration) {
	frames := c.s.frames.Load()
	switch {
	case frames != c.frames:
		c.frames, c.nudged = frames, false
	case !c.nudged:
		c.nudged = true
		if err := c.m.pump.write([]byte(wire.SyncAnswer)); err != nil {
			c.fail(err)
		}
	default:
		c.stalled = true
		c.fail(fmt.Errorf("module %s: %w: the stream stalled for %s after %d stripes",
			c.m.o.Port, quarch.ErrTimeout, seconds(int64(2*after)), c.s.stripes.Load()))
	}
}

func (c *consumer) fail(err error) {
	if c.failed == nil {
		c.failed = err
	}
	c.stop()
}

// stop asks the module for the end of the stream, once, beside the loop: what it
// still sends must be taken meanwhile.
func (c *consumer) stop() {
	if c.asked {
		return
	}
	c.asked = true
	go func() { c.stopped <- c.m.stopStream(c.s) }()
}

// end says how the stream ended; nil if as asked.
func (c *consumer) end(it item) error {
	n := c.s.stripes.Load()
	if it.err == nil && (it.status != wire.StatusEnd || !c.asked) {
		// If damage passed for it, the module sends on, and hears no other command.
		c.m.stopBlindly()
	}
	switch {
	case it.err != nil:
		if !errors.Is(it.err, quarch.ErrClosed) && !errors.Is(it.err, quarch.ErrUnplugged) {
			c.m.stopBlindly()
		}
		return c.told(errors.Join(c.failed, it.err))
	case c.stalled && c.failed != nil:
		return c.told(fmt.Errorf("%w; it answered rec stop at once, so it waited for an answer that got lost: look at cable, hub and bridge, and run again", c.failed))
	case c.failed != nil:
		return c.told(c.failed)
	case it.status == wire.StatusEndedEarly:
		return c.told(fmt.Errorf("module %s: truncated: the module ended the stream early after %d stripes (end status 2)", c.m.o.Port, n))
	case it.status != wire.StatusEnd:
		return c.told(fmt.Errorf("module %s: truncated: %w after %d stripes; raise the averaging (end status %d)",
			c.m.o.Port, quarch.ErrOverrun, n, byte(it.status)))
	case !c.asked:
		return fmt.Errorf("module %s: the module ended the stream unasked after %d stripes (end status 0)", c.m.o.Port, n)
	}
	return nil
}

// stopStream asks for the end of the stream and waits for it.
func (m *Module) stopStream(s *session) error {
	const cmd = "rec stop"
	ctx, cancel := context.WithTimeout(context.Background(), 2*m.o.Timeout)
	defer cancel()
	if err := m.acquire(ctx, cmd); err != nil {
		return err
	}
	defer m.release()
	w := newWaiter(cmd)
	m.pump.wantStop(s, w)
	patience := time.NewTimer(syncWait)
	defer patience.Stop()
	select {
	case <-s.stopSent:
	case <-patience.C:
		if err := m.pump.stopNow(s); err != nil {
			return err
		}
	case <-s.ended:
		if m.pump.unwantStop(s) {
			return nil
		}
	}
	if _, err := m.await(ctx, w, false); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return &timeoutError{port: m.o.Port, cmd: cmd + " (no end of the stream)", after: 2 * m.o.Timeout}
	}
}

// stopBlindly asks for the end of a stream that cannot be read any more. The
// reply is lost in it: what comes is stale.
func (m *Module) stopBlindly() {
	ctx, cancel := context.WithTimeout(context.Background(), m.o.Timeout)
	defer cancel()
	const cmd = "rec stop"
	if m.acquire(ctx, cmd) != nil {
		return
	}
	defer m.release()
	if err := m.pump.send(cmd); err != nil {
		m.o.Log.Warn("the stream could not be stopped", "port", m.o.Port, "error", err)
		return
	}
	if err := m.pump.write([]byte(wire.SyncAnswer)); err != nil {
		m.o.Log.Warn("the stream could not be stopped", "port", m.o.Port, "error", err)
	}
	m.pump.markStale()
}
