package hostcmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a program prints is kept apart, and no shell reads its arguments.
func TestRunKeepsWhatIsPrinted(t *testing.T) {
	var out, errs bytes.Buffer
	ended, err := Run(t.Context(), Command{Argv: []string{"echo", "$HOME", "a;b"}, Timeout: time.Minute, Stdout: &out, Stderr: &errs})
	if err != nil || ended.ExitCode != 0 || out.String() != "$HOME a;b\n" || errs.Len() != 0 {
		t.Errorf("%+v, %v, printed %q and %q", ended, err, out.String(), errs.String())
	}
}

// A program that fails is told with its name, its last words and its code.
func TestRunThatFails(t *testing.T) {
	var out, errs bytes.Buffer
	ended, err := Run(t.Context(), Command{Argv: []string{"sh", "-c", "echo first >&2; echo last word >&2; exit 5"}, Timeout: time.Minute, Stdout: &out, Stderr: &errs})
	if ended.ExitCode != 5 || err == nil || err.Error() != "sh: last word (exit status 5)" || errs.String() != "first\nlast word\n" {
		t.Errorf("%+v, %v, %q", ended, err, errs.String())
	}
	if ended, err := Run(t.Context(), Command{Argv: []string{"/no/such/program"}, Timeout: time.Minute, Stdout: &out, Stderr: &errs}); ended.ExitCode != -1 || err == nil || !strings.HasPrefix(err.Error(), "start /no/such/program") {
		t.Errorf("a program that is not there: %+v, %v", ended, err)
	}
	if _, err := Find("no-such-program-at-all"); err == nil || !strings.Contains(err.Error(), "install it") {
		t.Errorf("find: %v", err)
	}
}

// One that takes too long is stopped, and all that it has started with it.
func TestRunThatTakesTooLong(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	var out bytes.Buffer
	began := time.Now()
	ended, err := Run(t.Context(), Command{
		Argv: []string{"sh", "-c", "sleep 100 & echo $! > " + pid + "; wait"}, Timeout: 300 * time.Millisecond, Stdout: &out, Stderr: &out,
	})
	if !ended.TimedOut || err == nil || !strings.Contains(err.Error(), "did not end in 300ms") || time.Since(began) > 5*time.Second {
		t.Errorf("%+v, %v after %v", ended, err, time.Since(began))
	}
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	var child int
	for _, c := range strings.TrimSpace(string(number)) {
		child = 10*child + int(c-'0')
	}
	deadline := time.After(5 * time.Second)
	for syscall.Kill(child, 0) == nil && !gone(child) {
		select {
		case <-deadline:
			t.Fatalf("its child %d is still there", child)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A run that is interrupted stops its program.
func TestRunThatIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("the user said so")
	time.AfterFunc(200*time.Millisecond, func() { stop(why) })
	var out bytes.Buffer
	if ended, err := Run(ctx, Command{Argv: []string{"sleep", "100"}, Timeout: time.Minute, Stdout: &out, Stderr: &out}); ended.TimedOut || !errors.Is(err, why) {
		t.Errorf("%+v, %v", ended, err)
	}
}

// Discarding a file leaves its length and no content.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, bytes.Repeat([]byte{7}, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Discard(path); errors.Is(err, syscall.EOPNOTSUPP) {
		t.Skip("this file system punches no holes")
	} else if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, make([]byte, 1<<16)) {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	if err := Discard(path + "-not"); err == nil {
		t.Error("a file that is not there was discarded")
	}
}
