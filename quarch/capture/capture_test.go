package capture_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"powerd/quarch"
	"powerd/quarch/capture"
)

const serial = "QTL0000-00-001"

// clock is a host clock that goes on by 1 ms each time it is read.
func clock() func() int64 {
	ns := int64(1_000_000_000)
	return func() int64 { ns += 1_000_000; return ns }
}

func ppm(periodNs int64) capture.StreamInfo {
	return capture.StreamInfo{
		Module: quarch.Info{Driver: "ppm", Serial: serial, Link: quarch.LinkFramed, Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}, PeriodNs: periodNs, Averaging: int(periodNs / 4000)},
		SentNs: 900, AckedNs: 950,
	}
}

// block makes n stripes from index first: volts count up by 1 mV, amperes by
// 1 µA, so that every stripe can be told from every other.
func block(first uint64, n int, periodNs int64) *quarch.Block {
	b := &quarch.Block{First: first, PeriodNs: periodNs, ReadAtNs: int64(first+uint64(n)) * periodNs}
	for k, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
		t := quarch.Trace{Rail: rail, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for i := range n {
			t.V = append(t.V, int32((first+uint64(i))%14_000)+int32(k))
			t.A = append(t.A, int32(first)+int32(i)-int32(k))
		}
		b.Traces = append(b.Traces, t)
	}
	return b
}

