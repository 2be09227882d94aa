package capture

import (
	"errors"
	"fmt"
)

// Marks of errors that a caller acts on.
var (
	// ErrDamaged: a file of the capture cannot be read.
	ErrDamaged = errors.New("damaged")
	// ErrDiskSlow: the disk did not take a part for StallLimit.
	ErrDiskSlow = errors.New("the disk does not follow")
	// ErrNoCapture: the folder holds no capture.
	ErrNoCapture = errors.New("no capture")
)

// PartError is a part that cannot be read. It is ErrDamaged.
type PartError struct {
	Path   string
	Stream int
	First  uint64 // index of its first stripe, by its name
	Err    error
}

func (e *PartError) Error() string {
	return fmt.Sprintf("read %s (stream %d from stripe %d): %v", e.Path, e.Stream, e.First, e.Err)
}

// Unwrap makes a PartError both its cause and ErrDamaged.
func (e *PartError) Unwrap() []error { return []error{ErrDamaged, e.Err} }
