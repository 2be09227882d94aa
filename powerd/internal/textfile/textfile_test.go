package textfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/textfile"
)

// A file up to the bound is read whole; one byte more is too much, and so is a
// device that never ends.
func TestBoundOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "suite.yaml")
	whole := bytes.Repeat([]byte("#"), textfile.MaxBytes)
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := textfile.Read(path); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("at the bound: %d bytes, %v", len(got), err)
	}
	if err := os.WriteFile(path, append(whole, '#'), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, "/dev/zero"} {
		if _, err := textfile.Read(p); !errors.Is(err, textfile.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", p, err)
		}
	}
	if _, err := textfile.Read(path + ".no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// A named pipe that nobody writes to is empty; one that somebody writes to, as a shell's
// <(…) is, has what is written.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip("make a pipe:", err)
	}
	if got, err := textfile.Read(path); err != nil || len(got) != 0 {
		t.Errorf("without a writer: %q, %v", got, err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("name: x\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := textfile.Read(fmt.Sprintf("/proc/self/fd/%d", r.Fd())); err != nil || string(got) != "name: x\n" {
		t.Errorf("with a writer: %q, %v", got, err)
	}
}
