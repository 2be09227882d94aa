package tty

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"go.bug.st/serial"
	"golang.org/x/sys/unix"
)

// openSerial opens a device so that it neither hangs up when it is closed (some
// boards restart then) nor leaks into the programs that this one starts.
func openSerial(device string, mode *serial.Mode) (serial.Port, error) {
	syscall.ForkLock.RLock() // no child starts before the descriptor is marked
	defer syscall.ForkLock.RUnlock()
	if fd, err := unix.Open(device, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
		f := os.NewFile(uintptr(fd), device)
		defer f.Close() // the first to open it, the last to close: no line moves between
		if err := keepLinesOnClose(fd); err != nil {
			return nil, err
		}
	}
	p, err := serial.Open(device, mode)
	if err != nil {
		return nil, err
	}
	closeOnExec(device)
	return p, nil
}

func keepLinesOnClose(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return fmt.Errorf("not a serial port: %w", err)
	}
	t.Cflag &^= unix.HUPCL
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

// closeOnExec marks every descriptor of this process that is open on device: the
// library neither marks its own nor tells its number.
func closeOnExec(device string) {
	const fds = "/proc/self/fd"
	entries, err := os.ReadDir(fds)
	if err != nil {
		return // without /proc there is nothing to find it by
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(fds, e.Name())); err != nil || target != device {
			continue
		}
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			unix.CloseOnExec(fd)
		}
	}
}
