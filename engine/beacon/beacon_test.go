package beacon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/twin/model"
	"powerd/engine/twin/model/modeltest"
	"powerd/engine/twin/serve"
)

func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err)
	}
	return t.Nano()
}

// file returns a file of n bytes on a disk, not in memory.
func file(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	if fs.Type == unix.TMPFS_MAGIC {
		t.Skipf("%s lies in memory: no direct IO here", dir)
	}
	path := filepath.Join(dir, "target")
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A burst on a file says when it was, and its intervals hold every read once. The
// file is as it was, to its access rights and its time of change.
func TestBurstOnAFile(t *testing.T) {
	path := file(t, 4<<20)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	from := monotonic()
	r, err := Burst(t.Context(), Options{Path: path, Duration: 50 * time.Millisecond, Seed: 1, Now: monotonic})
	to := monotonic()
	if err != nil {
		t.Fatal(err)
	}
	if r.StartNs < from || r.EndNs > to || r.EndNs <= r.StartNs {
		t.Errorf("burst in [%d, %d), asked for in [%d, %d)", r.StartNs, r.EndNs, from, to)
	}
	if r.BlockBytes != 128<<10 || r.Bytes != r.Reads*128<<10 || r.Reads == 0 {
		t.Errorf("%d reads of %d bytes, %d bytes in all", r.Reads, r.BlockBytes, r.Bytes)
	}
	checkIntervals(t, r)
	after, err := os.Stat(path)
	if err != nil || after.ModTime() != before.ModTime() || after.Size() != before.Size() {
		t.Errorf("the target changed: %v, %v", after, err)
	}
}

// checkIntervals holds a burst's intervals against its totals.
func checkIntervals(t *testing.T, r Result) {
	t.Helper()
	var reads, bytes uint64
	for i, iv := range r.Intervals {
		if i > 0 && iv.StartNs != r.Intervals[i-1].EndNs || iv.EndNs-iv.StartNs != 10_000_000 {
			t.Fatalf("interval %d is [%d, %d), after one that ends at %d", i, iv.StartNs, iv.EndNs, r.Intervals[max(i, 1)-1].EndNs)
		}
		if iv.Writes != 0 || iv.WriteBytes != 0 {
			t.Errorf("interval %d has writes: %+v", i, iv)
		}
		reads, bytes = reads+iv.Reads, bytes+iv.ReadBytes
	}
	if reads != r.Reads || bytes != r.Bytes {
		t.Errorf("intervals hold %d reads of %d bytes, the burst %d of %d", reads, bytes, r.Reads, r.Bytes)
	}
	if n := len(r.Intervals); n == 0 || r.StartNs < r.Intervals[0].StartNs || r.EndNs >= r.Intervals[n-1].EndNs {
		t.Errorf("[%d, %d) is not within its %d intervals", r.StartNs, r.EndNs, n)
	}
}

// With one read outstanding and a clock that each look moves by 1 ms, a burst of
// 35 ms from the look at 1 ms on is known exactly. Looks: 1 the start, then before
// and after each read: 2-3, 4-5, ... the look before the 18th read is at 36 ms, which
// is the end. So 17 reads, first submitted at 2 ms, last done at 35 ms; done at
// 3, 5, ... 35 ms, so within 10 ms steps of 1 ms: 3 5 7 9 | 11 … 19 | 21 … 29 |
// 31 33 35.
func TestBurstIsWhatTheClockSays(t *testing.T) {
	var looks int64
	now := func() int64 { looks++; return looks * 1e6 }
	r, err := Burst(t.Context(), Options{Path: file(t, 64<<10), Duration: 35 * time.Millisecond, Readers: 1, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if r.StartNs != 2e6 || r.FirstDoneNs != 3e6 || r.EndNs != 35e6 || r.Reads != 17 {
		t.Errorf("[%d, %d), the first done at %d, %d reads", r.StartNs, r.EndNs, r.FirstDoneNs, r.Reads)
	}
	if r.BlockBytes != 4096 { // 64 KiB hold no block of 128 KiB
		t.Errorf("blocks of %d bytes", r.BlockBytes)
	}
	var got []uint64
	for _, iv := range r.Intervals {
		got = append(got, iv.Reads)
	}
	if want := []uint64{4, 5, 5, 3}; len(got) != 4 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || got[3] != want[3] {
		t.Errorf("reads by interval %v, want %v", got, want)
	}
	checkIntervals(t, r)
}

// What cannot be read like a drive is said before anything is read, with its name
// and why; nothing is created.
func TestTargetsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "mistyped"), "check its name"},
		{"directory", dir, "is a directory"},
		{"pipe", pipe, "is a pipe"}, // to open it would wait for a writer
		{"character device", "/dev/zero", "is a character device"},
		{"empty", file(t, 0), "has 0 bytes, a read needs 4096"},
		{"smaller than a page", file(t, 4095), "has 4095 bytes, a read needs 4096"},
	} {
		_, err := Burst(t.Context(), Options{Path: c.path, Duration: time.Second, Now: monotonic})
		if !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

// A file in memory has no drive below it: the kernel may take the flag for direct
// IO, and reads would show nowhere.
func TestFileInMemory(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "powerd-test-*")
	if err != nil {
		t.Skip("no tmpfs at /dev/shm:", err)
	}
	t.Cleanup(func() { f.Close(); os.Remove(f.Name()) })
	if err := f.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(f.Name(), &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		t.Skip("/dev/shm is no tmpfs")
	}
	_, err = Burst(t.Context(), Options{Path: f.Name(), Duration: time.Second, Now: monotonic})
	if !errors.Is(err, engine.ErrTarget) || !strings.Contains(err.Error(), f.Name()) {
		t.Errorf("%v", err)
	}
}

