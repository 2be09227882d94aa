package fio

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A program is asked for its version once, and again when it has been replaced.
func TestVersionIsAskedOncePerProgram(t *testing.T) {
	dir := t.TempDir()
	path, calls := filepath.Join(dir, "fio"), filepath.Join(dir, "calls")
	install := func(version string, at time.Time) {
		next := path + ".new"
		text := fmt.Sprintf("#!/bin/sh\necho x >> %s\necho fio-%s\n", calls, version)
		for _, err := range []error{os.WriteFile(next, []byte(text), 0o700), os.Chtimes(next, at, at), os.Rename(next, path)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	e := New(Options{Path: path, Now: func() int64 { return 0 }})
	ask := func(want string, times int) {
		t.Helper()
		v, err := e.version(t.Context())
		said, _ := os.ReadFile(calls)
		if err != nil || v.String() != want || len(said) != 2*times {
			t.Errorf("%v, %v after %d questions, want %s after %d", v, err, len(said)/2, want, times)
		}
	}
	install("3.33", time.Unix(1000, 0))
	ask("3.33", 1)
	ask("3.33", 1)
	install("3.36", time.Unix(2000, 0))
	ask("3.36", 2)
	ask("3.36", 2)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := e.version(t.Context()); err == nil {
		t.Error("a program that has gone has a version")
	}
}
