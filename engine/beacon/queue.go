package beacon

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// queue has several reads outstanding at once by the kernel's asynchronous IO. One thread
// begins them all in one call: threads of their own would begin milliseconds apart on a
// busy host, and the power of the drive would rise in steps.
type queue struct {
	target  *target
	context uintptr // the kernel's
	memory  []byte  // of all blocks; not Go's, for the kernel writes to it between calls
	block   int
	reads   []control
	done    []event
	under   int // way
}

// control is the kernel's struct iocb.
type control struct {
	slot   uint64 // comes back in the event
	_      [2]uint32
	opcode uint16
	_      int16
	fd     uint32
	buf    uint64
	bytes  uint64
	offset int64
	_      uint64
	_      [2]uint32
}

// event is the kernel's struct io_event.
type event struct {
	slot      uint64
	_         uint64
	result, _ int64
}

const opcodeRead = 0 // IOCB_CMD_PREAD

// newQueue makes a queue for so many reads of block bytes at once.
func newQueue(t *target, depth, block int) (*queue, error) {
	q := &queue{target: t, block: block, reads: make([]control, depth), done: make([]event, depth)}
	var err error
	if q.memory, err = unix.Mmap(-1, 0, depth*block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil {
		return nil, fmt.Errorf("get memory for %d reads of %d bytes: %w", depth, block, err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&q.context)), 0); errno != 0 {
		return nil, errors.Join(fmt.Errorf("begin asynchronous IO for reads of %s: %w; if the host has too little of it, raise fs.aio-max-nr", t.path, errno), unix.Munmap(q.memory))
	}
	for i := range q.reads {
		q.reads[i] = control{
			slot: uint64(i), opcode: opcodeRead, fd: uint32(t.fd),
			buf: uint64(uintptr(unsafe.Pointer(&q.memory[i*block]))), bytes: uint64(block),
		}
	}
	return q, nil
}

// close waits for what is under way.
func (q *queue) close() {
	_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, q.context, 0, 0) // fails for a context that is none only
	_ = unix.Munmap(q.memory)
}

// begin begins the reads of slots, whose offsets are set.
func (q *queue) begin(slots []int) error {
	of := make([]*control, len(slots))
	for i, slot := range slots {
		of[i] = &q.reads[slot]
	}
	for len(of) > 0 {
		n, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, q.context, uintptr(len(of)), uintptr(unsafe.Pointer(&of[0])))
		switch {
		case errno == unix.EINTR:
			continue
		case errno != 0:
			return q.target.failed(q.block, of[0].offset, errno)
		}
		q.under += int(n)
		of = of[n:]
	}
	return nil
}

// wait returns what has been done, as soon as one read has: the events are lent until the
// next call.
func (q *queue) wait() ([]event, error) {
	for {
		n, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, q.context, 1, uintptr(len(q.done)), uintptr(unsafe.Pointer(&q.done[0])), 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return nil, fmt.Errorf("wait for reads of %s: %w", q.target.path, errno)
		default:
			q.under -= int(n)
			return q.done[:n], nil
		}
	}
}

// check returns why a read did not do all that it should.
func (q *queue) check(e event) error {
	offset := q.reads[e.slot].offset
	switch {
	case e.result < 0:
		return q.target.failed(q.block, offset, unix.Errno(-e.result))
	case e.result < int64(q.block):
		return q.target.short(int(e.result), q.block, offset)
	}
	return nil
}