// A block size that is no multiple of a page, or larger than the target, is refused.
func TestBlockSizes(t *testing.T) {
	path := file(t, 64<<10)
	for _, c := range []struct {
		block int
		want  string
	}{{512, "a multiple of 4096"}, {-4096, "a multiple of 4096"}, {128 << 10, "has 65536 bytes, a read needs 131072"}} {
		_, err := Burst(t.Context(), Options{Path: path, Duration: time.Second, BlockBytes: c.block, Now: monotonic})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("blocks of %d bytes: %v, want %q", c.block, err, c.want)
		}
	}
}

// Who may read a drive is said by name: group 0 is root on every Linux.
func TestRights(t *testing.T) {
	if got := rights(0o660, 0); !strings.Contains(got, "usermod -aG root") {
		t.Errorf("%q", got)
	}
	if got := rights(0o600, 0); strings.Contains(got, "usermod") {
		t.Errorf("%q: the group may not read it", got)
	}
}

// A target that shrinks under a burst is an error that says so, beside what was read.
func TestTargetShrinks(t *testing.T) {
	path := file(t, 64<<10)
	reads := 0
	now := func() int64 { // two looks for each read of the only reader
		if reads++; reads == 20 {
			if err := os.Truncate(path, 0); err != nil {
				t.Error(err)
			}
		}
		return monotonic()
	}
	r, err := Burst(t.Context(), Options{Path: path, Duration: time.Minute, Readers: 1, Now: now})
	if err == nil || !strings.Contains(err.Error(), path+" at offset ") || !strings.Contains(err.Error(), "smaller") || r.Reads == 0 {
		t.Errorf("%d reads, %v", r.Reads, err)
	}
}

// A cancelled burst ends long before its time and says what it did.
func TestCancelledBurst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	now := func() int64 {
		if looks++; looks == 100 {
			cancel()
		}
		return monotonic()
	}
	r, err := Burst(ctx, Options{Path: file(t, 1<<20), Duration: time.Hour, Readers: 1, Now: now})
	if !errors.Is(err, context.Canceled) || r.Reads == 0 {
		t.Errorf("%d reads, %v", r.Reads, err)
	}
}

// served mounts an emulated drive for the length of a test.
func served(t *testing.T, on bool) (*model.Drive, string) {
	t.Helper()
	if err := serve.Available(); err != nil {
		t.Skip(err)
	}
	d, err := model.New(modeltest.Published(4))
	if err != nil {
		t.Fatal(err)
	}
	d.SetPower(monotonic()-10e9, on)
	m, err := serve.Mount(t.Context(), serve.Options{Dir: filepath.Join(t.TempDir(), "mnt"), SizeBytes: 64 << 20, Drive: d, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Unmount(); err != nil {
			t.Error(err)
		}
		m.Wait()
	})
	return d, m.Path()
}

// On an emulated drive a burst is what the drive served, to the read, and all of it
// lies between the burst's stamps.
func TestBurstIsWhatTheDriveServed(t *testing.T) {
	d, path := served(t, true)
	r, err := Burst(t.Context(), Options{Path: path, Duration: 200 * time.Millisecond, Seed: 7, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	truth := d.Truth(r.StartNs-1e9, r.EndNs+1e9)
	if truth.Reads != r.Reads || truth.Bytes != r.Bytes || truth.Writes != 0 {
		t.Errorf("the drive served %d reads, %d bytes, %d writes; the burst says %d, %d", truth.Reads, truth.Bytes, truth.Writes, r.Reads, r.Bytes)
	}
	if truth.FirstIONs < r.StartNs || truth.LastIONs > r.EndNs {
		t.Errorf("IO from %d to %d, the burst says [%d, %d)", truth.FirstIONs, truth.LastIONs, r.StartNs, r.EndNs)
	}
	checkIntervals(t, r)
}

// A drive without power fails its reads: the error names the path and a place on it.
func TestDriveIsOff(t *testing.T) {
	_, path := served(t, false)
	r, err := Burst(t.Context(), Options{Path: path, Duration: time.Minute, Now: monotonic})
	if !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), path+" at offset ") || r.Reads != 0 {
		t.Errorf("%d reads, %v", r.Reads, err)
	}
}

// Whoever only checks a target hears what a burst would: a folder is none, a file on a
// disk is one.
func TestCheckOfATarget(t *testing.T) {
	if err := Check(t.TempDir()); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("a folder: %v", err)
	}
	const memory = "/dev/shm"
	f, err := os.CreateTemp(memory, "beacon")
	if err != nil {
		t.Skip("no file in memory:", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := Check(f.Name()); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("a file in memory: %v", err)
	}
}

// All reads of the start are submitted at once: a burst that is over before the first of
// them is done has sixteen.
func TestReadsAreSubmittedTogether(t *testing.T) {
	d, path := served(t, true)
	r, err := Burst(t.Context(), Options{Path: path, Duration: time.Millisecond, Now: monotonic})
	if err != nil {
		t.Fatal(err)
	}
	if r.Reads < defaultReaders {
		t.Fatalf("%d reads in a burst that ends after the first: want the %d that were under way", r.Reads, defaultReaders)
	}
	if r.FirstDoneNs <= r.StartNs || r.FirstDoneNs >= r.EndNs {
		t.Errorf("the first read is done at %d, the burst is [%d, %d)", r.FirstDoneNs, r.StartNs, r.EndNs)
	}
	if served := d.Truth(r.StartNs, r.EndNs+1e9).Reads; served != r.Reads {
		t.Errorf("the drive served %d reads of %d", served, r.Reads)
	}
}
