package diskstats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
)

// device is a file of statistics that a test changes.
type device struct {
	t    *testing.T
	path string
	now  func() int64
}

func newDevice(t *testing.T) *device {
	began := time.Now()
	return &device{t: t, path: filepath.Join(t.TempDir(), "stat"), now: func() int64 { return int64(time.Hour) + time.Since(began).Nanoseconds() }}
}

// says makes the device say that it has served so many reads of 4 KiB.
func (d *device) says(reads int) {
	d.t.Helper()
	line := fmt.Sprintf("%d 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", reads, reads*8)
	if err := os.WriteFile(d.path, []byte(line), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *device) find() (string, error) {
	if _, err := os.Stat(d.path); err != nil {
		return "", err
	}
	return d.path, nil
}

// follow follows a device for a while of virtual time, and returns what came of it.
func follow(t *testing.T, d *device, meanwhile func()) (*Series, []engine.Interval, error) {
	t.Helper()
	dir := t.TempDir()
	var seen []engine.Interval
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	f := New(Options{Find: d.find, Now: d.now})
	go func() { ended <- f.Follow(ctx, dir, func(iv engine.Interval) { seen = append(seen, iv) }) }()
	meanwhile()
	cancel()
	err := <-ended
	s, loading := Load(dir)
	if loading != nil {
		t.Fatal(loading)
	}
	return s, seen, err
}

// wait lets virtual time pass, and everybody do what is due.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// Followed for a second there are a look at its start and its end and ten between; what
// was handed on while it ran is what the file tells afterwards, and nothing is counted
// twice.
func TestTenLooksASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(t)
		d.says(1000)
		s, seen, err := follow(t, d, func() {
			for i := range 10 {
				wait(100*time.Millisecond - 10)
				d.says(1000 + 7*(i+1))
				wait(10)
			}
			d.says(1071)
			wait(50 * time.Millisecond)
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.Readings() != 12 || s.Gaps() != 0 || len(seen) != 11 {
			t.Errorf("%d readings, %d gaps, %d intervals", s.Readings(), s.Gaps(), len(seen))
		}
		var reads uint64
		for i, iv := range s.Intervals() {
			if seen[i] != iv {
				t.Errorf("interval %d: %+v while it ran, %+v in the file", i, seen[i], iv)
			}
			reads += iv.Reads
		}
		if reads != 71 {
			t.Errorf("%d reads, want 1071 − 1000", reads)
		}
	})
}

// The drive loses its power, goes away, and comes again with its counters at zero: a
// gap, for which nothing is handed on; what follows is counted from zero.
func TestDriveGoesAndComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(t)
		d.says(5000)
		s, seen, err := follow(t, d, func() {
			wait(250 * time.Millisecond)
			if err := os.Remove(d.path); err != nil {
				t.Fatal(err)
			}
			wait(time.Second)
			d.says(0)
			wait(300 * time.Millisecond)
			d.says(12)
			wait(100 * time.Millisecond)
		})
		if err != nil || s.Gaps() != 1 || s.Damage != nil {
			t.Errorf("%v; %d gaps, damage %q", err, s.Gaps(), s.Damage)
		}
		var reads uint64
		for _, iv := range seen {
			reads += iv.Reads
		}
		if reads != 12 {
			t.Errorf("%d reads, want 12", reads)
		}
	})
}

// A drive that is away all the time is an error that says where it was looked for, and
// a target that never has statistics ends the following at once.
func TestNothingToFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(t)
		s, _, err := follow(t, d, func() { wait(time.Second) })
		if err == nil || !strings.Contains(err.Error(), d.path) || s.Readings() != 0 {
			t.Errorf("%v; %d readings", err, s.Readings())
		}
		f := New(Options{Now: d.now, Find: func() (string, error) { return "", fmt.Errorf("%w: it is a plain file", engine.ErrTarget) }})
		if err := f.Follow(t.Context(), t.TempDir(), nil); !errors.Is(err, engine.ErrTarget) {
			t.Errorf("%v", err)
		}
	})
}

// What a drive says that is no line of statistics is no reading.
func TestNonsenseIsAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(t)
		d.says(1)
		s, seen, err := follow(t, d, func() {
			wait(150 * time.Millisecond)
			if err := os.WriteFile(d.path, []byte("nonsense\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			wait(200 * time.Millisecond)
			d.says(100)
			wait(200 * time.Millisecond)
		})
		if err != nil || s.Gaps() != 1 {
			t.Errorf("%v, %d gaps", err, s.Gaps())
		}
		for _, iv := range seen {
			if iv.Reads != 0 {
				t.Errorf("%+v: reads across the gap", iv)
			}
		}
	})
}

// A folder that cannot be written ends it with the file's name, and a file of another
// run is not written over.
func TestFolderCannotBeWritten(t *testing.T) {
	d := newDevice(t)
	d.says(1)
	f := New(Options{Find: d.find, Now: d.now})
	if err := f.Follow(t.Context(), filepath.Join(t.TempDir(), "none"), nil); err == nil || !strings.Contains(err.Error(), FileName) {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Follow(t.Context(), dir, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
}
