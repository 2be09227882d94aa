package tty

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"powerd/quarch"
)

// lock is a file that one open port holds. It is never removed: another process
// may have it open and be about to lock it.
type lock struct {
	file *os.File
}

// acquire takes the lock of a device; path is the name for messages.
func acquire(path, device, dir string) (*lock, error) {
	if dir == "" {
		dir = lockDir()
	}
	name := filepath.Join(dir, "powerd-"+strings.ReplaceAll(strings.Trim(device, "/"), "/", "-")+".lock")
	f, err := openLock(name)
	if err != nil {
		return nil, fmt.Errorf("lock port %s: %w", path, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock port %s: %s: %w", path, name, err)
		}
		return nil, fmt.Errorf("open port %s: %w%s", path, quarch.ErrBusy, holder(f, device))
	}
	l := &lock{file: f}
	if err := l.note(os.Getpid()); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EBADF) { // it may only be read
		return nil, errors.Join(fmt.Errorf("lock port %s: %w", path, err), l.release())
	}
	return l, nil
}

// openLock opens a lock file, or makes it so that every user can lock it. Creating
// where another user's file stands is refused in a sticky folder, so opening is tried
// first; one that may only be read can be locked all the same.
func openLock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err == nil {
			_ = f.Chmod(0o666) // whatever the umask; if it can't be, others lock it as readers
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.Open(name)
	}
	return f, err
}

func lockDir() string {
	if dir := "/run/lock"; unix.Access(dir, unix.W_OK) == nil {
		return dir
	}
	return os.TempDir()
}

func holder(f *os.File, device string) string {
	b, err := io.ReadAll(io.LimitReader(f, 32))
	pid, notNumber := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || notNumber != nil {
		return fmt.Sprintf(": another powerd holds %s", device)
	}
	if pid == os.Getpid() {
		return fmt.Sprintf(": this process (pid %d) already holds %s", pid, device)
	}
	return fmt.Sprintf(": pid %d holds %s", pid, device)
}

func (l *lock) note(pid int) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(pid)+"\n"), 0)
	return err
}

// release gives the lock back; a reader of the file then finds no pid.
func (l *lock) release() error {
	_ = l.file.Truncate(0) // one that may only be read holds somebody else's number
	return l.file.Close()
}

func interrupted(err error) bool {
	return errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN)
}
