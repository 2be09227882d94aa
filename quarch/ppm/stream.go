package ppm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

const (
	// syncWait is how long `rec stop` waits for a sync, the place where its reply
	// cannot be mistaken, before it is sent anyway.
	syncWait = 500 * time.Millisecond
	// stallPeriods is how many stripes a module may gather before it sends them.
	stallPeriods = 128
)

// Stream implements quarch.Module. On the framed link a block is what one read
// completed. On the terminal link a block is one stripe, polled channel by
// channel: good for means over seconds, not for peaks.
//
// Up to 2^20 stripes of up to 2^13 reads wait while the loop's body runs (four
// seconds at 250 kS/s); a command that the body itself sends must be answered
// before that.
func (m *Module) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		if !m.streaming.CompareAndSwap(false, true) {
			yield(nil, fmt.Errorf("module %s: a stream runs already", m.o.Port))
			return
		}
		defer m.streaming.Store(false)
		var err error
		if m.identity.Link == quarch.LinkTerminal {
			err = m.poll(ctx, yield)
		} else {
			err = m.streamFramed(ctx, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (m *Module) streamFramed(ctx context.Context, yield func(*quarch.Block, error) bool) error {
	l, exponent, err := m.prepare(ctx)
	if err != nil {
		return unlessDone(ctx, err)
	}
	s := newSession()
	defer close(s.abandoned)
	if err := m.startStream(ctx, s); err != nil {
		return unlessDone(ctx, err)
	}
	l.periodNs = wire.PeriodNs(exponent)
	c := &consumer{m: m, s: s, layout: l, exponent: exponent, yield: yield, stopped: make(chan error, 1)}
	return c.run(ctx)
}

// unlessDone drops an error of a stream that was not wanted any more before it
// had begun.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// prepare asks for what the header must say, and refuses what the line cannot
// carry.
func (m *Module) prepare(ctx context.Context) (layout, byte, error) {
	exponent, err := m.averaging(ctx)
	if err != nil {
		return layout{}, 0, err
	}
	if err := m.checkBudget(exponent); err != nil {
		return layout{}, 0, err
	}
	rails, err := m.rails(ctx)
	if err != nil {
		return layout{}, 0, err
	}
	running, err := m.optional(ctx, "rec stream?")
	if err != nil {
		return layout{}, 0, err
	}
	if strings.HasPrefix(strings.ToLower(running), "running") { // left over from an earlier owner
		if err := m.stopLeftover(ctx); err != nil {
			return layout{}, 0, err
		}
	}
	return layout{rails: rails}, exponent, m.command(ctx, "conf stream enable on")
}

// stopLeftover ends a stream that this program did not start.
func (m *Module) stopLeftover(ctx context.Context) error {
	m.o.Log.Warn("the module was streaming already: stopping it", "port", m.o.Port)
	if err := m.command(ctx, "rec stop"); err != nil {
		return err
	}
	if err := m.pump.write([]byte(wire.SyncAnswer)); err != nil { // it may wait at a sync that the earlier owner saw
		return err
	}
	m.pump.markStale() // the next exchange waits until its rest has come
	return nil
}

func (m *Module) startStream(ctx context.Context, s *session) error {
	const cmd = "rec stream"
	if err := m.acquire(ctx, cmd); err != nil {
		return err
	}
	defer m.release()
	w := newWaiter(cmd)
	m.pump.begin(s)
	m.pump.expect(w)
	m.sentNs.Store(m.o.Now())
	if err := m.pump.send(cmd); err != nil {
		m.pump.giveUp(w)
		m.pump.abort(s)
		return err
	}
	a, err := m.await(context.WithoutCancel(ctx), w, false) // a stream that may have begun must be stopped
	if err != nil {
		m.pump.abort(s)
		return err
	}
	if wire.Refused(a.text) {
		m.pump.abort(s)
		return fmt.Errorf("module %s: %w %s: %s", m.o.Port, quarch.ErrRefused, cmd, refusal(a.text))
	}
	m.ackedNs.Store(a.atNs)
	return nil
}
