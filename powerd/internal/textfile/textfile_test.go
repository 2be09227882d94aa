package textfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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
