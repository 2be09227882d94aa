package tty

import (
	"errors"
	"fmt"
	"io"
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
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
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
	if err := l.note(os.Getpid()); err != nil {
		return nil, errors.Join(fmt.Errorf("lock port %s: %w", path, err), l.release())
	}
	return l, nil
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
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

func interrupted(err error) bool {
	return errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN)
}
