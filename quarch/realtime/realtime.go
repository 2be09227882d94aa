package realtime

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// Thread ties the calling goroutine to its thread and gives that precedence. What
// the thread starts does not inherit it. The goroutine must not unlock the
// thread, which ends with it, and it must wait often: while it computes, nobody
// else may.
func Thread() error {
	runtime.LockOSThread()
	return take(0, unix.SCHED_FLAG_RESET_ON_FORK)
}

// Process gives precedence to all threads of this process, and to those that they
// start. It is for a program that stands where hardware stands, and that starts
// no other.
func Process() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("take real-time priority: %w", err)
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := take(id, 0); err != nil {
			return err
		}
	}
	return nil
}

// take changes one thread, 0 being the caller.
func take(thread int, flags uint64) error {
	a := unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1, Flags: flags}
	if err := unix.SchedSetAttr(thread, &a, 0); err != nil {
		return fmt.Errorf("take real-time priority: %w (allow it with CAP_SYS_NICE or a limit on real-time priority of 1)", err)
	}
	return nil
}
