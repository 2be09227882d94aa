package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A full disk ends the step, the stream, the capture and the run with one cause. A
// person reads it once, where it says most.
func TestACauseIsToldOnce(t *testing.T) {
	cause := errors.New("write p.parquet: no space left on device")
	err := errors.Join(fmt.Errorf("step idle: %w", errors.Join(cause, cause)), cause, errors.New("write report: no space left on device"))
	want := []string{"step idle: write p.parquet: no space left on device", "write report: no space left on device"}
	if got := lines(err); !slices.Equal(got, want) {
		t.Errorf("told: %q, want %q", got, want)
	}
}

// Whoever reads the output may leave early, as head does: that is not told. A file that
// cannot be written is.
func TestAReaderThatLeavesIsNoFault(t *testing.T) {
	for path, quiet := range map[string]bool{os.Stdout.Name(): true, "results.json": false} {
		err := fmt.Errorf("print: %w", &fs.PathError{Op: "write", Path: path, Err: syscall.EPIPE})
		if got := nobodyLooks(err); got != quiet {
			t.Errorf("%v: quiet %v, want %v", err, got, quiet)
		}
	}
	if nobodyLooks(&fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}) {
		t.Error("a full disk under the output is not told")
	}
}

// The exit code is that of the error, however deep it stands; one without a code of
// its own is a measurement that failed.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("a step failed"), 1},
		{usage("--allow rite: it is one of write, power"), 2},
		{fmt.Errorf("run: %w", asUsage(context.Canceled)), 2},
		{&codeError{exitInterrupted, errors.New("interrupted")}, 130},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

// Ctrl-C while the module is being opened is an interruption, not a mistake of the
// user's.
func TestInterruptedBeforeTheRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and is silent
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Chdir(t.TempDir())
	var out, errOut bytes.Buffer
	code := Main(ctx, []string{"run", "idle", "--module", "tcp:" + l.Addr().String()}, nil, &out, &errOut)
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d; it said %q", code, exitInterrupted, errOut.String())
	}
}

// A full disk gets a hint once: what to do depends on whether what is printed or a file
// found no room, and an error that says it already is left alone.
func TestAFullDiskGetsAHint(t *testing.T) {
	full := func(path string) error { return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{full(os.Stdout.Name()), "send it elsewhere"},
		{fmt.Errorf("write results: %w", full("runs/x/results.json")), "make room there"},
		{fmt.Errorf("%w; name a folder on another disk with --out", full("runs/x")), ""},
		{errors.New("no module"), ""},
	} {
		if got := roomHint(c.err); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v: hint %q, want %q", c.err, got, c.want)
		}
	}
}
