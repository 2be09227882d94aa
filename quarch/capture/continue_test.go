package capture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
)

// A capture whose writer was killed in the middle of an event goes on: half an event is cut
// off, a whole one that lacks only its line's end is kept, the next stream has the next
// number, and the stripes of both streams are there, each by its own indices.
func TestContinueAfterAKill(t *testing.T) {
	for _, c := range []struct {
		tail string // what the killed writer left behind its last whole line
		want string // kinds of the events
	}{
		{"", "run_start run_resume"},
		{`{"mono_ns":5,"kind":"clo`, "run_start run_resume"},
		{`{"mono_ns":5,"kind":"clock"}`, "run_start clock run_resume"},
		{"\x00\x00\x00", "run_start run_resume"},
	} {
		dir := filepath.Join(t.TempDir(), "capture")
		o := capture.Options{Now: func() int64 { return 7 }, Run: []byte(`{"id":"r"}`)}
		w, err := capture.Create(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, "run_start", 3)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		events := filepath.Join(dir, "events.jsonl")
		text, err := os.ReadFile(events)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(events, append(text, c.tail...), 0o644); err != nil {
			t.Fatal(err)
		}
		if w, err = capture.Continue(dir, o); err != nil {
			t.Fatal(err)
		}
		write(t, w, "run_resume", 5)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := capture.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := got.Events()
		var kinds []string
		for _, e := range all {
			kinds = append(kinds, e.Kind)
		}
		if err != nil || strings.Join(kinds, " ") != c.want || len(got.Warnings()) != 0 {
			t.Errorf("after %q: events %v, %v; warnings %q", c.tail, kinds, err, got.Warnings())
		}
		streams := got.Streams()
		if len(streams) != 2 || streams[0].End() != 3 || streams[1].End() != 5 || streams[1].Number != 2 || string(got.Meta().Run) == "" {
			t.Errorf("after %q: streams %+v", c.tail, streams)
		}
	}
}

// write records a stream of n stripes after an event.
func write(t *testing.T, w *capture.Writer, kind string, n int) {
	t.Helper()
	b := &quarch.Block{PeriodNs: 1000, ReadAtNs: 6, Traces: []quarch.Trace{{Rail: "5v", V: make([]int32, n), A: make([]int32, n), LSBVolts: 1e-3, LSBAmps: 1e-6}}}
	for _, err := range []error{
		w.Event(quarch.Event{MonoNs: 4, Kind: kind}), w.BeginStream(capture.StreamInfo{Module: quarch.Info{Serial: "M"}}), w.Write(b), w.EndStream("done"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Where there is no capture there is nothing to go on with, and nothing is made.
func TestContinueNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := capture.Continue(dir, capture.Options{Now: func() int64 { return 0 }}); err == nil || !strings.Contains(err.Error(), "no meta.json") {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
