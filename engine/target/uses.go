package target

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine/mountinfo"
)

// uses finds what lives on any of these devices: mounts first, since they say best
// what to do.
func (k Kernel) uses(parts []part) []Use {
	var out []Use
	out = append(out, k.mounts(parts)...)
	out = append(out, k.swaps(parts)...)
	out = append(out, k.built(parts)...)
	out = append(out, k.loops(func(file string) bool { return k.among(parts, file) >= 0 })...)
	return append(out, k.opened(Open, func(file string) bool { return k.among(parts, file) >= 0 })...)
}

// among returns which of the devices a path leads to, -1 for none.
func (k Kernel) among(parts []part, path string) int {
	if !strings.HasPrefix(path, "/dev/") { // no look at files: one on a dead mount would hang
		return -1
	}
	n := k.numbersOfName(path)
	return slices.IndexFunc(parts, func(p part) bool { return n != "" && p.numbers == n })
}

// partitioned finds a partition table on a whole disk.
func (k Kernel) partitioned(numbers string) []Use {
	dir := k.dir(numbers)
	inside, _ := filepath.Glob(filepath.Join(dir, "*", "partition"))
	if dir == "" || len(inside) == 0 {
		return nil
	}
	name := filepath.Base(filepath.Dir(inside[0]))
	return []Use{{Kind: Partitioned, Device: filepath.Base(dir), What: "has partitions (" + name + ")", Cure: "if nothing on them is wanted, take them away first (wipefs -a)"}}
}

// mounts finds file systems, in this and every other namespace that may be looked at.
func (k Kernel) mounts(parts []part) []Use {
	var out []Use
	seen := map[string]bool{}
	for _, file := range k.mountTables() {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		// What can't be read to its end is judged by what came.
		_ = mountinfo.Each(bufio.NewScanner(f), func(m mountinfo.Mount) {
			i := slices.IndexFunc(parts, func(p part) bool { return p.numbers == m.Device })
			if i < 0 { // some file systems have numbers of their own and name their device
				i = k.among(parts, m.Source)
			}
			if i < 0 || seen[parts[i].name+m.Dir] {
				return
			}
			seen[parts[i].name+m.Dir] = true
			out = append(out, mountedAt(parts[i].name, m.Dir))
		})
		f.Close()
	}
	return out
}

// mountedAt is a mount. What the machine runs from is not to be unmounted: the target
// is a wrong one.
func mountedAt(name, where string) Use {
	u := Use{Kind: Mounted, Device: name, What: "is mounted at " + where, Cure: "unmount it (umount " + where + ")"}
	if where == "/" || where == "/usr" || where == "/boot" || strings.HasPrefix(where, "/boot/") {
		u.System, u.Cure = true, "name another drive: this one is the machine's own"
	}
	return u
}

// mountTables lists one table a namespace, this process's first.
func (k Kernel) mountTables() []string {
	tables := []string{k.proc("self", "mountinfo")}
	own, _ := os.Readlink(k.proc("self", "ns", "mnt"))
	seen := []string{own}
	dirs, _ := filepath.Glob(k.proc("[0-9]*"))
	for _, d := range dirs {
		ns, err := os.Readlink(filepath.Join(d, "ns", "mnt"))
		if err != nil || slices.Contains(seen, ns) {
			continue
		}
		seen = append(seen, ns)
		tables = append(tables, filepath.Join(d, "mountinfo"))
	}
	return tables
}

// swapped lists what the kernel swaps to.
func (k Kernel) swapped() []string {
	var out []string
	for line := range strings.Lines(read(k.proc("swaps"))) {
		name, _, _ := strings.Cut(line, " ")
		name, _, _ = strings.Cut(name, "\t")
		out = append(out, mountinfo.Unescape(strings.TrimSpace(name)))
	}
	return out
}

