package target

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

type unixStat = syscall.Stat_t

// part is a block device: one of those that a use is looked for on.
type part struct {
	numbers string // "8:1"
	name    string // "sda1"
	over    string // name of the device that it is built from, "" if it is the disk's own
}

// dir returns the kernel's folder of a device, "" if it has none.
func (k Kernel) dir(numbers string) string {
	real, err := filepath.EvalSymlinks(k.sys("dev", "block", numbers))
	if err != nil {
		return ""
	}
	return real
}

// disk returns the disk that a partition belongs to; of a disk itself.
func (k Kernel) disk(numbers string) string {
	dir := k.dir(numbers)
	if dir == "" || !exists(filepath.Join(dir, "partition")) {
		return numbers
	}
	if n := read(filepath.Join(filepath.Dir(dir), "dev")); n != "" {
		return n
	}
	return numbers
}

// below returns the whole disks under a device, their partitions, and all that is built
// from these: of a partition, its disk; of an array or volume, those that it is made of.
func (k Kernel) below(numbers string) []part {
	under := []string{numbers}
	var all []part
	for i := 0; i < len(under); i++ { // grows: from a volume to an array to partitions
		slaves, _ := os.ReadDir(filepath.Join(k.dir(under[i]), "slaves"))
		for _, s := range slaves {
			if n := read(k.sys("class", "block", s.Name(), "dev")); n != "" && !slices.Contains(under, n) {
				under = append(under, n)
			}
		}
		if len(slaves) > 0 {
			continue
		}
		for _, p := range k.parts(k.disk(under[i])) {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// parts returns a device, its partitions, and all that is built from these.
func (k Kernel) parts(numbers string) []part {
	dir := k.dir(numbers)
	all := []part{{numbers: numbers, name: filepath.Base(dir)}}
	if dir == "" {
		all[0].name = numbers
		return all
	}
	inside, _ := filepath.Glob(filepath.Join(dir, "*", "partition"))
	for _, f := range inside {
		p := filepath.Dir(f)
		all = append(all, part{numbers: read(filepath.Join(p, "dev")), name: filepath.Base(p)})
	}
	for i := 0; i < len(all); i++ { // grows: a volume on an array on a partition
		for _, h := range k.holders(all[i]) {
			if !slices.ContainsFunc(all, func(p part) bool { return p.numbers == h.numbers }) {
				all = append(all, h)
			}
		}
	}
	return all
}

// holders returns what is built from a device.
func (k Kernel) holders(p part) []part {
	names, err := os.ReadDir(filepath.Join(k.sys("dev", "block", p.numbers), "holders"))
	if err != nil {
		return nil
	}
	var out []part
	for _, n := range names {
		if numbers := read(k.sys("class", "block", n.Name(), "dev")); numbers != "" {
			out = append(out, part{numbers: numbers, name: n.Name(), over: p.name})
		}
	}
	return out
}

// called is a device as people know it: "LVM volume vg-root (dm-0)", "array md0".
func (k Kernel) called(name string) string {
	uuid, mapped := read(k.sys("class", "block", name, "dm", "uuid")), read(k.sys("class", "block", name, "dm", "name"))
	switch {
	case strings.HasPrefix(uuid, "LVM-"):
		return "LVM volume " + mapped + " (" + name + ")"
	case strings.HasPrefix(uuid, "CRYPT-"):
		return "encrypted device " + mapped + " (" + name + ")"
	case mapped != "":
		return "mapped device " + mapped + " (" + name + ")"
	case strings.HasPrefix(name, "md"):
		return "array " + name
	}
	return name
}

// numbersOfName returns MAJOR:MINOR of a device by one of its paths, "" if unknown.
func (k Kernel) numbersOfName(path string) string {
	real := resolve(path)
	if n := read(k.sys("class", "block", filepath.Base(real), "dev")); n != "" && strings.HasPrefix(path, "/dev/") {
		return n
	}
	if st, err := os.Stat(real); err == nil {
		n, _ := Numbers(st)
		return n
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
