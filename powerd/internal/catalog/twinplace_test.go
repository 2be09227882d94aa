package catalog

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// deadPid returns the number of a process that has been.
func deadPid(t *testing.T) int {
	t.Helper()
	p := exec.CommandContext(t.Context(), "true")
	if err := p.Run(); err != nil {
		t.Skip(err)
	}
	return p.Process.Pid
}

// Folders and locks of twins whose process is dead go, each also without the other. What
// stays: that of a living process, what a living twin holds the lock of, a folder with
// something in it, and what only looks like one of ours.
func TestSweepTwins(t *testing.T) {
	dir, dead := t.TempDir(), strconv.Itoa(deadPid(t))
	living := strconv.Itoa(os.Getpid())
	for _, name := range []string{"powerd-twin-" + dead, "powerd-twin-" + living, "powerd-twin-0" + dead, "powerd-twin-x", "powerd-twins", "somebody-elses"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"powerd-twin", "powerd-twin-" + living, "powerd-twin-x", "somebody-elses"} {
		if err := os.WriteFile(filepath.Join(dir, name+".lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	SweepTwins(dir)
	want := []string{
		"powerd-twin-" + living, "powerd-twin-" + living + ".lock", "powerd-twin-0" + dead,
		"powerd-twin-x", "powerd-twin-x.lock", "powerd-twins", "somebody-elses", "somebody-elses.lock",
	}
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left over: %q, want %q", got, want)
	}
}

// A twin alone has no process in its name: that its lock is held shows that it lives.
func TestSweepLeavesATwinThatIsServed(t *testing.T) {
	dir := t.TempDir()
	place := TwinDir(dir, 0)
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(place + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	SweepTwins(dir)
	if got := names(t, dir); len(got) != 2 {
		t.Errorf("left over: %q, want folder and lock", got)
	}
}

// A folder that somebody put something into is not emptied.
func TestSweepKeepsWhatIsInAFolder(t *testing.T) {
	dir := t.TempDir()
	place := TwinDir(dir, deadPid(t))
	if err := os.MkdirAll(filepath.Join(place, "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	SweepTwins(dir)
	if _, err := os.Stat(filepath.Join(place, "mine")); err != nil {
		t.Error(err)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
