package beacon

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"powerd/engine"
	drive "powerd/engine/target"
)

// target is what is read. It is opened by its descriptor alone: os.File would ask
// the target to be polled, which a file that this process serves itself would hang
// on.
type target struct {
	path string
	fd   int
	size int64 // bytes
}

// Check opens a target as a burst would, and closes it: its error says why reads of it
// could not show on a module.
func Check(path string) error {
	t, err := open(path)
	if err != nil {
		return err
	}
	t.close()
	return nil
}

// open opens a target for direct reading and nothing else.
func open(path string) (*target, error) {
	fail := func(format string, args ...any) (*target, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{engine.ErrTarget}, args...)...)
	}
	st, err := os.Stat(path)
	if err != nil { // before opening: to open a pipe would wait
		return fail("look at %s: %w; check its name", path, err)
	}
	if kind := drive.KindOf(st.Mode()); kind != "" {
		return fail("%s is a %s, want a block device or a regular file", path, kind)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		cure := "run powerd as a user who may"
		if sys, ok := st.Sys().(*syscall.Stat_t); ok {
			cure = rights(st.Mode(), sys.Gid)
		}
		return fail("open %s to read: %w; %s", path, err, cure)
	case errors.Is(err, unix.EINVAL):
		return fail("open %s for direct IO: %w; its file system does not do that: name the drive itself, or a file on another file system", path, err)
	case err != nil:
		return fail("open %s to read: %w", path, err)
	}
	t := &target{path: path, fd: fd}
	if err := t.look(); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// look finds out the target's size, and whether there is a drive below it.
func (t *target) look() (err error) {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(t.fd, &fs); err != nil {
		return fmt.Errorf("%w: look at the file system of %s: %w", engine.ErrTarget, t.path, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(t.fd, &st); err != nil {
		return fmt.Errorf("%w: look at %s: %w", engine.ErrTarget, t.path, err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFREG && fs.Type == unix.TMPFS_MAGIC {
		return fmt.Errorf("%w: %s lies in memory (tmpfs), so that reads of it reach no drive; name the drive itself, or a file on it", engine.ErrTarget, t.path)
	}
	if t.size, err = unix.Seek(t.fd, 0, unix.SEEK_END); err != nil {
		return fmt.Errorf("%w: size of %s: %w", engine.ErrTarget, t.path, err)
	}
	return nil
}

// block returns the size of a read: what was asked for, or what the target holds.
func (t *target) block(asked int) (int, error) {
	want := int64(asked)
	switch {
	case asked == 0 && t.size >= defaultBlock:
		want = defaultBlock
	case asked == 0:
		want = pageBytes
	}
	if t.size < want {
		return 0, fmt.Errorf("%w: %s has %d bytes, a read needs %d", engine.ErrTarget, t.path, t.size, want)
	}
	return int(want), nil
}

func (t *target) close() { _ = unix.Close(t.fd) } // nothing was written

// rights says who may read a target.
func rights(mode os.FileMode, gid uint32) string {
	name := strconv.FormatUint(uint64(gid), 10)
	if g, err := user.LookupGroupId(name); err == nil {
		name = g.Name
	}
	if mode.Perm()&0o040 == 0 {
		return "not even its group may read it: run powerd as a user who may"
	}
	return fmt.Sprintf("its group %s may read it: run `usermod -aG %s USER` as root and log in anew", name, name)
}
