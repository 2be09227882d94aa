package capture_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
)

// childEnv names the folder that a child process of the tests records into.
const childEnv = "POWERD_CAPTURE_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := recordForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// recordForEver writes blocks until the process is killed, and prints the end
// of what Sync has promised.
func recordForEver(dir string) error {
	w, err := capture.Create(dir, capture.Options{PartNs: 10_000_000, Now: clock()})
	if err != nil {
		return err
	}
	if err := w.BeginStream(ppm(4000)); err != nil {
		return err
	}
	for first := uint64(0); ; first += 1000 { // parts of 2500 stripes: 3 blocks
		if err := w.Write(block(first, 1000, 4000)); err != nil {
			return err
		}
		if err := w.Event(quarch.Event{MonoNs: int64(first), Kind: quarch.EventClock}); err != nil {
			return err
		}
		if first%10_000 == 0 {
			if err := w.Sync(); err != nil {
				return err
			}
			fmt.Println(first + 1000)
		}
	}
}

// A process that records is killed with no chance to clean up. All that Sync
// had promised is there, no file is torn, and what is there is right.
func TestKillLosesOnlyWhatWasInMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	promised := uint64(0)
	for lines := bufio.NewScanner(out); promised < 50_000 && lines.Scan(); {
		promised, err = strconv.ParseUint(lines.Text(), 10, 64)
		must(t, err)
	}
	must(t, child.Process.Kill())
	_ = child.Wait() // killed: that is its error

	c := open(t, dir)
	s := c.Streams()[0]
	if promised < 50_000 || s.End() < promised {
		t.Fatalf("capture ends at stripe %d, %d were promised", s.End(), promised)
	}
	if s.EndNs != 0 {
		t.Errorf("stream ended at %d, want no end", s.EndNs)
	}
	next := uint64(0)
	for b, err := range s.Blocks(0, capture.ToEnd) {
		must(t, err)
		if b.First != next || b.Lost != 0 {
			t.Fatalf("block from %d with %d lost, want from %d", b.First, b.Lost, next)
		}
		want := block(b.First, b.Len(), 4000)
		if !slices.Equal(b.Traces[0].V, want.Traces[0].V) || !slices.Equal(b.Traces[1].A, want.Traces[1].A) {
			t.Fatalf("block from %d differs from what was written", b.First)
		}
		next = b.End()
	}
	if events, err := c.Events(); err != nil || len(events) < int(promised/1000) {
		t.Errorf("%d events (%v), want at least %d", len(events), err, promised/1000)
	}
}

