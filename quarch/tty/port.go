package tty

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.bug.st/serial"

	"powerd/quarch"
)

// DefaultBaud is the speed of a module's serial port.
const DefaultBaud = 19200

// pollTimeout bounds how long Close waits for a blocked Read.
const pollTimeout = 50 * time.Millisecond

// Options of a port. The zero value fits a module.
type Options struct {
	Baud int // bits per second; 0 = DefaultBaud

	// DTR and RTS set the control lines while opening. Both nil leaves them to
	// the kernel; if one is given, the other is off. Some boards restart on an
	// edge of DTR, and a pseudo-terminal has no such lines.
	DTR, RTS *bool

	LockDir string // "" = /run/lock, or the temporary folder where that is missing
	SysRoot string // "" = /sys
}

// Port is an open serial port. Read and Write may be called from different
// goroutines.
type Port struct {
	name    string
	port    serial.Port
	lock    *lock
	latency int

	closed   atomic.Bool
	reading  sync.Mutex // held by Read
	closing  sync.Once
	closeErr error
}

// Open opens a serial port: raw, 8N1, no flow control. The lines DTR and RTS are
// left alone unless asked. Where a USB adapter has a latency timer, it is set to
// 1 ms if that is allowed.
func Open(path string, o Options) (*Port, error) {
	device, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("open port %s: %w (is the module plugged in?)", path, err)
	}
	l, err := acquire(path, device, o.LockDir)
	if err != nil {
		return nil, err
	}
	p, err := openSerial(device, o.mode())
	if err != nil {
		return nil, errors.Join(openError(path, device, err), o.linesHint(err), l.release())
	}
	if err := p.SetReadTimeout(pollTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("open port %s: %w", path, err), p.Close(), l.release())
	}
	return &Port{name: path, port: p, lock: l, latency: tuneLatency(o.SysRoot, device)}, nil
}

func (o Options) mode() *serial.Mode {
	m := &serial.Mode{BaudRate: o.Baud, DataBits: 8, Parity: serial.NoParity, StopBits: serial.OneStopBit}
	if m.BaudRate == 0 {
		m.BaudRate = DefaultBaud
	}
	if o.DTR != nil || o.RTS != nil {
		m.InitialStatusBits = &serial.ModemOutputBits{
			DTR: o.DTR != nil && *o.DTR,
			RTS: o.RTS != nil && *o.RTS,
		}
	}
	return m
}

// linesHint says what may help where a port that was to set its control lines does not
// open: pseudo-terminals and some bridges have none.
func (o Options) linesHint(err error) error {
	var pe *serial.PortError
	if (o.DTR == nil && o.RTS == nil) || !errors.As(err, &pe) || pe.Code() != serial.InvalidSerialPort {
		return nil
	}
	return errors.New("it may have no lines DTR and RTS; leave dtr and rts out of the settings")
}

func openError(path, device string, err error) error {
	var pe *serial.PortError
	if errors.As(err, &pe) && pe.Code() == serial.PortBusy {
		return fmt.Errorf("open port %s: %w: %s holds it", path, quarch.ErrBusy, others(device))
	}
	if errors.As(err, &pe) && pe.Code() == serial.PermissionDenied {
		return fmt.Errorf("open port %s: %w (add this user to the group that owns it)", path, os.ErrPermission)
	}
	return fmt.Errorf("open port %s: %w", path, err)
}

// Name returns the path that the port was opened by.
func (p *Port) Name() string { return p.name }

// LatencyMs returns the latency timer of the port's USB adapter in ms, 0 if it
// has none.
func (p *Port) LatencyMs() int { return p.latency }

// Read blocks until at least one byte came, the port was closed, or it went
// away. It never returns 0 bytes without an error unless b is empty.
func (p *Port) Read(b []byte) (int, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	for !p.closed.Load() {
		n, err := p.port.Read(b)
		if n > 0 {
			return n, nil
		}
		if err != nil && !p.closed.Load() {
			return 0, fmt.Errorf("read port %s: %w: %w", p.name, quarch.ErrUnplugged, err)
		}
	}
	return 0, fmt.Errorf("read port %s: %w", p.name, quarch.ErrClosed)
}

// Write writes all of b.
func (p *Port) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if p.closed.Load() {
			return n, fmt.Errorf("write port %s: %w", p.name, quarch.ErrClosed)
		}
		k, err := p.port.Write(b[n:])
		n += k
		if err != nil && !interrupted(err) {
			return n, fmt.Errorf("write port %s: %w: %w", p.name, quarch.ErrUnplugged, err)
		}
	}
	return n, nil
}

// Close unblocks Read, closes the port and gives the lock back. A second call
// does nothing.
func (p *Port) Close() error {
	p.closing.Do(func() {
		p.closed.Store(true)
		// The library closes the descriptor under a running read, and the number
		// may be reused at once: let the read end first.
		p.reading.Lock()
		defer p.reading.Unlock()
		p.closeErr = errors.Join(p.port.Close(), p.lock.release())
	})
	return p.closeErr
}
