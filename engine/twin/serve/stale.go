package serve

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"powerd/engine/mountinfo"
)

// fsName is what mounts of this package are called in the kernel's table, fsType their
// type there.
const (
	fsName = "powerd-twin"
	fsType = "fuse." + fsName
)

// Clear takes away what a drive that was served at dir has left: the mount of a killed
// process, the folder, if it is empty, and the lock beside it. It never looks into dir,
// since that would hang on a stale mount. A drive that a running process serves there, or
// another kind of mount, is an error and stays.
func Clear(dir string) error {
	dir, err := mountPath(dir)
	if err != nil {
		return err
	}
	lock, err := claim(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := detach(dir); err != nil {
		return err
	}
	return errors.Join(removed(dir), removed(lock.Name()))
}

// removed removes what may have gone already.
func removed(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("clear what a drive has left: %w", err)
	}
	return nil
}

// mountPath makes dir what the kernel's table calls it, without looking into dir
// itself, and makes its parent.
func mountPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find folder %s: %w", dir, err)
	}
	parent := filepath.Dir(abs)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("make the folder above the drive's: %w", err)
	}
	if parent, err = filepath.EvalSymlinks(parent); err != nil {
		return "", fmt.Errorf("find folder %s: %w", dir, err)
	}
	return filepath.Join(parent, filepath.Base(abs)), nil
}

// claim takes the lock beside dir that a serving process holds for as long as it
// lives. Closing the file gives it back. Who holds it may remove it: a lock that is not the
// one beside dir any more locks nothing, and is taken anew.
func claim(dir string) (*os.File, error) {
	name := dir + ".lock"
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, fmt.Errorf("make the lock beside the drive's folder: %w", err)
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil && sameFile(f, name) {
			return f, nil
		}
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: another process serves a drive there; stop it or choose another folder", name)
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
	}
}

// sameFile says whether name is still the open file.
func sameFile(f *os.File, name string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(open, there)
}

// detach takes every mount of ours away from dir; the caller holds its lock, so
// none of them is alive.
func detach(dir string) error {
	var types []string
	err := withMounts(func(table *bufio.Scanner) (err error) {
		types, err = mountsAt(table, dir)
		return err
	})
	if err != nil {
		return err
	}
	for _, kind := range slices.Backward(types) {
		if kind != fsType {
			return fmt.Errorf("detach what is mounted at %s: it is of type %s and none of ours; choose another folder", dir, kind)
		}
		if err := unmount(dir, true); err != nil {
			return fmt.Errorf("detach the stale mount at %s: %w", dir, err)
		}
	}
	return nil
}

// withMounts opens the kernel's table of mounts for read.
func withMounts(read func(table *bufio.Scanner) error) error {
	table, err := os.Open("/proc/self/mountinfo")
	if err == nil {
		defer table.Close()
		err = read(bufio.NewScanner(table))
	}
	if err != nil {
		return fmt.Errorf("read the kernel's mounts: %w", err)
	}
	return nil
}

// mountsAt returns the types of what is mounted at dir in a mountinfo table, the
// uppermost last.
func mountsAt(table *bufio.Scanner, dir string) (types []string, err error) {
	err = mountinfo.Each(table, func(m mountinfo.Mount) {
		if m.Dir == dir {
			types = append(types, m.Type)
		}
	})
	return types, err
}