// What a crash leaves half done is ignored and named: a part under its
// temporary name, and the last event.
func TestLeftOversAreNamed(t *testing.T) {
	dir := record(t, block(0, 1000, 4000))
	must(t, os.WriteFile(filepath.Join(dir, serial, "s1-000000001000.parquet.tmp"), []byte("PAR1half"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(`{"mono_ns":7,"kind":"run_start"}`+"\n"+`{"mono_ns":9,"ki`), 0o600))
	c := open(t, dir)
	if s := c.Streams()[0]; s.End() != 1000 || len(read(t, s, 0, capture.ToEnd)) != 1 {
		t.Errorf("stream ends at %d, want 1000", s.End())
	}
	events, err := c.Events()
	if err != nil || len(events) != 1 || events[0].Kind != quarch.EventRunStart {
		t.Errorf("events %v (%v), want the one that is whole", events, err)
	}
	all := strings.Join(c.Warnings(), "\n")
	for _, want := range []string{"s1-000000001000.parquet.tmp", "events.jsonl:2", "16 bytes"} {
		if !strings.Contains(all, want) {
			t.Errorf("warnings %q do not name %q", all, want)
		}
	}
}

// threeParts is a capture of stripes 0..374999 in parts of 125000.
func threeParts(t *testing.T) (dir string) {
	t.Helper()
	return record(t, block(0, 125_000, 4000), block(125_000, 125_000, 4000), block(250_000, 125_000, 4000))
}

// A part in the middle that cannot be read is an error in its place. Who goes on
// gets the next one, and its 125000 stripes are lost.
func TestDamagedPart(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"cut off":       func(data []byte) []byte { return data[:len(data)/2] },
		"empty":         func([]byte) []byte { return nil },
		"flipped bit":   func(data []byte) []byte { data[len(data)/3] ^= 1; return data },
		"other content": func([]byte) []byte { return []byte("not a table at all, but long enough") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := threeParts(t)
			path := filepath.Join(dir, serial, "s1-000000125000.parquet")
			data, err := os.ReadFile(path)
			must(t, err)
			must(t, os.WriteFile(path, damage(data), 0o600))

			s := open(t, dir).Streams()[0]
			var blocks []*quarch.Block
			var errs []error
			for b, err := range s.Blocks(0, capture.ToEnd) {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				blocks = append(blocks, b.Clone())
			}
			var part *capture.PartError
			if len(errs) != 1 || !errors.Is(errs[0], capture.ErrDamaged) || !errors.As(errs[0], &part) || part.First != 125_000 || part.Path != path {
				t.Fatalf("errors %v, want one that names the part", errs)
			}
			if len(blocks) != 2 || blocks[1].First != 250_000 || blocks[1].Lost != 125_000 {
				t.Errorf("%d blocks, want the two others with 125000 lost between", len(blocks))
			}
			replayed := 0
			for b, err := range capture.Replay(s).Stream(t.Context()) {
				if err != nil {
					if !errors.Is(err, capture.ErrDamaged) {
						t.Errorf("replay ends with %v, want ErrDamaged", err)
					}
					continue
				}
				replayed += b.Len()
			}
			if replayed != 125_000 {
				t.Errorf("replay gave %d stripes, want those before the damage", replayed)
			}
		})
	}
}

// A last part that cannot be read ends the stream before it; it is still an
// error for who reads.
func TestDamagedLastPart(t *testing.T) {
	dir := threeParts(t)
	must(t, os.Truncate(filepath.Join(dir, serial, "s1-000000250000.parquet"), 100))
	s := open(t, dir).Streams()[0]
	if s.End() != 250_000 {
		t.Errorf("end %d, want 250000", s.End())
	}
	var last error
	for _, err := range s.Blocks(0, capture.ToEnd) {
		last = err
	}
	if !errors.Is(last, capture.ErrDamaged) {
		t.Errorf("last word %v, want ErrDamaged", last)
	}
}

// A table of arrivals that cannot be read is named beside the other ones.
func TestDamagedArrivals(t *testing.T) {
	dir := threeParts(t)
	must(t, os.Truncate(filepath.Join(dir, serial, "arrivals-s1-000000125000.parquet"), 100))
	arrivals, err := open(t, dir).Streams()[0].Arrivals()
	if len(arrivals) != 2 || !errors.Is(err, capture.ErrDamaged) {
		t.Errorf("%d arrivals (%v), want 2 and ErrDamaged", len(arrivals), err)
	}
}

// The disk fills up: Write or Close says where, and what was written stays
// readable.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs the right to mount a small disk: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	dir := filepath.Join(disk, "capture")
	w, err := capture.Create(dir, capture.Options{PartNs: 100_000_000, Now: clock()})
	must(t, err)
	must(t, w.BeginStream(ppm(4000)))
	for first := uint64(0); err == nil && first < 10_000_000; first += 25_000 {
		b := block(first, 25_000, 4000)
		for i := range b.Traces[0].A { // does not compress below 2 bytes
			b.Traces[0].A[i] = int32(uint64(i) * 2654435761 % 65536)
		}
		err = w.Write(b)
	}
	if closed := w.Close(); err == nil {
		err = closed
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("error %v, want ENOSPC with the path", err)
	}
	s := open(t, dir).Streams()[0]
	blocks := read(t, s, 0, capture.ToEnd)
	if s.End() == 0 || join(blocks).Len() != int(s.End()) {
		t.Errorf("%d stripes of %d can be read", join(blocks).Len(), s.End())
	}
}
