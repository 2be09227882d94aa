// Package host reads what the machine says of itself and of a target: from /proc
// and /sys only. It starts no program and sends nothing to a drive, so that an
// idle drive is not woken by being looked at.
//
// What cannot be read is left empty: a description is never guessed.
package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine describes the host.
type Machine struct{ CPU, Kernel string }

// Target describes what an IO engine will load.
type Target struct {
	Path      string // as given, made absolute
	Block     string // kernel name of a block device: "sda"; empty for a file
	ByID      string // stable link under /dev/disk/by-id; empty if there is none
	Vendor    string
	Model     string
	Serial    string
	Firmware  string
	Interface string // "nvme", "ata", "scsi", "file"; empty if unknown
	SizeBytes int64
	LinkPower string // how this machine lets its link save power; empty if unknown
	Spins     bool   // the kernel takes it for a disk with a motor
}

// Size writes a target's size as drives are sold.
func (t *Target) Size() string {
	switch n := float64(t.SizeBytes); {
	case n >= 1e12:
		return fmt.Sprintf("%.2f TB", n/1e12)
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", n/1e9)
	default:
		return fmt.Sprintf("%.1f MB", n/1e6)
	}
}

// Describe returns what the machine says of itself.
func Describe() Machine {
	var m Machine
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = cpuModel(b)
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
	}
	return m
}

func cpuModel(cpuinfo []byte) string {
	s := bufio.NewScanner(bytes.NewReader(cpuinfo))
	for s.Scan() {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Look describes a target. It opens nothing: a name that does not exist is an
// error, and nothing is created.
func Look(target string) (Target, error) {
	abs, err := filepath.Abs(target)
	if err != nil {
		return Target{}, fmt.Errorf("look at target %s: %w", target, err)
	}
	t := Target{Path: abs}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return t, fmt.Errorf("look at target %s: %w; %s", target, err, cure(err))
	}
	info, err := os.Stat(real)
	if err != nil {
		return t, fmt.Errorf("look at target %s: %w", target, err)
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		t.Interface, t.SizeBytes = "file", info.Size()
		return t, nil
	case mode&fs.ModeDevice == 0 || mode&fs.ModeCharDevice != 0:
		return t, fmt.Errorf("look at target %s: it is neither a block device nor a regular file; name one of these", target)
	}
	t.Block = filepath.Base(real)
	t.ByID = byID("/dev/disk/by-id", real)
	t.sysfs(os.DirFS("/sys/class/block"))
	t.LinkPower = linkPower("/sys", Disk(t.Block), t.Interface)
	return t, nil
}

// cure says what to do where a target cannot be looked at.
func cure(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "this user may not look there: name it by a path that it may, or run powerd as one who may"
	case errors.Is(err, unix.ENOTCONN):
		return "what served it has died: unmount it (umount -l), and start that again"
	}
	return "name an existing block device or file"
}

// sysfs fills in what the kernel knows of a block device; of a partition, its
// disk's.
func (t *Target) sysfs(root fs.FS) {
	read := func(elem ...string) string {
		b, err := fs.ReadFile(root, path.Join(elem...))
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	if n, err := strconv.ParseInt(read(t.Block, "size"), 10, 64); err == nil {
		t.SizeBytes = n * 512 // sysfs counts in 512-byte units whatever the drive's sector is
	}
	disk := t.Block
	if read(t.Block, "partition") != "" {
		disk = diskOf(t.Block)
	}
	t.Vendor, t.Model = read(disk, "device", "vendor"), read(disk, "device", "model")
	if strings.HasPrefix(t.Vendor, "0x") { // a number of a bus is nobody's name
		t.Vendor = ""
	}
	t.Serial, t.Firmware = read(disk, "device", "serial"), read(disk, "device", "firmware_rev")
	if t.Firmware == "" {
		t.Firmware = read(disk, "device", "rev")
	}
	if t.Serial == "" { // SCSI's and ATA's stand where the kernel keeps what it once asked the drive
		page, _ := fs.ReadFile(root, path.Join(disk, "device", "vpd_pg80"))
		t.Serial = unitSerial(page)
	}
	t.Interface = interfaceOf(disk, t.Vendor)
	t.Spins = read(disk, "queue", "rotational") == "1"
}

// unitSerial reads a serial number from page 80h of a SCSI drive's vital product data:
// four bytes of head, the last of them the length, then text. What is not one gives "".
func unitSerial(page []byte) string {
	const head, number = 4, 0x80
	if len(page) < head || page[1] != number {
		return ""
	}
	text := page[head:min(len(page), head+int(page[2])<<8+int(page[3]))]
	for _, c := range text {
		if c != 0 && (c < ' ' || c > '~') {
			return ""
		}
	}
	return strings.TrimSpace(strings.Trim(string(text), "\x00"))
}

// Disk returns the kernel name of the disk that a block device is, or is a partition of;
// "" of "".
func Disk(block string) string {
	if _, err := os.Stat(filepath.Join("/sys/class/block", block, "partition")); block != "" && err == nil {
		return diskOf(block)
	}
	return block
}

// diskOf returns the disk of a partition: "sda1" is on "sda"; where the disk's name
// ends in a digit, the kernel puts a p between: "nvme0n1p2" is on "nvme0n1".
func diskOf(partition string) string {
	disk := strings.TrimRight(partition, "0123456789")
	if d, ok := strings.CutSuffix(disk, "p"); ok && d != strings.TrimRight(d, "0123456789") {
		return d
	}
	return disk
}

// interfaceOf says in what commands the kernel speaks to a disk, as far as its name
// and vendor tell: sd is SCSI's, whose translation of ATA says so as the vendor. Of
// loop, virtio, MMC and others nothing is said.
func interfaceOf(disk, vendor string) string {
	switch {
	case strings.HasPrefix(disk, "nvme"):
		return "nvme"
	case strings.HasPrefix(disk, "sd") && vendor == "ATA":
		return "ata"
	case strings.HasPrefix(disk, "sd"):
		return "scsi"
	}
	return ""
}

// byID returns the first link in dir that leads to dev.
func byID(dir, dev string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		link := filepath.Join(dir, e.Name())
		if real, err := filepath.EvalSymlinks(link); err == nil && real == dev {
			return link
		}
	}
	return ""
}
