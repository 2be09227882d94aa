package fio

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// What something else lives on is refused for a job that writes, and taken by one that
// reads.
func TestTargetInUseIsNotWritten(t *testing.T) {
	image := targetFile(t, 8<<20)
	writer := exec.Command("sh", "-c", `exec 3>>"$1"; echo open; read wait`, "sh", image)
	in, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = writer.Wait() }()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	e := New(Options{Now: monotonic})
	check := func(rw string) error {
		return e.Check(t.Context(), engine.Job{Step: "s", Target: image, RW: rw, BlockBytes: 4096, Duration: time.Second, Dir: t.TempDir()})
	}
	if err := check("write"); !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), strconv.Itoa(writer.Process.Pid)) {
		t.Errorf("write: %v, want a refusal that names the process", err)
	}
	if err := check("read"); err != nil {
		t.Errorf("read: %v", err)
	}
}

// A target that this user may not open is refused before anything is measured.
func TestTargetOfAnotherUserIsRefused(t *testing.T) {
	target := targetFile(t, 4096)
	if err := os.Chmod(target, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may open everything")
	}
	if err := checkLeave(target, false); err != nil {
		t.Errorf("read: %v", err)
	}
	if err := checkLeave(target, true); !errors.Is(err, engine.ErrTarget) || !errors.Is(err, os.ErrPermission) {
		t.Errorf("write: %v, want a refusal", err)
	}
}
