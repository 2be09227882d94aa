package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A cable is pulled for some seconds, twice. What came before stays, samples come again
// less than a second after the module is back, and each time the gap stands in the file,
// in the recording that follows, and in the state, with its length and cause.
func TestReplugIsRecorded(t *testing.T) {
	away := 3 * time.Second
	if os.Getenv("POWERD_TEST_LONG") != "" {
		away = 10 * time.Second
	}
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "usb-left")
	m := newModule(t, "QTL1999-02-001")
	m.link(t, path)
	d := start(t, options(dir, benchOn("left", path, "QTL1999-02-001")))
	d.recording(t, "left")
	for i := range 2 {
		before := d.recording(t, "left").Counters.Samples
		m.pull()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		until(t, "the module is missed", func() bool { s := d.bench("left"); return s.State == Waiting && s.Gap != nil && s.Gap.EndUTC.IsZero() })
		pulled := d.bench("left")
		contains(t, pulled.Gap.Cause, CauseUnplugged)
		after(away)
		m = newModule(t, "QTL1999-02-001")
		m.link(t, path)
		back := time.Now()
		until(t, "samples come again", func() bool {
			s := d.bench("left")
			return s.State == Recording && s.Counters.Samples > pulled.Counters.Samples
		})
		if took := time.Since(back); took > time.Second {
			t.Errorf("recording again %v after the replug, want less than 1 s", took)
		}
		s := d.recording(t, "left")
		if s.Counters.Reconnects != uint64(i+1) || s.Counters.Samples < before {
			t.Errorf("reconnects %d, want %d; samples %d after %d", s.Counters.Reconnects, i+1, s.Counters.Samples, before)
		}
		if g := s.Gap; g.Cause != CauseUnplugged || g.Seconds() < away.Seconds() || g.Seconds() > away.Seconds()+2 {
			t.Errorf("gap %v for %.3f s, want %s for %v and at most a second or two", g, g.Seconds(), CauseUnplugged, away)
		}
	}
	got := d.recording(t, "left").Counters.Samples
	if took := d.end(t); took > 5*time.Second {
		t.Errorf("it took %v to stop, want at most 5 s", took)
	}
	s := d.bench("left")
	if got > s.Counters.Samples {
		t.Error("samples became fewer")
	}
	if on := stripesIn(t, benchDir(dir, "left")); on != s.Counters.Samples {
		t.Errorf("%d stripes on disk, %d came", on, s.Counters.Samples)
	}
	if all, err := Segments(benchDir(dir, "left")); err != nil || len(all) != 3 {
		t.Errorf("%d segments, %v; want 3: one before, between, and after", len(all), err)
	}
	if len(m.module.PowerEvents()) != 1 { // that it is on from the start
		t.Errorf("the module was touched: %v", m.module.PowerEvents())
	}
}
