package diskstats

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lineBytes is more than the kernel's line can have.
const lineBytes = 1024

// look reads a file of block statistics once. The kernel makes the line when it is
// read from its beginning, so the stamps stand around that call alone. The file is
// opened by its descriptor: os.File would ask it to be polled, which a file that this
// process serves itself would hang on.
func look(path string, now func() int64) (Reading, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Reading{}, fmt.Errorf("open block statistics %s: %w", path, err)
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	var buf [lineBytes]byte
	before := now()
	n, err := unix.Pread(fd, buf[:], 0)
	after := now()
	if err != nil {
		return Reading{}, fmt.Errorf("read block statistics %s: %w", path, err)
	}
	c, err := Parse(string(buf[:n]))
	if err != nil {
		return Reading{}, fmt.Errorf("%s: %w", path, err)
	}
	return Reading{AtNs: before + (after-before)/2, UNs: (after - before + 1) / 2, Counters: c}, nil
}
