package serve

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// unprivilegedEnv makes the test binary mount in the folder that it names, as the
// user that it runs as.
const unprivilegedEnv = "POWERD_TEST_MOUNT_UNPRIVILEGED"

// mountUnprivileged mounts, writes and reads the drive, opens it once more, and
// unmounts while it is open.
func mountUnprivileged(dir string) error {
	d, err := readyDrive(4)
	if err != nil {
		return err
	}
	m, err := Mount(context.Background(), Options{Dir: dir, SizeBytes: 1 << 20, Drive: d, Now: monotonic})
	if err != nil {
		return err
	}
	want := bytes.Repeat([]byte("powerd! "), 512)
	f, err := os.OpenFile(m.Path(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(want, 4096); err != nil {
		return err
	}
	got := make([]byte, len(want))
	if _, err := f.ReadAt(got, 4096); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("read back %d bytes: %w", len(got), err)
	}
	if err := m.Unmount(); err != nil { // the file is open: lazily
		return err
	}
	f.Close()
	m.Wait()
	return Clear(dir)
}

// A user who may not mount does so by fusermount3: the drive works, goes away while it
// is open, and nothing stays in the kernel's table.
func TestUnprivilegedUserMountsByTheHelper(t *testing.T) {
	const nobody = 65534
	if st, err := os.Stat("/dev/fuse"); os.Geteuid() != 0 || helper() == "" || err != nil || st.Mode().Perm()&0o006 != 0o006 {
		t.Skip("needs root to become another user, fusermount3, and a /dev/fuse that everybody may open")
	}
	room, err := os.MkdirTemp("", "powerd-unprivileged-") //nolint:usetesting // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(room)
	program := filepath.Join(room, "serve.test")
	image, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, image, 0o755)
	}
	for _, do := range []func() error{func() error { return os.Chmod(room, 0o755) }, func() error { return os.Chown(room, nobody, nobody) }} {
		if err == nil {
			err = do()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(room, "drive")
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), unprivilegedEnv+"="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if table, err := os.ReadFile("/proc/self/mountinfo"); err != nil || bytes.Contains(table, []byte(room)) {
		t.Errorf("the mount is still there (%v)", err)
	}
}
