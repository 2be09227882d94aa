package hostcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// Child is a process that talks over its standard input and output. When its
// parent dies, in whatever way, its standard input ends: that is its order to
// clean up and go.
type Child struct {
	In  io.WriteCloser
	Out io.Reader

	name   string
	cmd    *exec.Cmd
	stderr tail
	once   sync.Once
	err    error
	done   chan struct{}
}

// Self starts this very program with other arguments, the first of which names the
// command, in a session of its own,
// so that a Ctrl-C at the terminal reaches the parent only.
func Self(args ...string) (*Child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own program: %w", err)
	}
	c := &Child{name: "powerd " + args[0], done: make(chan struct{})}
	c.cmd = exec.Command(exe, args...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.cmd.Stderr = &c.stderr
	if c.In, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	c.Out = r
	c.cmd.Stdout = w
	if err := c.cmd.Start(); err != nil {
		r.Close()
		w.Close()
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	w.Close()
	go func() {
		defer close(c.done)
		c.err = c.cmd.Wait()
	}()
	return c, nil
}

// Pid returns the process id.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Stop ends the child's input, waits for it, and kills it after ctx. It is
// idempotent.
func (c *Child) Stop(ctx context.Context) error {
	c.once.Do(func() { c.In.Close() })
	select {
	case <-c.done:
	case <-ctx.Done():
		if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("kill %s: %w", c.name, err)
		}
		<-c.done
	}
	return c.Err()
}

// Err says why the child ended badly; nil while it runs or if it ended well.
func (c *Child) Err() error {
	select {
	case <-c.done:
	default:
		return nil
	}
	if c.err == nil {
		return nil
	}
	return failure(c.name, c.err, &c.stderr)
}

// failure says why a program ended badly, in its own last words if it had any.
func failure(name string, err error, stderr *tail) error {
	if last := stderr.last(); last != "" {
		return fmt.Errorf("%s: %s (%w)", name, strings.TrimPrefix(last, "powerd: "), err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// tail keeps the end of what was written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if n := len(t.buf); n > 4096 {
		t.buf = append(t.buf[:0], t.buf[n-4096:]...)
	}
	return len(p), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.buf), []byte("\n"))
	return string(lines[len(lines)-1])
}
