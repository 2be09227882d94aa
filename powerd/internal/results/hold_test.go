package results

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"powerd/quarch"
	"powerd/quarch/capture"
)

// A folder that a powerd works in is refused to another, and free again once the
// first has closed it.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	first, err := Hold(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(dir); !errors.Is(err, ErrHeld) {
		t.Fatalf("a second one: %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Hold(dir)
	if err != nil {
		t.Fatalf("after the first: %v", err)
	}
	again.Close()
}

// A capture without a word of its end is of a run that goes on, for the run itself;
// for whoever opens it later it was cut off. One that says how it ended stays so.
func TestHowARunEnded(t *testing.T) {
	for _, c := range []struct {
		name            string
		end             map[string]any // of the last event; nil: there is none
		running, reopen string
	}{
		{"killed", nil, Running, Interrupted},
		{"completed", map[string]any{"outcome": Completed, "utc_ns": 5e9}, Completed, Completed},
		{"failed", map[string]any{"outcome": Failed, "utc_ns": 5e9}, Failed, Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			meta, err := json.Marshal(Meta{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := capture.Create(filepath.Join(dir, "capture"), capture.Options{Run: meta, Now: func() int64 { return 1 }})
			if err != nil {
				t.Fatal(err)
			}
			events := []quarch.Event{{MonoNs: 1, Kind: quarch.EventRunStart}}
			if c.end != nil {
				events = append(events, quarch.Event{MonoNs: 2, Kind: quarch.EventRunEnd, Data: c.end})
			}
			for _, e := range events {
				if err := w.Event(e); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			during, err := Compute(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			later, err := Reopen(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if during.Run.Outcome != c.running || later.Run.Outcome != c.reopen {
				t.Errorf("outcome %q, reopened %q; want %q, %q", during.Run.Outcome, later.Run.Outcome, c.running, c.reopen)
			}
			if c.end == nil && later.Run.Why == "" {
				t.Error("a run that was cut off does not say so")
			}
		})
	}
}
