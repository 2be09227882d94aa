package target

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/engine"
)

// Kinds of uses.
const (
	Mounted     = "mounted"
	Swap        = "swap"
	Built       = "built" // something is made of it: an array, a volume
	Loop        = "loop"
	Open        = "open" // for writing, by another process
	Read        = "read" // open for reading only, by another process
	Held        = "held" // by something in the kernel that has no name here
	Partitioned = "partitioned"
)

// Use is one thing that lives on a target.
type Use struct {
	Kind   string
	Device string // kernel name of the part of the target: "sda1"; empty for a file
	What   string // "is mounted at /mnt", "is part of md0"
	Cure   string // "unmount it"
	System bool   // this machine runs from it
}

// Kernel is where the kernel's files are; the zero value stands for /proc and /sys.
type Kernel struct{ Proc, Sys string }

func (k Kernel) proc(elem ...string) string {
	if k.Proc == "" {
		k.Proc = "/proc"
	}
	return filepath.Join(append([]string{k.Proc}, elem...)...)
}

func (k Kernel) sys(elem ...string) string {
	if k.Sys == "" {
		k.Sys = "/sys"
	}
	return filepath.Join(append([]string{k.Sys}, elem...)...)
}

// CheckWrite refuses a target that must not be written to: it is in use, is
// partitioned, or belongs to the disk that this machine runs from.
func CheckWrite(path string) error {
	var k Kernel
	dev, isDevice, err := device(path)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrTarget, err)
	}
	var uses []Use
	if isDevice {
		uses = append(k.uses(k.parts(dev)), k.partitioned(dev)...)
		for _, u := range k.uses(k.below(dev)) {
			if u.System {
				u.What = "is on a disk that this machine runs from: " + u.Device + " " + u.What
				uses = append(uses, u)
			}
		}
	}
	uses = append(uses, k.fileUses(path)...)
	if len(uses) == 0 && isDevice && isHeld(path) {
		uses = append(uses, held())
	}
	return refuse(path, "the job writes", uses)
}

// CheckPower refuses to let a drive's power be cut while anything of its disk is in
// use, if only by somebody who reads (OnlyRead). A file lies in a file system, which is a use of the drive that it is on.
func CheckPower(path string) error {
	if err := CheckEmulatedPower(path); err != nil {
		return err
	}
	var k Kernel
	dev, isDevice, err := device(path)
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrTarget, err)
	}
	if !isDevice {
		return refuse(path, toBeCut, k.under(path))
	}
	for _, p := range k.below(dev) {
		if isHeld("/dev/" + p.name) {
			return refuse(path, toBeCut, []Use{held()})
		}
	}
	return nil
}

const toBeCut = "its power is to be cut"

// CheckEmulatedPower is CheckPower where no drive loses its power: a file stands for
// one, and the file system around it goes on.
func CheckEmulatedPower(path string) error {
	uses, err := Uses(path)
	if err == nil && len(uses) == 0 {
		uses, err = Readers(path)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrTarget, err)
	}
	return refuse(path, toBeCut, uses)
}

// OnlyRead reports whether CheckPower has refused for nothing but readers, who may be gone
// in a moment: each time that a drive comes, the system looks what is on it.
func OnlyRead(err error) bool {
	var r *refusedError
	return errors.As(err, &r) && r.kind == Read
}

// refusedError is a refusal for a use of some kind.
type refusedError struct {
	kind string
	text string
}

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return engine.ErrTarget }

// Readers lists the other processes that have a target, or anything on its disks, open for
// reading only: harmless to who writes, but not to be cut off.
func Readers(path string) ([]Use, error) {
	var k Kernel
	dev, isDevice, err := device(path)
	if err != nil {
		return nil, err
	}
	if !isDevice {
		real := resolve(path)
		return k.opened(Read, func(other string) bool { return other == real }), nil
	}
	parts := k.below(dev)
	return k.opened(Read, func(file string) bool { return k.among(parts, file) >= 0 }), nil
}

// Uses lists what lives on the whole disk of a target; of a volume or array, on all
// disks that it is built from. Partitions by themselves are no use, and readers neither.
func Uses(path string) ([]Use, error) {
	var k Kernel
	dev, isDevice, err := device(path)
	if err != nil {
		return nil, err
	}
	if !isDevice {
		return k.fileUses(path), nil
	}
	return k.uses(k.below(dev)), nil
}

// refuse names the worst use: that of the machine itself, else the first.
func refuse(path, why string, uses []Use) error {
	if len(uses) == 0 {
		return nil
	}
	worst := uses[0]
	for _, u := range uses {
		if u.System {
			worst = u
			break
		}
	}
	name := path
	if worst.Device != "" && worst.Device != filepath.Base(resolve(path)) && !strings.Contains(worst.What, worst.Device) {
		name = fmt.Sprintf("%s (%s)", path, worst.Device)
	}
	return &refusedError{worst.Kind, fmt.Sprintf("%v: %s %s and %s; %s", engine.ErrTarget, name, worst.What, why, worst.Cure)}
}

// KindOf names a file that cannot stand for a drive; "" for a block device or a regular
// file.
func KindOf(m os.FileMode) string {
	switch {
	case m.IsRegular(), m&os.ModeDevice != 0 && m&os.ModeCharDevice == 0:
		return ""
	case m.IsDir():
		return "directory"
	case m&os.ModeCharDevice != 0:
		return "character device"
	case m&os.ModeNamedPipe != 0:
		return "pipe"
	case m&os.ModeSocket != 0:
		return "socket"
	}
	return "special file"
}

// device returns MAJOR:MINOR of a block device.
func device(path string) (numbers string, isDevice bool, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", false, err
	}
	n, ok := Numbers(st)
	return n, ok && st.Mode()&os.ModeCharDevice == 0, nil
}

// Numbers returns MAJOR:MINOR of a device file.
func Numbers(st os.FileInfo) (string, bool) {
	if st.Mode()&os.ModeDevice == 0 {
		return "", false
	}
	sys, ok := st.Sys().(*unixStat)
	if !ok {
		return "", false
	}
	return join(sys.Rdev), true
}

func join(dev uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev))
}

func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func held() Use {
	return Use{Kind: Held, What: "is in use, perhaps mounted in a container", Cure: "find out by what (lsblk, lsof)"}
}

// isHeld reports whether something in the kernel holds a device for itself: a mount in
// any namespace, swap, a volume. It opens the device for reading, and gives it back at
// once.
func isHeld(path string) bool {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_EXCL|unix.O_CLOEXEC, 0)
	if err != nil {
		return errors.Is(err, unix.EBUSY)
	}
	_ = unix.Close(fd)
	return false
}
