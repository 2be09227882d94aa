package capture

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"powerd/quarch"
)

// Events come back as they were written; a time of a host that has been up for
// a year (3.15e16 ns, above the 2^53 of a float64) keeps its last digit.
func TestEventsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	log, err := createEventLog(dir, func() int64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	in := []quarch.Event{
		{MonoNs: 31_536_000_000_000_001, Kind: quarch.EventRunStart},
		{MonoNs: 2, Kind: quarch.EventPowerOn, Step: "start", Data: map[string]any{"sent_mono_ns": int64(31_536_000_000_000_003), "settle_s": 0.5}},
		{MonoNs: 3, Kind: quarch.EventWarning, Text: "two\nlines, \"quoted\"", Data: map[string]any{"code": "x", "list": []any{int64(1), 2.5}}},
	}
	for _, e := range in {
		if err := log.add(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	out, torn, err := openEvents(dir)
	if err != nil || torn != "" || !reflect.DeepEqual(out, in) {
		t.Errorf("%+v (torn %q, %v), want %+v", out, torn, err, in)
	}
}

// Only a last line may be half an event: that is what a crash leaves. Anywhere
// else it is damage, named by its line, and the events around it are there.
func TestTornEvents(t *testing.T) {
	const (
		a = `{"mono_ns":1,"kind":"run_start"}`
		b = `{"mono_ns":2,"kind":"run_end"}`
	)
	for _, c := range []struct {
		name, text string
		events     int
		torn       string
		damaged    bool
	}{
		{name: "whole", text: a + "\n" + b + "\n", events: 2},
		{name: "no end of line, but whole", text: a + "\n" + b, events: 2},
		{name: "last one cut", text: a + "\n" + b[:10], events: 1, torn: "f:2: half an event (10 bytes)"},
		{name: "zeros after a power cut", text: a + "\n\x00\x00\x00", events: 1, torn: "f:2"},
		{name: "cut in the middle", text: a + "\n" + b[:10] + "\n" + b + "\n", events: 2, damaged: true},
		{name: "no kind", text: `{"mono_ns":1}` + "\n" + b + "\n", events: 1, damaged: true},
		{name: "empty", text: ""},
	} {
		events, torn, err := readEvents(strings.NewReader(c.text), "f")
		if len(events) != c.events || !strings.HasPrefix(torn, c.torn) || (torn == "") != (c.torn == "") || errors.Is(err, ErrDamaged) != c.damaged {
			t.Errorf("%s: %d events, torn %q, %v; want %d, %q, damaged %t", c.name, len(events), torn, err, c.events, c.torn, c.damaged)
		}
		if c.damaged && !strings.Contains(err.Error(), "f:") {
			t.Errorf("%s: %v does not name the line", c.name, err)
		}
	}
}

// Whatever the file holds, every line is an event, a reported one, or empty.
func FuzzReadEvents(f *testing.F) {
	f.Add(`{"mono_ns":1,"kind":"run_start","data":{"a":1,"b":[2.5,{"c":1e400}]}}` + "\n")
	f.Add("{\n\n{\"kind\":\"x\"}")
	f.Fuzz(func(t *testing.T, text string) {
		events, torn, err := readEvents(strings.NewReader(text), "f")
		lines := 0
		for l := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(l) != "" {
				lines++
			}
		}
		if err == nil && torn == "" && len(events) != lines {
			t.Errorf("%d events of %d lines, and nothing reported", len(events), lines)
		}
	})
}
