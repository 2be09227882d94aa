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
	if err != nil {
		return fmt.Errorf("open /dev/fuse: %w; %s", err, deviceHint(err))
	}
	_ = unix.Close(fd)
	if !privileged() && helper() == "" {
		return fmt.Errorf("mount a drive: this process lacks CAP_SYS_ADMIN and there is no %s; run as root, or apt-get install fuse3", helperName)
	}
	return nil
}

// deviceHint says what to do where /dev/fuse cannot be opened.
func deviceHint(err error) string {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return "load the kernel's fuse module (modprobe fuse), or pass the device to the container (docker run --device /dev/fuse --cap-add SYS_ADMIN)"
	case errors.Is(err, unix.EACCES):
		return "run as root, or let this user open it (chmod a+rw /dev/fuse, which is how most systems have it)"
	}
	return "run as root, or allow the device in the container (docker run --device /dev/fuse --cap-add SYS_ADMIN)"
}

// mountHint says what to do where the device is there and mounting fails all the same.
const mountHint = "a container needs --cap-add SYS_ADMIN for it, and --security-opt apparmor=unconfined where AppArmor confines it"

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
