package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"powerd/powerd/internal/results"
)

// Exit codes of powerd.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitLimit       = 3
	exitInterrupted = 130
)

// codeError is an error that decides the exit code.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// usage marks an error as the user's to mend before anything runs.
func usage(format string, args ...any) error {
	return &codeError{exitUsage, fmt.Errorf(format, args...)}
}

func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return &codeError{exitUsage, err}
}

func exitCode(err error) int {
	var c *codeError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &c):
		return c.code
	}
	return exitFailed
}

// brokenLimits is the error of a run in which limits of the drive file are surely
// broken; nil if none is.
func brokenLimits(d *results.Document) error {
	broken := d.Broken()
	if len(broken) == 0 {
		return nil
	}
	return &codeError{exitLimit, fmt.Errorf("the drive breaks what drive file %s claims: %s", d.Drive.File, strings.Join(broken, ", "))}
}

// nobodyLooks reports whether whoever read what is printed has gone, as head does: nothing
// went wrong that anybody wants to hear of.
func nobodyLooks(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	return ok && path.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE)
}

// roomHint says what to do where a disk is full; empty if none is, or the error says it.
func roomHint(err error) string {
	switch path, _ := errors.AsType[*fs.PathError](err); {
	case !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "another disk"):
		return ""
	case path != nil && path.Path == os.Stdout.Name():
		return "what it prints goes to a disk that is full: send it elsewhere; files that it wrote are whole"
	}
	return "a disk is full: make room there, or name a folder on another disk"
}
