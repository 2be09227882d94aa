package cli

import (
	"context"
	"strings"
	"testing"
)

// Ctrl-C while fio is asked for its version: the program that was cut short did
// not fail, and the code is that of an interrupt.
func TestInterruptBeforeTheBenchIsOpen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errOut strings.Builder
	t.Chdir(t.TempDir())
	if code := Main(ctx, []string{"run", "read-4k", "--module", "/dev/null", "--target", "/dev/null"}, nil, &out, &errOut); code != exitInterrupted {
		t.Errorf("code %d, want %d: %s", code, exitInterrupted, errOut.String())
	}
	if strings.Contains(errOut.String(), "unavailable") {
		t.Errorf("an interrupt is told as a missing engine: %s", errOut.String())
	}
}