func (k Kernel) swaps(parts []part) []Use {
	var out []Use
	for _, path := range k.swapped() {
		if i := k.among(parts, path); i >= 0 {
			out = append(out, Use{Kind: Swap, Device: parts[i].name, What: "is swap", Cure: "switch it off (swapoff " + path + ")", System: true})
		}
	}
	return out
}

// built finds arrays and volumes made of the devices.
func (k Kernel) built(parts []part) []Use {
	var out []Use
	for _, p := range parts {
		if p.over != "" {
			out = append(out, Use{Kind: Built, Device: p.over, What: "is part of " + k.called(p.name), Cure: "take it out of there"})
		}
	}
	return out
}

// loops finds loop devices over a file or device that is mine.
func (k Kernel) loops(mine func(path string) bool) []Use {
	var out []Use
	files, _ := filepath.Glob(k.sys("block", "loop*", "loop", "backing_file"))
	for _, f := range files {
		if file := read(f); file != "" && mine(file) {
			name := filepath.Base(filepath.Dir(filepath.Dir(f)))
			out = append(out, Use{Kind: Loop, What: "is what /dev/" + name + " is made of", Cure: "detach it (losetup -d /dev/" + name + ")"})
		}
	}
	return out
}

// opened finds other processes that have a file or device that is mine open: for writing
// (Open), or for reading only (Read).
func (k Kernel) opened(kind string, mine func(path string) bool) []Use {
	var out []Use
	purpose := map[string]string{Open: "writing", Read: "reading"}[kind]
	own := strconv.Itoa(os.Getpid())
	links, _ := filepath.Glob(k.proc("[0-9]*", "fd", "*"))
	for _, link := range links {
		pid := filepath.Base(filepath.Dir(filepath.Dir(link)))
		file, err := os.Readlink(link)
		if err != nil || pid == own || !strings.HasPrefix(file, "/") || !mine(file) {
			continue
		}
		mode, known := accessMode(read(k.proc(pid, "fdinfo", filepath.Base(link))))
		if !known || (mode == unix.O_RDONLY) != (kind == Read) {
			continue
		}
		name := read(k.proc(pid, "comm"))
		out = append(out, Use{Kind: kind, What: fmt.Sprintf("is open for %s in %s (pid %s)", purpose, name, pid), Cure: "end that first"})
	}
	return out
}

// accessMode reads from a descriptor's information what it was opened for.
func accessMode(info string) (mode int64, known bool) {
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(text), 8, 64)
			return flags & unix.O_ACCMODE, err == nil
		}
	}
	return 0, false
}

// under finds the drive that a file lies on, which its file system uses.
func (k Kernel) under(path string) []Use {
	st, err := os.Stat(path)
	if err != nil {
		return nil
	}
	sys, ok := st.Sys().(*unixStat)
	if !ok {
		return nil
	}
	numbers := join(sys.Dev)
	name := filepath.Base(k.dir(numbers))
	if k.dir(numbers) == "" { // a file system with numbers of its own may name its device
		table := bufio.NewScanner(strings.NewReader(read(k.proc("self", "mountinfo"))))
		_ = mountinfo.Each(table, func(m mountinfo.Mount) {
			if m.Device == numbers && strings.HasPrefix(m.Source, "/dev/") {
				name = filepath.Base(resolve(m.Source))
			}
		})
	}
	if name == "." {
		return nil
	}
	return []Use{{Kind: Mounted, Device: name, What: "is a file in a file system on " + name, Cure: "name the drive itself as the bench's target, and unmount it"}}
}

// fileUses finds what lives on a regular file.
func (k Kernel) fileUses(path string) []Use {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	same := func(other string) bool {
		o, err := os.Stat(other)
		return err == nil && os.SameFile(st, o)
	}
	out := k.loops(same)
	for _, s := range k.swapped() {
		if filepath.IsAbs(s) && same(s) {
			out = append(out, Use{Kind: Swap, What: "is swap", Cure: "switch it off (swapoff " + s + ")", System: true})
		}
	}
	real := resolve(path)
	return append(out, k.opened(Open, func(other string) bool { return other == real })...)
}
