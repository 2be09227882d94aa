package mountinfo

import (
	"bufio"
	"strings"
)

// Mount is a line of the table.
type Mount struct {
	Device string // numbers, "8:1"
	Dir    string
	Type   string // of the file system, "ext4", "fuse.name"
	Source string // "/dev/sda1", or whatever the file system calls it; may be empty
}

// Each gives visit all mounts of a table, in its order: what is mounted upon another
// comes later.
func Each(table *bufio.Scanner, visit func(Mount)) error {
	for table.Scan() {
		if m, ok := parse(table.Text()); ok {
			visit(m)
		}
	}
	return table.Err()
}

// parse reads a line: id, parent, device, root, place, options, optional fields, "-",
// type, source, options of the file system.
func parse(line string) (m Mount, ok bool) {
	mount, super, ok := strings.Cut(line, " - ")
	left, right := strings.Fields(mount), strings.Fields(super)
	if !ok || len(left) < 5 || len(right) < 1 {
		return Mount{}, false
	}
	m = Mount{Device: left[2], Dir: Unescape(left[4]), Type: right[0]}
	if len(right) > 1 {
		m.Source = Unescape(right[1])
	}
	return m, true
}

// Unescape gives back spaces and the like, which the kernel writes as octal numbers in
// its tables of mounts and of swap.
func Unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