func create(t testing.TB, dir string) *capture.Writer {
	t.Helper()
	w, err := capture.Create(dir, capture.Options{Run: json.RawMessage(`{"id":"r1"}`), Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// record writes blocks as one stream into a new capture.
func record(t testing.TB, blocks ...*quarch.Block) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	w := create(t, dir)
	must(t, w.BeginStream(ppm(blocks[0].PeriodNs)))
	for _, b := range blocks {
		must(t, w.Write(b))
	}
	must(t, w.EndStream("done"))
	must(t, w.Close())
	return dir
}

func open(t testing.TB, dir string) *capture.Capture {
	t.Helper()
	c, err := capture.Open(dir)
	must(t, err)
	return c
}

// read returns copies of all blocks of a range.
func read(t testing.TB, s *capture.Stream, from, to uint64) []*quarch.Block {
	t.Helper()
	var all []*quarch.Block
	for b, err := range s.Blocks(from, to) {
		must(t, err)
		all = append(all, b.Clone())
	}
	return all
}

// join puts blocks that follow one another together, for comparing stripes.
func join(blocks []*quarch.Block) *quarch.Block {
	j := blocks[0].Clone()
	for _, b := range blocks[1:] {
		for i := range j.Traces {
			j.Traces[i].V = append(j.Traces[i].V, b.Traces[i].V...)
			j.Traces[i].A = append(j.Traces[i].A, b.Traces[i].A...)
		}
		j.AtNs = append(j.AtNs, b.AtNs...)
	}
	return j
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A second and a half at 4 µs is 375 000 stripes: three parts of 125 000, each
// named by its first stripe, with its arrivals beside it; and all comes back.
func TestHalfSecondParts(t *testing.T) {
	var in []*quarch.Block
	for first := uint64(0); first < 375_000; first += 2500 {
		in = append(in, block(first, 2500, 4000))
	}
	dir := record(t, in...)
	want := []string{
		"arrivals-s1-000000000000.parquet", "arrivals-s1-000000125000.parquet", "arrivals-s1-000000250000.parquet",
		"s1-000000000000.parquet", "s1-000000125000.parquet", "s1-000000250000.parquet",
	}
	if got := files(t, filepath.Join(dir, serial)); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	s := open(t, dir).Streams()[0]
	out := read(t, s, 0, capture.ToEnd)
	if len(out) != 3 || s.End() != 375_000 {
		t.Fatalf("%d blocks to stripe %d, want 3 to 375000", len(out), s.End())
	}
	if got, want := join(out).Traces, join(in).Traces; !reflect.DeepEqual(got, want) {
		t.Error("stripes differ from what was written")
	}
	arrivals, err := s.Arrivals()
	must(t, err)
	if len(arrivals) != 150 || arrivals[149] != in[149].Arrival() {
		t.Errorf("%d arrivals, last %+v; want 150, last %+v", len(arrivals), arrivals[len(arrivals)-1], in[149].Arrival())
	}
}

// Whatever comes (gaps, missing counts, blocks of any length), what is read is
// what was written: the same stripes under the same index, every lost stripe
// counted once.
func TestWhatIsWrittenIsRead(t *testing.T) {
	count := rapid.OneOf(rapid.Int32(), rapid.Just(quarch.Missing))
	rapid.Check(t, func(rt *rapid.T) {
		var in []*quarch.Block
		next, lost := uint64(0), uint64(0)
		for range rapid.IntRange(1, 8).Draw(rt, "blocks") {
			b := &quarch.Block{Lost: rapid.SampledFrom([]uint64{0, 0, 1, 999}).Draw(rt, "lost"), PeriodNs: 1_000_000}
			b.First = next + b.Lost
			n := rapid.IntRange(1, 300).Draw(rt, "stripes")
			b.Traces = []quarch.Trace{{
				Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6,
				V: rapid.SliceOfN(count, n, n).Draw(rt, "V"), A: rapid.SliceOfN(count, n, n).Draw(rt, "A"),
			}}
			next, lost = b.End(), lost+b.Lost
			in = append(in, b)
		}
		c := open(t, record(t, in...))
		s := c.Streams()[0]
		out := read(t, s, 0, capture.ToEnd)
		at, outLost := uint64(0), uint64(0)
		for _, b := range out {
			if b.First != at+b.Lost {
				rt.Fatalf("block from %d with %d lost after stripe %d", b.First, b.Lost, at)
			}
			at, outLost = b.End(), outLost+b.Lost
		}
		if at != next || s.End() != next || outLost != lost || s.Lost != lost {
			rt.Fatalf("read to %d (End %d), lost %d (meta %d); want %d and %d", at, s.End(), outLost, s.Lost, next, lost)
		}
		if got, want := join(out).Traces, join(in).Traces; !reflect.DeepEqual(got, want) {
			rt.Fatalf("stripes %v, want %v", got, want)
		}
	})
}

// A range is cut to the stripe, and says what of it was lost: 100..199 are
// missing from 0..299, so a range from 150 lost 50 before its first stripe.
func TestRangeIsCutToTheStripe(t *testing.T) {
	second := block(200, 100, 4000)
	second.Lost = 100
	s := open(t, record(t, block(0, 100, 4000), second)).Streams()[0]
	for _, c := range []struct {
		name             string
		from, to         uint64
		first, end, lost uint64
		blocks           int
	}{
		{name: "inside one part", from: 10, to: 20, first: 10, end: 20, blocks: 1},
		{name: "across the gap", from: 90, to: 210, first: 90, end: 210, lost: 100, blocks: 2},
		{name: "from within the gap", from: 150, to: 300, first: 200, end: 300, lost: 50, blocks: 1},
		{name: "within the gap", from: 120, to: 130},
		{name: "after the end", from: 300, to: capture.ToEnd},
	} {
		out := read(t, s, c.from, c.to)
		if len(out) != c.blocks {
			t.Errorf("%s: %d blocks, want %d", c.name, len(out), c.blocks)
			continue
		}
		if c.blocks == 0 {
			continue
		}
		lost := uint64(0)
		for _, b := range out {
			lost += b.Lost
		}
		if first, end := out[0].First, out[len(out)-1].End(); first != c.first || end != c.end || lost != c.lost {
			t.Errorf("%s: [%d, %d) with %d lost, want [%d, %d) with %d", c.name, first, end, lost, c.first, c.end, c.lost)
		}
		if got, want := out[0].Traces[0].A[0], int32(c.first); got != want {
			t.Errorf("%s: first count %d, want %d", c.name, got, want)
		}
	}
}

// A lost frame boundary ends a part and is remembered with the next, even where
// no stripe was lost.
func TestResyncIsKept(t *testing.T) {
	second := block(100, 100, 4000)
	second.Resync = 2
	out := read(t, open(t, record(t, block(0, 100, 4000), second)).Streams()[0], 0, capture.ToEnd)
	if len(out) != 2 || out[0].Resync != 0 || out[1].Resync != 2 || out[1].Lost != 0 {
		t.Errorf("blocks %+v, want two, the second with 2 resyncs and nothing lost", out)
	}
}

// A rail that the module does not have is absent after reading too; a rail that
// read zero has zeros; a missing count is neither.
func TestAbsentZeroAndMissing(t *testing.T) {
	fiveOnly := &quarch.Block{PeriodNs: 1_000_000, Traces: []quarch.Trace{
		{Rail: quarch.Rail5V, V: []int32{5000, 5000}, A: []int32{500_000, 500_000}, LSBVolts: 1e-3, LSBAmps: 1e-6},
	}}
	zero := fiveOnly.Clone()
	zero.Traces = append(zero.Traces, quarch.Trace{Rail: quarch.Rail12V, V: []int32{12000, quarch.Missing}, A: []int32{0, quarch.Missing}, LSBVolts: 1e-3, LSBAmps: 1e-6})
	reversed := zero.Clone()
	slices.Reverse(reversed.Traces)

	for name, in := range map[string]*quarch.Block{"12 V absent": fiveOnly, "12 V zero": zero, "12 V first": reversed} {
		out := read(t, open(t, record(t, in)).Streams()[0], 0, capture.ToEnd)[0]
		if !reflect.DeepEqual(out.Traces, in.Traces) {
			t.Errorf("%s: %+v, want %+v", name, out.Traces, in.Traces)
		}
		if five, ok := out.Trace(quarch.Rail5V).Watts(0); !ok || five != 2.5 {
			t.Errorf("%s: 5 V draws %v W, want 2.5", name, five)
		}
	}
}

// A polled link has a time for each stripe and no period.
func TestPolledLink(t *testing.T) {
	a, b := block(0, 3, 0), block(5, 1, 0)
	a.AtNs, b.AtNs, b.Lost = []int64{10, 20, 30}, []int64{60}, 2
	out := read(t, open(t, record(t, a, b)).Streams()[0], 0, capture.ToEnd)
	if len(out) != 2 || !slices.Equal(out[0].AtNs, a.AtNs) || !slices.Equal(out[1].AtNs, b.AtNs) || out[1].Lost != 2 || out[0].PeriodNs != 0 {
		t.Errorf("blocks %+v, want the polled ones with 2 lost between", out)
	}
}

// A module that changes its range within a stream gets a part for each scale.
func TestScaleChangeStartsAPart(t *testing.T) {
	fine := block(100, 50, 4000)
	fine.Traces[1].LSBAmps = 1e-7
	out := read(t, open(t, record(t, block(0, 100, 4000), fine)).Streams()[0], 0, capture.ToEnd)
	if len(out) != 2 || out[0].Traces[1].LSBAmps != 1e-6 || out[1].Traces[1].LSBAmps != 1e-7 || out[1].Lost != 0 {
		t.Errorf("blocks %+v, want two with scales 1e-6 and 1e-7", out)
	}
}

// What no stream can hold is refused by name, and the stream goes on.
func TestRefusedBlocks(t *testing.T) {
	w := create(t, filepath.Join(t.TempDir(), "capture"))
	if err := w.Write(block(0, 1, 4000)); err == nil || !strings.Contains(err.Error(), "no stream") {
		t.Errorf("write before the stream: %v", err)
	}
	must(t, w.BeginStream(ppm(4000)))
	if err := w.BeginStream(ppm(4000)); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("second stream within the first: %v", err)
	}
	must(t, w.Write(block(0, 100, 4000)))
	short := block(100, 5, 4000)
	short.Traces[1].A = short.Traces[1].A[:4]
	bare := block(100, 5, 4000)
	bare.PeriodNs = 0
	for want, b := range map[string]*quarch.Block{
		"stripe 100 is the next":    block(99, 10, 4000),
		"period 8000 ns after 4000": block(100, 10, 8000),
		"5 volts and 4 amperes":     short,
		"5 stripes with 0 times":    bare,
	} {
		if err := w.Write(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	must(t, w.Write(block(100, 10, 4000)))
	must(t, w.Close())
	must(t, w.Close())
	if err := w.Write(block(110, 1, 4000)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("write after close: %v", err)
	}
}

// A module that was restarted counts from 0 again: that is another stream. The
// energies of both add up, and the time between them is nobody's.
func TestRestartIsAnotherStream(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	w := create(t, dir)
	for range 2 {
		must(t, w.BeginStream(ppm(1_000_000)))
		b := block(0, 10, 1_000_000)
		for i := range b.Traces[0].V {
			b.Traces[0].V[i], b.Traces[0].A[i] = 5000, 200_000 // 1 W for 1 ms
		}
		must(t, w.Write(b))
		must(t, w.EndStream("module restarted"))
	}
	must(t, w.Close())
	c := open(t, dir)
	joules := 0.0
	for i, s := range c.Streams() {
		if s.Number != i+1 || s.EndReason != "module restarted" || s.End() != 10 || s.EndNs <= s.BeginNs {
			t.Errorf("stream %+v, want number %d, ended, 10 stripes", s.StreamMeta, i+1)
		}
		var sum quarch.RailSummary
		for _, b := range read(t, s, 0, capture.ToEnd) {
			sum.Add(&b.Traces[0], 0, b.Len())
		}
		joules += sum.Joules(s.PeriodNs)
	}
	if joules < 0.01999999 || joules > 0.02000001 {
		t.Errorf("%d streams hold %g J, want 2 · 10 ms · 1 W = 0.02 J", len(c.Streams()), joules)
	}
}

// meta.json says what a reader of the parts needs to know of the run.
func TestMeta(t *testing.T) {
	m := open(t, record(t, block(0, 10, 8000))).Meta()
	s := m.Streams[0]
	scale := capture.RailScale{Rail: quarch.Rail12V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	if m.Schema != "powerd.capture/1" || len(m.Modules) != 1 || m.Modules[0].Serial != serial {
		t.Errorf("meta %+v", m)
	}
	if s.PeriodNs != 8000 || s.Averaging != 2 || s.SentNs != 900 || s.AckedNs != 950 || s.Stripes != 10 || len(s.Rails) != 2 || s.Rails[1] != scale {
		t.Errorf("stream %+v", s)
	}
	var run struct{ ID string }
	if err := json.Unmarshal(m.Run, &run); err != nil || run.ID != "r1" {
		t.Errorf("run = %s, want what was given", m.Run)
	}
}

// A capture can be opened while it grows: all that Sync promised is there.
func TestOpenWhileWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	w := create(t, dir)
	must(t, w.BeginStream(ppm(4000)))
	must(t, w.Write(block(0, 1000, 4000)))
	must(t, w.Event(quarch.Event{MonoNs: 5, Kind: quarch.EventStepEnd, Step: "idle"}))
	must(t, w.Sync())
	c := open(t, dir)
	if events, err := c.Events(); err != nil || len(events) != 1 || events[0].Step != "idle" {
		t.Errorf("events %v (%v), want the step's end", events, err)
	}
	if s := c.Streams()[0]; s.End() != 1000 || s.EndNs != 0 {
		t.Errorf("stream to %d, ended at %d; want 1000 stripes and no end", s.End(), s.EndNs)
	}
	must(t, w.Write(block(1000, 1000, 4000)))
	must(t, w.Close())
	if s := open(t, dir).Streams()[0]; s.End() != 2000 || s.EndReason != "capture closed" {
		t.Errorf("stream to %d, ended by %q; want 2000, by closing", s.End(), s.EndReason)
	}
}

// A serial number that is no file name stays inside the capture, and is kept as
// it is in meta.json.
func TestOddSerialStaysInside(t *testing.T) {
	for _, odd := range []string{"../../etc", "", "a/b", ".."} {
		dir := filepath.Join(t.TempDir(), "capture")
		w := create(t, dir)
		info := ppm(4000)
		info.Module.Serial = odd
		must(t, w.BeginStream(info))
		must(t, w.Write(block(0, 10, 4000)))
		must(t, w.Close())
		s := open(t, dir).Streams()[0]
		if s.Serial != odd || s.End() != 10 {
			t.Errorf("serial %q came back as %q with %d stripes", odd, s.Serial, s.End())
		}
		if names := files(t, filepath.Dir(dir)); len(names) != 1 {
			t.Errorf("serial %q: files beside the capture: %v", odd, names)
		}
	}
}

// A folder that holds a capture is not written over, and one that holds none is
// not opened.
func TestCreateAndOpenRefuse(t *testing.T) {
	dir := record(t, block(0, 10, 4000))
	if _, err := capture.Create(dir, capture.Options{Now: clock()}); err == nil || !strings.Contains(err.Error(), "holds one already") {
		t.Errorf("create over a capture: %v", err)
	}
	if _, err := capture.Open(t.TempDir()); !errors.Is(err, capture.ErrNoCapture) {
		t.Errorf("open of an empty folder: %v, want ErrNoCapture", err)
	}
}
