package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/powerd/internal/clock"
)

// A drive's statistics are those of its number, by whatever name it is opened; that
// file is a kernel's line.
func TestStatisticsOfADrive(t *testing.T) {
	nodes, err := filepath.Glob("/sys/class/block/*")
	if err != nil {
		t.Fatal(err)
	}
	tried := false
	for _, n := range nodes {
		dev := filepath.Join("/dev", filepath.Base(n))
		if _, err := os.Stat(dev); err != nil {
			continue
		}
		link := filepath.Join(t.TempDir(), "by-some-name")
		if err := os.Symlink(dev, link); err != nil {
			t.Fatal(err)
		}
		path, err := statisticsOf(link)
		if errors.Is(err, engine.ErrTarget) {
			continue // its counters are switched off
		}
		if err != nil {
			t.Fatal(err)
		}
		tried = true
		got, err := os.Stat(path)
		want, wanted := os.Stat(filepath.Join(n, "stat"))
		if err != nil || wanted != nil || !os.SameFile(got, want) {
			t.Errorf("%s: %s, %v, %v", dev, path, err, wanted)
		}
	}
	if !tried {
		t.Skip("there is no block device here")
	}
}

// Counters that are switched off are said to be, with the cure; a partition's queue is
// its disk's.
func TestCountersSwitchedOff(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "sdx")
	partition := filepath.Join(disk, "sdx1")
	if err := errors.Join(os.MkdirAll(filepath.Join(disk, "queue"), 0o755), os.Mkdir(partition, 0o755)); err != nil {
		t.Fatal(err)
	}
	for setting, on := range map[string]bool{"1\n": true, "0\n": false} {
		if err := os.WriteFile(filepath.Join(disk, "queue", "iostats"), []byte(setting), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, device := range []string{disk, partition} {
			err := counting("/dev/sdx", device)
			if on && err != nil || !on && (!errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), "queue/iostats")) {
				t.Errorf("%q at %s: %v", setting, device, err)
			}
		}
	}
}

// Of a file on another file system nobody can say what reached its drive: that is said,
// and nothing is written down but the header. A twin's file has its own statistics.
func TestStatisticsOfFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "image")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := Follow(file, clock.Mono).Follow(t.Context(), t.TempDir(), nil)
	if !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "name the drive itself") {
		t.Errorf("%v", err)
	}
	if _, err := statisticsOf(file + "-gone"); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, engine.ErrTarget) {
		t.Errorf("a drive that is away: %v", err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := statisticsOf(pipe); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("a pipe: %v", err)
	}

	twin, err := OpenTwin(t.Context(), TwinOptions{Name: "seagate-1200-400", Scale: 4, Dir: filepath.Join(t.TempDir(), "drive"), SizeBytes: 1 << 20, Now: clock.Mono})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := twin.Close(); err != nil {
			t.Error(err)
		}
	})
	path, err := statisticsOf(twin.Mount.Path())
	if want := fmt.Sprintf("%s/stat", filepath.Dir(twin.Mount.Path())); err != nil || path != want {
		t.Errorf("a twin's file: %s, %v, want %s", path, err, want)
	}
}
