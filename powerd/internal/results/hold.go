package results

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// ErrHeld says that a powerd works in the folder.
var ErrHeld = errors.New("another powerd is at work there")

// Hold keeps other powerds out of a run's folder until the Closer is closed or
// this process ends, in whatever way: a run that goes on is told from one that was
// killed by it. It creates nothing. A file system without locks is taken as it is.
func Hold(dir string) (io.Closer, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		f.Close()
		return nil, fmt.Errorf("open run %s: %w; wait for its end", dir, ErrHeld)
	}
	return f, nil
}

// Held reports whether a powerd works in the folder. Where that cannot be told it
// says no.
func Held(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close() // gives the lock back, which is shared: lookers do not see each other
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
