package fio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// The kernel says what a loop device is made of; any name of that file counts. A
// file that only has the same content is another one.
func TestFileUnderALoopDeviceIsFound(t *testing.T) {
	image, link := targetFile(t, 4096), filepath.Join(t.TempDir(), "link.img")
	block := t.TempDir()
	if err := os.Link(image, link); err != nil {
		t.Skip(err)
	}
	if err := os.MkdirAll(filepath.Join(block, "loop3", "loop"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(block, "loop3", "loop", "backing_file"), image+"\n")
	if got := loopOver(stat(t, link), block); got != "loop3" {
		t.Errorf("the image by another name: %q, want loop3", got)
	}
	if got := loopOver(stat(t, targetFile(t, 4096)), block); got != "" {
		t.Errorf("another file: %q, want none", got)
	}
}

// A swap file stands in the kernel's list, with its spaces as octal numbers.
func TestSwapFileIsFound(t *testing.T) {
	swap := filepath.Join(t.TempDir(), "my swap")
	writeFile(t, swap, "pages")
	list := filepath.Join(t.TempDir(), "swaps")
	writeFile(t, list, "Filename\tType\tSize\tUsed\tPriority\n"+strings.ReplaceAll(swap, " ", `\040`)+"   file\t1024\t0\t-2\n")
	if !isSwap(stat(t, swap), list) {
		t.Error("the swap file was not found in the list")
	}
	if isSwap(stat(t, targetFile(t, 4096)), list) {
		t.Error("another file was taken for swap")
	}
}

// With a real loop device: the image under it is refused for a job that writes,
// and taken by one that reads; the free device is taken by both, and refused when
// it is a file system that is mounted. Needs root and a kernel with loop devices.
func TestImageUnderALoopDeviceIsNotWritten(t *testing.T) {
	image := targetFile(t, 8<<20)
	out, err := exec.Command("losetup", "--find", "--show", image).Output()
	if err != nil {
		t.Skip("no loop device can be made here: ", err)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() { _ = exec.Command("losetup", "-d", device).Run() })
	e := New(Options{Now: monotonic})
	check := func(target, rw string) error {
		return e.Check(t.Context(), engine.Job{Step: "s", Target: target, RW: rw, BlockBytes: 4096, Duration: time.Second, Dir: t.TempDir()})
	}
	if err := check(image, "write"); !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), device) {
		t.Errorf("write to the image: %v, want a refusal that names %s", err, device)
	}
	if err := check(image, "read"); err != nil {
		t.Errorf("read of the image: %v", err)
	}
	if err := check(device, "write"); err != nil {
		t.Errorf("write to the free device: %v", err)
	}
	folder := t.TempDir()
	if exec.Command("mkfs.ext4", "-q", device).Run() != nil || exec.Command("mount", device, folder).Run() != nil {
		t.Skip("no file system can be made or mounted here")
	}
	defer func() { _ = exec.Command("umount", folder).Run() }()
	if err := check(device, "write"); !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), folder) {
		t.Errorf("write to the mounted device: %v, want a refusal that names %s", err, folder)
	}
	if !isHeld(device) {
		t.Error("a mounted device is not held")
	}
}

// A target that this user may not open is refused before anything is measured.
func TestTargetOfAnotherUserIsRefused(t *testing.T) {
	target := targetFile(t, 4096)
	if err := os.Chmod(target, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may open everything")
	}
	if err := checkLeave(target, false); err != nil {
		t.Errorf("read: %v", err)
	}
	if err := checkLeave(target, true); !errors.Is(err, engine.ErrTarget) || !errors.Is(err, os.ErrPermission) {
		t.Errorf("write: %v, want a refusal", err)
	}
}
