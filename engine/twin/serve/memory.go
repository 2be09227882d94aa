package serve

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// memory is the drive's data: address space of its full size, of which only pages
// that were written are there. Overlapping requests race as they do on a drive.
type memory []byte

func newMemory(size int64) (memory, error) {
	m, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of address space for the drive: %w; choose a smaller one", size, err)
	}
	// Huge pages would take 2 MiB for each scattered 4 KiB. A kernel without them
	// has nothing to switch off.
	_ = unix.Madvise(m, unix.MADV_NOHUGEPAGE)
	return m, nil
}

func (m memory) free() error { return unix.Munmap(m) }

// at returns the bytes of [off, off+n) that exist.
func (m memory) at(off, n int64) []byte {
	size := int64(len(m))
	if off < 0 || off >= size {
		return nil
	}
	return m[off:min(off+n, size)]
}

// punch makes [off, off+n) read as zeros and gives its whole pages back.
func (m memory) punch(off, n int64) error {
	hole := m.at(off, n)
	page := int64(unix.Getpagesize())
	head := min((page-off%page)%page, int64(len(hole)))
	body := (int64(len(hole)) - head) / page * page
	clear(hole[:head])
	clear(hole[head+body:])
	if body == 0 {
		return nil
	}
	return unix.Madvise(hole[head:head+body], unix.MADV_DONTNEED)
}
