package serve

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine/mountinfo"
)

// scaleMark stands between the name of a mount's source and the drive's scale, so that who
// measures the drive in another process knows of it without opening anything.
const scaleMark = ":scale="

// source is what the kernel's table calls the source of a mount of a drive.
func source(scale int) string { return fsName + scaleMark + strconv.Itoa(scale) }

// Scale returns what a drive that this package serves, in whichever process, divides its
// rates by and multiplies its energies of IO by; 0 where target is something else.
func Scale(target string) (int, error) {
	m, err := mountUnder(target)
	if err != nil || m.Type != fsType {
		return 0, err
	}
	text, _ := strings.CutPrefix(m.Source, fsName+scaleMark)
	scale, err := strconv.Atoi(text)
	if err != nil || scale < 1 {
		return 0, fmt.Errorf("the mount under %s is called %q, which tells no scale; another version of powerd serves it", target, m.Source)
	}
	return scale, nil
}

// mountUnder returns the mount that a path's file lies on; the zero Mount if the table
// has none. A path that leads nowhere is an error.
func mountUnder(path string) (m mountinfo.Mount, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return m, fmt.Errorf("look at %s: %w", path, err)
	}
	err = withMounts(func(table *bufio.Scanner) (err error) {
		m, err = mountOf(table, fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
		return err
	})
	return m, err
}

// mountOf returns the mount of a device in a mountinfo table; the zero Mount if it is
// not mounted.
func mountOf(table *bufio.Scanner, device string) (found mountinfo.Mount, err error) {
	err = mountinfo.Each(table, func(m mountinfo.Mount) {
		if m.Device == device {
			found = m
		}
	})
	return found, err
}
