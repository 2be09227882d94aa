package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// ServePTY makes a pseudo-terminal and serves whoever opens it, one client after
// another, until ctx is done. The path is returned at once and stays the same;
// wait returns when the last client has been left and the terminal is gone.
func (m *Module) ServePTY(ctx context.Context) (path string, wait func() error, err error) {
	t, err := openTerminal()
	if err != nil {
		return "", nil, fmt.Errorf("serve the emulated module on a pseudo-terminal: %w", err)
	}
	var wg sync.WaitGroup
	var failed error
	stop := context.AfterFunc(ctx, t.interrupt)
	pulled, pulledNoMore := context.WithCancel(ctx)
	wg.Go(func() { m.pulls(pulled, t.interrupt) })
	wg.Go(func() {
		defer pulledNoMore()
		defer stop()
		defer t.close()
		failed = m.serveVisits(ctx, t)
	})
	return t.path, func() error {
		wg.Wait()
		return failed
	}, nil
}

// serveVisits serves one client after another. A visit begins with the first
// byte and ends when nobody has the terminal open: then a stream is over, as it
// is when a TCP connection breaks, and what nobody has read is dropped.
func (m *Module) serveVisits(ctx context.Context, t *terminal) error {
	for ctx.Err() == nil {
		first, err := t.awaitClient()
		switch {
		case ctx.Err() != nil:
			continue
		case m.away() || errors.Is(err, os.ErrDeadlineExceeded): // it was pulled, and may be back already
			if err := m.replug(ctx, t); err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("wait for a client on %s: %w", t.path, err)
		}
		m.Serve(ctx, &visit{Reader: io.MultiReader(bytes.NewReader(first), t.master), terminal: t}, m.opts.Link)
		if m.away() {
			if err := m.replug(ctx, t); err != nil {
				return err
			}
			continue
		}
		if err := t.hold(); err != nil {
			return fmt.Errorf("hold %s open for the next client: %w", t.path, err)
		}
	}
	return nil
}

// terminal is a pseudo-terminal that outlives its clients.
//
// While nobody is there we hold the client's side open ourselves, so that a read
// waits instead of failing. Once a client has spoken we let go of it, so that the
// kernel tells us when the client is gone.
type terminal struct {
	path  string
	slave *os.File // nil while a client is there

	mu     sync.Mutex // guards what follows against interrupt
	master *os.File
}

// replace makes t the other.
func (t *terminal) replace(other *terminal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.path, t.master, t.slave = other.path, other.master, other.slave
}

// visit is a terminal for the time of one client. Closing it only ends waits.
type visit struct {
	io.Reader
	terminal *terminal
}

func (v *visit) Write(p []byte) (int, error) { return v.terminal.master.Write(p) }

func (v *visit) Close() error {
	v.terminal.interrupt()
	return nil
}

// replug takes the terminal away, as a cable that is pulled does, and makes one again
// when the port is back: the same if its number is free, else Options.Moved is told.
func (m *Module) replug(ctx context.Context, t *terminal) error {
	t.close()
	if !m.back(ctx) {
		return nil
	}
	again, err := openTerminal()
	if err != nil {
		return fmt.Errorf("serve the emulated module on a pseudo-terminal again: %w", err)
	}
	moved := again.path != t.path
	t.replace(again)
	if moved && m.opts.Moved != nil {
		m.opts.Moved(t.path)
	}
	return nil
}

func openTerminal() (*terminal, error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	t := &terminal{path: slave.Name(), slave: slave}
	if t.master, err = unblocked(opened); err == nil {
		_, err = term.MakeRaw(int(slave.Fd()))
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// unblocked returns f again, with reads that can be ended: the library opens a
// terminal in blocking mode.
func unblocked(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd) //nolint:errcheck // the error above is the one to tell
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// awaitClient returns the first bytes that a client sends.
func (t *terminal) awaitClient() ([]byte, error) {
	buf := make([]byte, 4096)
	n, err := t.master.Read(buf)
	if err != nil {
		return nil, err
	}
	t.slave.Close()
	t.slave = nil
	return buf[:n], nil
}

// hold takes the client's side back, as raw as at first, and drops what the last
// client did not read.
func (t *terminal) hold() error {
	slave, err := os.OpenFile(t.path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	t.slave = slave
	if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
		return err
	}
	if err := unix.IoctlSetInt(int(slave.Fd()), unix.TCFLSH, unix.TCIFLUSH); err != nil {
		return err
	}
	return t.master.SetDeadline(time.Time{})
}

// interrupt ends every read and write under way and to come, until hold.
func (t *terminal) interrupt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.master.SetDeadline(time.Unix(1, 0)) // fails on a closed file only
}

func (t *terminal) close() {
	if t.slave != nil {
		t.slave.Close()
	}
	if t.master != nil {
		t.master.Close()
	}
}
