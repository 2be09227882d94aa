package hostcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is how long a program may take to end after SIGTERM.
const grace = 10 * time.Second

// Command is a program to be run to its end.
type Command struct {
	Argv           []string // the program, looked up in PATH, and its arguments
	Timeout        time.Duration
	Stdout, Stderr io.Writer
}

// Ended is how a program ended.
type Ended struct {
	ExitCode int  // -1: by a signal
	TimedOut bool // it was stopped because its time was over
}

// Find returns the whole path of a program.
func Find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("find %s: %w; install it, or give its whole path", program, err)
	}
	return path, nil
}

// Run runs a program until it ends, its time is over, or ctx is done; then its whole group
// gets SIGTERM, and SIGKILL after 10 s. It reads nothing. A program that ended badly is an
// error with its last words.
func Run(ctx context.Context, c Command) (Ended, error) {
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	last := &tail{}
	cmd := exec.CommandContext(timed, c.Argv[0], c.Argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = c.Stdout, io.MultiWriter(c.Stderr, last)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	if cmd.Process != nil { // what it left behind in its group
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if cmd.ProcessState == nil {
		return Ended{ExitCode: -1}, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	ended := Ended{ExitCode: cmd.ProcessState.ExitCode()}
	switch {
	case err == nil:
		return ended, nil
	case ctx.Err() != nil:
		return ended, fmt.Errorf("%s was stopped: %w", c.Argv[0], context.Cause(ctx))
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		ended.TimedOut = true
		return ended, fmt.Errorf("%s did not end in %v and was stopped", c.Argv[0], c.Timeout)
	}
	return ended, failure(c.Argv[0], err, last)
}

// Discard tells what stands behind a file that nobody needs any of it.
func Discard(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("discard %s: %w", path, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("discard %s: %w", path, err)
	}
	if err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, st.Size()); err != nil {
		return fmt.Errorf("discard %s: %w", path, err)
	}
	return nil
}
