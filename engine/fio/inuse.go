package fio

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine"
)

// checkUnused refuses a target that something else lives on: a mounted file
// system, swap, a volume, an array, or a loop device, each of which a writing job
// would destroy. Names come first, since they say what to do; what has no name
// here (a mount of another namespace) still holds the device against others.
func checkUnused(target string, st os.FileInfo) error {
	inUse := func(what, remedy string) error {
		return fmt.Errorf("%w: %s %s and the job writes; %s", engine.ErrTarget, target, what, remedy)
	}
	isDevice := st.Mode()&os.ModeDevice != 0
	if isDevice {
		if where := mountedAt(st); where != "" {
			return inUse("is mounted at "+where, "unmount it")
		}
		if holder := holderOf(st); holder != "" {
			return inUse("is part of "+holder, "take it out of there")
		}
	}
	if loop := loopOver(st, "/sys/block"); loop != "" {
		return inUse("is what /dev/"+loop+" is made of", "detach it (losetup -d /dev/"+loop+")")
	}
	if isSwap(st, "/proc/swaps") {
		return inUse("is swap", "switch it off (swapoff)")
	}
	if isDevice && isHeld(target) {
		return inUse("is in use, perhaps mounted in a container", "find out by what (lsblk, lsof)")
	}
	return nil
}

// parts returns the device numbers of a block device and its partitions.
func parts(st os.FileInfo) []string {
	numbers, ok := deviceNumbers(st)
	if !ok {
		return nil
	}
	devices := []string{numbers}
	files, _ := filepath.Glob(filepath.Join("/sys/dev/block", numbers, "*", "dev"))
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil {
			devices = append(devices, strings.TrimSpace(string(data)))
		}
	}
	return devices
}

// mountedAt returns where a device or one of its partitions is mounted; empty if
// nowhere that this process sees.
func mountedAt(st os.FileInfo) string {
	devices := parts(st)
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		if len(fields) > 4 && slices.Contains(devices, fields[2]) {
			return fields[4]
		}
	}
	return ""
}

// holderOf returns the volume or array that a device or one of its partitions
// belongs to, empty if none.
func holderOf(st os.FileInfo) string {
	for _, d := range parts(st) {
		if held, err := os.ReadDir(filepath.Join("/sys/dev/block", d, "holders")); err == nil && len(held) > 0 {
			return held[0].Name()
		}
	}
	return ""
}

// loopOver returns the loop device whose backing file is st, empty if none; block
// is the folder of the kernel's block devices.
func loopOver(st os.FileInfo, block string) string {
	files, _ := filepath.Glob(filepath.Join(block, "loop*", "loop", "backing_file"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue // detached since
		}
		if isFile(st, strings.TrimSuffix(string(data), "\n")) {
			return filepath.Base(filepath.Dir(filepath.Dir(f)))
		}
	}
	return ""
}

// isSwap looks for st in a list like /proc/swaps: a head, then a path a line.
func isSwap(st os.FileInfo, list string) bool {
	data, err := os.ReadFile(list)
	if err != nil {
		return false
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(string(data)) {
		if name, _, _ := strings.Cut(line, " "); isFile(st, unescape.Replace(strings.TrimSpace(name))) {
			return true
		}
	}
	return false
}

// isFile reports whether path leads to st: the same file, or the same device by
// another name.
func isFile(st os.FileInfo, path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	other, err := os.Stat(path)
	if err != nil {
		return false
	}
	if os.SameFile(st, other) {
		return true
	}
	if st.Mode()&other.Mode()&os.ModeDevice == 0 {
		return false
	}
	a, okA := deviceNumbers(st)
	b, okB := deviceNumbers(other)
	return okA && okB && a == b
}

// isHeld reports whether something in the kernel holds a device for itself: a
// mount in any namespace, swap, a volume. It opens the device for reading, and
// gives it back at once.
func isHeld(device string) bool {
	fd, err := unix.Open(device, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0)
	if err != nil {
		return errors.Is(err, unix.EBUSY)
	}
	_ = unix.Close(fd)
	return false
}
