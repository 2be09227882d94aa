package ppm

import (
	"context"
	"fmt"
	"time"

	"powerd/quarch"
)

// answer is a reply with the host time of the read that completed it.
type answer struct {
	text string
	atNs int64
}

// waiter is an exchange that waits for its reply.
type waiter struct {
	cmd      string
	answer   chan answer   // of one
	progress chan struct{} // of one: bytes of the reply came
	got      []byte        // what came since the command was written
	replied  int           // bytes of it that are reply, not echo or framing
}

func newWaiter(cmd string) *waiter {
	return &waiter{cmd: cmd, answer: make(chan answer, 1), progress: make(chan struct{}, 1)}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// timeoutError says who was silent, to what, for how long.
type timeoutError struct {
	port, cmd string
	after     time.Duration
	bytes     int
	said      []byte // all that came, for a message
}

func (e *timeoutError) Error() string {
	plural := "s"
	if e.bytes == 1 {
		plural = ""
	}
	return fmt.Sprintf("module %s: no answer to %s within %v (got %d byte%s)", e.port, e.cmd, spaced(e.after), e.bytes, plural)
}

func (e *timeoutError) Unwrap() error { return quarch.ErrTimeout }

// spaced returns a duration with a space before its unit where it has one unit.
func spaced(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// exchange sends a command and returns its reply, whatever that says. A strict
// exchange must be over within the timeout; another may go on for as long as
// bytes keep coming, up to ten times as long.
func (m *Module) exchange(ctx context.Context, cmd string, strict bool) (string, error) {
	a, err := m.exchangeAt(ctx, cmd, strict)
	return a.text, err
}

// exchangeAt is exchange with the time of the reply.
func (m *Module) exchangeAt(ctx context.Context, cmd string, strict bool) (answer, error) {
	if err := m.acquire(ctx, cmd); err != nil {
		return answer{}, err
	}
	defer m.release()
	w := newWaiter(cmd)
	m.pump.expect(w)
	if err := m.pump.send(cmd); err != nil {
		m.pump.giveUp(w)
		return answer{}, err
	}
	return m.await(ctx, w, strict)
}

// acquire waits until no other exchange runs, the module has had its pause, and
// stale input is gone.
func (m *Module) acquire(ctx context.Context, cmd string) error {
	select {
	case m.slot <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("module %s: %s was not sent: %w", m.o.Port, cmd, ctx.Err())
	case <-m.pump.done:
		return m.pump.failure(cmd)
	}
	gap := time.NewTimer(m.o.MinGap - time.Since(m.lastWrite))
	defer gap.Stop()
	select {
	case <-gap.C:
	case <-ctx.Done():
		<-m.slot
		return fmt.Errorf("module %s: %s was not sent: %w", m.o.Port, cmd, ctx.Err())
	}
	m.pump.drain(ctx, m.o.Timeout)
	m.lastWrite = time.Now()
	return nil
}

func (m *Module) release() { <-m.slot }

// await waits for the reply of w. On giving up, what still comes is stale.
func (m *Module) await(ctx context.Context, w *waiter, strict bool) (answer, error) {
	idle := time.NewTimer(m.o.Timeout)
	defer idle.Stop()
	total := time.NewTimer(10 * m.o.Timeout)
	defer total.Stop()
	for {
		select {
		case a := <-w.answer:
			return a, nil
		case <-w.progress:
			if !strict {
				idle.Reset(m.o.Timeout)
			}
			continue
		case <-idle.C:
		case <-total.C:
		case <-ctx.Done():
			if a, ok := m.pump.giveUp(w); ok {
				return a, nil
			}
			return answer{}, fmt.Errorf("module %s: the reply to %s was not awaited: %w", m.o.Port, w.cmd, ctx.Err())
		case <-m.pump.done:
			if a, ok := m.pump.giveUp(w); ok {
				return a, nil
			}
			return answer{}, m.pump.failure(w.cmd)
		}
		if a, ok := m.pump.giveUp(w); ok {
			return a, nil
		}
		return answer{}, &timeoutError{m.o.Port, w.cmd, m.o.Timeout, w.replied, w.got}
	}
}
