package serve

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Available returns nil if this process can serve a drive, or what is missing
// and what to do.
func Available() error {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	switch {
	case err == nil:
		_ = unix.Close(fd)
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return fmt.Errorf("open /dev/fuse: %w; load the kernel's fuse module, or pass the device to the container", err)
	default:
		return fmt.Errorf("open /dev/fuse: %w; run as root, or allow the device in the container", err)
	}
	if !privileged() && helper() == "" {
		return fmt.Errorf("mount a drive: this process lacks CAP_SYS_ADMIN and there is no %s; run as root, or apt-get install fuse3", helperName)
	}
	return nil
}

// privileged reports whether this process may mount by itself.
func privileged() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && mayMount(string(status))
}

// mayMount reads CAP_SYS_ADMIN from the text of /proc/self/status.
func mayMount(status string) bool {
	_, rest, ok := strings.Cut(status, "\nCapEff:")
	if !ok {
		return false
	}
	word, _, _ := strings.Cut(rest, "\n")
	caps, err := strconv.ParseUint(strings.TrimSpace(word), 16, 64)
	return err == nil && caps>>unix.CAP_SYS_ADMIN&1 == 1
}
