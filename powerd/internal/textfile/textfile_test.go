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

// What a decoder says of a value of a wrong kind is told in people's words, without the
// types of the program.
func TestLocatedFaultsAreInPeoplesWords(t *testing.T) {
	for fault, want := range map[string]string{
		"line 4: cannot unmarshal !!str `many` into int":               `f.yaml:4: "many": want a whole number`,
		"line 4: cannot unmarshal !!str `x` into float64":              `f.yaml:4: "x": want a number`,
		"line 4: cannot unmarshal !!str `maybe` into bool":             `f.yaml:4: "maybe": want true or false`,
		"line 5: cannot unmarshal !!seq into string":                   "f.yaml:5: a list: want one value",
		"line 5: cannot unmarshal !!map into []int":                    "f.yaml:5: a mapping: want a list",
		"line 6: cannot unmarshal !!str `randread` into suite.FileFio": `f.yaml:6: "randread": want a mapping, key: value`,
		"line 7: field qdd not found in type suite.FileFio":            "f.yaml:7: unknown key qdd",
	} {
		if got := textfile.Located("f.yaml", []string{fault}).Error(); got != want {
			t.Errorf("%s\nreads %s, want %s", fault, got, want)
		}
	}
}
