// Package textfile reads what people write: settings, suites, drive files. Such a file
// is small, and one that is not (a device, a capture, a wrong name) must not fill the
// memory before anybody can say so. It also writes files that others read meanwhile:
// whole, or not at all.
//
// Errors name the file; one that is too large is ErrTooLarge.
package textfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// MaxBytes is the largest file that is read.
const MaxBytes = 1 << 20

// ErrTooLarge marks a file of more than MaxBytes.
var ErrTooLarge = errors.New("larger than 1 MiB")

// Read returns what is in a file. Its errors are those of package os, so that a
// caller can tell a file that does not exist, or ErrTooLarge.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe without a writer is empty, and not to be waited for
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: %w; is it the right file?", path, ErrTooLarge)
	}
	return data, nil
}
