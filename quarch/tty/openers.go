package tty

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// others names the other processes that have a device open, as far as this user may look:
// "minicom (pid 17)". Where none is seen, it says so.
func others(device string) string {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return "another program"
	}
	var found []string
	for _, p := range processes {
		if pid := filepath.Base(p); pid != strconv.Itoa(os.Getpid()) && hasOpen(p, device) {
			name, _ := os.ReadFile(filepath.Join(p, "comm"))
			found = append(found, fmt.Sprintf("%s (pid %s)", strings.TrimSpace(string(name)), pid))
		}
	}
	if len(found) == 0 {
		return "another program"
	}
	return strings.Join(found, ", ")
}

// hasOpen reports whether a process, by its folder in /proc, has a device open.
func hasOpen(process, device string) bool {
	fds, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(process, "fd", fd.Name())); err == nil && to == device {
			return true
		}
	}
	return false
}
