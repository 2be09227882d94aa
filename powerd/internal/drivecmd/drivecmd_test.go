package drivecmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"powerd/powerd/internal/suite"
)

func command(argv ...string) suite.Step {
	return suite.Step{Name: "tell", Kind: suite.Command, Argv: argv, Timeout: time.Minute}
}

// drive is a file that stands for one, under a name that leads to it.
func drive(t *testing.T) (d *Drive, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("what is on it"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "by-id")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	return &Drive{Target: link, Now: func() int64 { now += 1000; return now }}, file
}

// The target's path and that of its device are put in, and what the program printed is kept
// where the record says.
func TestCommandGetsTheDrivesPaths(t *testing.T) {
	d, file := drive(t)
	dir := t.TempDir()
	done, err := d.Do(t.Context(), dir, command("echo", "{target}", "--on={device}"))
	if err != nil || done.ExitCode != 0 || done.StartMonoNs != 1000 || done.EndMonoNs != 2000 {
		t.Fatalf("%+v, %v", done, err)
	}
	printed, err := os.ReadFile(filepath.Join(dir, done.Stdout))
	if want := d.Target + " --on=" + file + "\n"; err != nil || string(printed) != want {
		t.Errorf("printed %q, %v, want %q", printed, err, want)
	}
	if strings.Join(done.Argv, " ") != "echo "+d.Target+" --on="+file {
		t.Errorf("recorded %q", done.Argv)
	}
}

// A file that stands for a drive on a real bench is not erased, whatever the step says: not
// without a stable name and a number, and not without a command. What is on it stays.
func TestNothingIsErasedByMistake(t *testing.T) {
	d, file := drive(t)
	for _, c := range []struct {
		name string
		argv []string
		want string
	}{
		{"without a command", nil, "give the step its command"},
		{"by a name that may change", []string{"truncate", "-s0", "{device}"}, "name it by its stable path under /dev/disk/by-id"},
	} {
		st := suite.Step{Name: "purge", Kind: suite.Purge, Argv: c.argv, Timeout: time.Minute}
		done, err := d.Do(t.Context(), t.TempDir(), st)
		if err == nil || !strings.Contains(err.Error(), c.want) || done.ExitCode != -1 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "what is on it" {
		t.Errorf("after that there is %q on it, %v", got, err)
	}
}

// What cannot be done is told before a run begins: a program that is not there, one for
// another kind of drive, one that only the owner knows, a drive that is in use.
func TestWhatIsRefusedBefore(t *testing.T) {
	d, file := drive(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvme"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, c := range []struct {
		st   suite.Step
		want string
	}{
		{command("no-such-program-at-all"), "step tell: find no-such-program-at-all"},
		{command("nvme", "set-feature", "{device}"), "is no NVMe drive"},
		{command(suite.OwnersCommand, "9w"), "leaves its command to the drive's owner"},
		{command("echo"), ""},
	} {
		err := d.Check(c.st)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.st.Argv, err, c.want)
		}
	}
	d.Emulated = true
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := d.Check(suite.Step{Name: "purge", Kind: suite.Purge}); err != nil { // this process is powerd itself
		t.Errorf("open in powerd itself: %v", err)
	}
}
