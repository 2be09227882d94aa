package ppm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// Options of a module.
type Options struct {
	Conn io.ReadWriteCloser // Close must unblock Read; the module owns it from Open on
	Port string             // device path or host:port, for messages and Info
	Link string             // quarch.LinkTerminal, quarch.LinkFramed, "" = find out

	Now func() int64 // host CLOCK_MONOTONIC in ns
	Log *slog.Logger // nil = none

	Timeout time.Duration // without a byte of a reply; 0 = 3 s
	MinGap  time.Duration // between two commands; 0 = 15 ms

	// BaudForBudget is the speed of a serial line in bits per second: a stream
	// that needs more than 80 % of it is refused. 0 = not a serial line.
	BaudForBudget int
}

const (
	defaultTimeout = 3 * time.Second
	defaultMinGap  = 15 * time.Millisecond
)

// Module is an opened module. It implements quarch.Module, quarch.Sampler and
// quarch.Starter.
type Module struct {
	o    Options
	pump *pump

	slot      chan struct{} // held by the exchange in progress
	lastWrite time.Time     // guarded by slot
	streaming atomic.Bool
	identity  quarch.Info // what does not change; set by Open
	sentNs    atomic.Int64
	ackedNs   atomic.Int64

	closing  sync.Once
	closeErr error
}

// Open finds out who answers on the connection, with queries only. It closes the
// connection if that is no module.
func Open(ctx context.Context, o Options) (*Module, error) {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.MinGap == 0 {
		o.MinGap = defaultMinGap
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Module{o: o, slot: make(chan struct{}, 1)}
	m.pump = startPump(o)
	if err := m.open(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Module) open(ctx context.Context) error {
	link := m.o.Link
	switch link {
	case quarch.LinkTerminal, quarch.LinkFramed:
		m.pump.setLink(link)
	case "":
		found, err := m.probe(ctx)
		if err != nil {
			return err
		}
		link = found
	default:
		return fmt.Errorf("module %s: link %q is unknown (want %s or %s)", m.o.Port, link, quarch.LinkTerminal, quarch.LinkFramed)
	}
	return m.identify(ctx, link)
}

// Close gives the connection back and ends a stream that runs. It sends nothing.
func (m *Module) Close() error {
	m.closing.Do(func() { m.closeErr = m.pump.close() })
	return m.closeErr
}

// StreamStart returns the host time right before `rec stream` was written and
// right after its reply was read, of the last stream; on the terminal link both
// are the start of the first poll.
func (m *Module) StreamStart() (sentNs, ackedNs int64) {
	return m.sentNs.Load(), m.ackedNs.Load()
}

// command sends a command that must be answered OK.
func (m *Module) command(ctx context.Context, cmd string) error {
	reply, err := m.query(ctx, cmd)
	if err == nil && !strings.HasPrefix(strings.ToUpper(reply), "OK") {
		err = fmt.Errorf("module %s: %s was answered %s (want OK)", m.o.Port, cmd, wire.Quoted(reply))
	}
	return err
}

// query sends a command and returns its reply, which is no refusal.
func (m *Module) query(ctx context.Context, cmd string) (string, error) {
	reply, err := m.exchange(ctx, cmd, false)
	if err == nil && wire.Refused(reply) {
		err = fmt.Errorf("module %s: %w %s: %s", m.o.Port, quarch.ErrRefused, cmd, refusal(reply))
	}
	return reply, err
}

// refusal returns a refusal's text for a message: as it is, if it is a text.
func refusal(reply string) string {
	const most = 200
	if len(reply) > most || strings.ContainsFunc(reply, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) {
		return wire.Quoted(reply)
	}
	return reply
}
