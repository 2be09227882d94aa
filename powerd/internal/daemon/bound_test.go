package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"powerd/quarch/capture"
)

// logged is a log that a test reads.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Two benches are recorded for 20 min in segments of 10 s: 240 of them, into a place with
// room for some. All recordings together never take more than that and what is being
// written; the oldest are gone, each with its name and size in the log; those that are
// left follow one another without a hole, up to the end. The place may be called anything.
func TestOldestSegmentsMakeRoom(t *testing.T) {
	dir, w, log := filepath.Join(t.TempDir(), "[lab] *"), newWorld(2), &logged{}
	w.limit = virtualStart
	o := inWorld(dir, w, &memory{count: true})
	o.Segment, o.DiskMax, o.Log = 10*time.Second, 2<<20, slog.New(slog.NewTextHandler(log, nil))
	one := o.DiskMax / 4 // what two open segments take at most; New asks for four
	d := start(t, o)
	for minute := range 20 {
		w.until(t, virtualStart+int64(minute+1)*int64(time.Minute))
		until(t, "there is room again", func() bool {
			size, err := sizeOf(dir)
			return err == nil && size <= o.DiskMax+one
		})
	}
	d.end(t)
	contains(t, log.String(), "oldest recording deleted, for room")
	contains(t, log.String(), "bytes=")
	for _, b := range d.workers {
		all, err := Segments(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 2 || len(all) > 100 {
			t.Fatalf("bench %s: %d of 120 segments are left", b.bench.Name, len(all))
		}
		for i := 1; i < len(all); i++ {
			if step := all[i].Start.Sub(all[i-1].Start); step < 9*time.Second || step > 15*time.Second {
				t.Errorf("bench %s: %v from segment %s to the next, want about 10 s", b.bench.Name, step, filepath.Base(all[i-1].Dir))
			}
		}
		if end := all[len(all)-1].Start.UnixNano() - 1_800_000_000e9 - virtualStart; end < int64(20*time.Minute-30*time.Second) {
			t.Errorf("bench %s: the last segment begins at %v, want at about 20 min", b.bench.Name, time.Duration(end))
		}
		if c, err := capture.Open(filepath.Join(all[0].Dir, captureDir)); err != nil || len(c.Streams()) != 1 {
			t.Errorf("bench %s: the oldest that is left does not open: %v", b.bench.Name, err)
		}
	}
}

// The disk itself gets full: samples are not kept any more, which is said, counts as a
// gap and shows in the state; the means of 100 ms go on. Once there is room, samples are
// kept again.
func TestFullDiskKeepsMeans(t *testing.T) {
	m := newModule(t, "QTL1999-02-001")
	st := &memory{}
	o := options(t.TempDir(), benchOn("left", m.port, "QTL1999-02-001"))
	var free atomic.Int64
	free.Store(100 << 30)
	o.Free = func(string) (int64, error) { return free.Load(), nil }
	o.OpenStore = storeOf(st)
	d := start(t, o)
	d.recording(t, "left")
	free.Store(floorBytes - 1)
	d.keeper.pass()
	until(t, "samples are not kept", func() bool { return d.bench("left").Recording.Segment == "" })
	rows := func() int {
		st.mu.Lock()
		defer st.mu.Unlock()
		return st.n
	}
	had := rows()
	until(t, "means go on", func() bool { return rows() > had+10 })
	s := d.bench("left")
	contains(t, s.Why, "the disk is nearly full: "+o.Dir+" has 1.00 GiB free, and samples are kept from 1.25 GiB on") // a GiB and a quarter
	if s.Recording.FreeBytes != floorBytes-1 || s.Recording.NeededBytes != 1<<30*5/4 {
		t.Errorf("%+v", s.Recording)
	}
	if s.State != NotRecording || s.Gap == nil || s.Gap.Cause != CauseDisk {
		t.Errorf("state %s, gap %v", s.State, s.Gap)
	}
	free.Store(floorBytes + 1) // not by a whisker
	d.keeper.pass()
	if !d.keeper.tooFull() {
		t.Error("it records again at once, to stop again at once")
	}
	free.Store(backBytes)
	d.keeper.pass()
	g := d.recording(t, "left").Gap
	if g == nil || g.Cause != CauseDisk || g.EndUTC.IsZero() {
		t.Errorf("gap %v", g)
	}
}

// What could not be kept is refused before anything is opened.
func TestRefusedFromTheStart(t *testing.T) {
	o := options(t.TempDir(), benchOn("left", "/dev/null", ""))
	o.DiskMax, o.Segment = 1<<20, 10*time.Minute
	// Ten minutes at 1.024 ms are 585,937 stripes of 6 bytes, and 121 parts of 8 KiB: 4.5 MB
	// a segment, 9 MB for two.
	_, err := New(o)
	if err == nil {
		t.Fatal("1 MiB is taken to hold two segments")
	}
	contains(t, err.Error(), "serve.disk_max is 1MiB")
	contains(t, err.Error(), "about 9MiB")
	o.Benches = nil
	if _, err := New(o); !errors.Is(err, ErrNoBench) {
		t.Errorf("without a bench: %v", err)
	}
}

// Two daemons that record into one folder would delete each other's segments.
func TestOneDaemonAFolder(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(1)
	d := start(t, inWorld(dir, w, &memory{count: true}))
	d.recording(t, "a")
	second, err := New(inWorld(dir, newWorld(1), &memory{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Run(t.Context()); err == nil {
		t.Error("a second daemon records into the same folder")
	} else {
		contains(t, err.Error(), "another powerd records into "+dir)
	}
}

// A deletion was cut short by a crash: what is left of the segment is no recording, and
// goes at the next start.
func TestHalfDeletedSegmentGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[lab] *")
	left := filepath.Join(dir, "a", "20260101T000000.000Z"+deleting)
	if err := os.MkdirAll(filepath.Join(left, captureDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if all, err := Segments(filepath.Join(dir, "a")); err != nil || len(all) != 0 {
		t.Errorf("it is taken for a recording: %v %v", all, err)
	}
	d := start(t, inWorld(dir, newWorld(1), &memory{count: true}))
	d.recording(t, "a")
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
