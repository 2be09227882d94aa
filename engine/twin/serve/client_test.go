package serve

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever may write to the drive may not take it away, nor its statistics, nor put
// anything beside them: the others have it open.
func TestNoClientTakesTheDriveAway(t *testing.T) {
	m := served(t, drive(t, 4), 1<<20)
	dir := filepath.Dir(m.Path())
	for name, try := range map[string]func() error{
		"unlink the drive":      func() error { return syscall.Unlink(m.Path()) },
		"unlink the statistics": func() error { return syscall.Unlink(filepath.Join(dir, statName)) },
		"rename the drive":      func() error { return syscall.Rename(m.Path(), filepath.Join(dir, "other")) },
		"rename over the drive": func() error { return syscall.Rename(filepath.Join(dir, statName), m.Path()) },
		"exchange it": func() error {
			return unix.Renameat2(unix.AT_FDCWD, m.Path(), unix.AT_FDCWD, filepath.Join(dir, statName), unix.RENAME_EXCHANGE)
		},
	} {
		if err := try(); !errors.Is(err, syscall.EPERM) {
			t.Errorf("%s: %v, want EPERM", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err == nil {
		t.Error("a file was made beside the drive")
	}
	if err := os.Mkdir(filepath.Join(dir, "new"), 0o700); err == nil {
		t.Error("a folder was made beside the drive")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 || names[0].Name() != "drive" || names[1].Name() != statName {
		t.Errorf("the folder has %v, %v; want the drive and its statistics", names, err)
	}
}

// A program that means a file opens it with O_TRUNC (dd does). A block device ignores
// that; to change the size of an open one is refused. What was written stays, the size too.
func TestTruncatingOpenChangesNothing(t *testing.T) {
	const size = 1 << 20
	m := served(t, drive(t, 4), size)
	block := bytes.Repeat([]byte("powerd! "), 512)
	write(t, m.Path(), 8192, block)
	f, err := os.OpenFile(m.Path(), os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		t.Fatalf("open with O_TRUNC: %v", err)
	}
	defer f.Close()
	got := make([]byte, len(block))
	if _, err := f.ReadAt(got, 8192); err != nil || !bytes.Equal(got, block) {
		t.Errorf("what was written is gone: %v", err)
	}
	if st, err := f.Stat(); err != nil || st.Size() != size {
		t.Errorf("size %d, %v; want %d", st.Size(), err, size)
	}
	for _, n := range []int64{0, size / 2, 2 * size} {
		if err := f.Truncate(n); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("ftruncate to %d: %v, want EINVAL", n, err)
		}
	}
}

// Who cannot open /dev/fuse is told what to do about it.
func TestHintForADeviceThatCannotBeOpened(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		unix.ENOENT: "modprobe fuse",
		unix.ENODEV: "modprobe fuse",
		unix.EACCES: "chmod a+rw /dev/fuse",
		unix.EPERM:  "--device /dev/fuse",
	} {
		if got := deviceHint(fmt.Errorf("open: %w", errno)); !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q in it", errno, got, want)
		}
	}
}

// Neither folder nor lock is there when a drive has gone, whether it was in use or not. A
// folder that was there before stays.
func TestNothingStaysOfADriveThatWasUnmounted(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	for _, inUse := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "mnt")
		m, err := Mount(t.Context(), Options{Dir: dir, SizeBytes: 1 << 20, Drive: drive(t, 4), Now: monotonic})
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(m.Path())
		if err != nil {
			t.Fatal(err)
		}
		if !inUse {
			f.Close()
		}
		if err := m.Unmount(); err != nil {
			t.Error(err)
		}
		leavesNothing(t, dir)
		f.Close()
		m.Wait()
	}
	own := t.TempDir()
	m, err := Mount(t.Context(), Options{Dir: own, SizeBytes: 1 << 20, Drive: drive(t, 4), Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unmount(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("a folder of somebody else's is gone: %v", err)
	}
}

func leavesNothing(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{dir, dir + ".lock"} {
		if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

func write(t *testing.T, path string, off int64, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, off); err != nil {
		t.Fatal(err)
	}
}
