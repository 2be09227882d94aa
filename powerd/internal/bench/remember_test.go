package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"powerd/analysis/pairing"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// at is a run's meta at a time, of module QTL1.
func at(t time.Time) *results.Meta {
	return &results.Meta{Module: results.Module{Serial: "QTL1"}, Start: quarch.Clock{UTCNs: t.UnixNano()}}
}

// What one run kept of its module's clock the next is given, older and less sure, with
// where it is from. An emulated module's is not a real one's, though they may share a
// serial number, and of another module nothing is known.
func TestRateGoesFromRunToRun(t *testing.T) {
	day := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	book := benchbook.Open(t.TempDir())
	if k := knownRate(book, at(day)); k != nil {
		t.Fatalf("of a module never seen: %+v", k)
	}
	if err := book.Remember("QTL1", benchbook.Rate{DriftPPM: 52.3, DriftU95PPM: 0.5, DateUTC: day.Format(time.RFC3339), Run: "r1", Seconds: 3600}); err != nil {
		t.Fatal(err)
	}
	k := knownRate(book, at(day.Add(73*24*time.Hour)))
	// 0.5 ppm, 2 of the room, 5 of the warm-up, and a fifth of 5 a year.
	if k == nil || k.PPM != 52.3 || k.U95PPM < 8.499 || k.U95PPM > 8.501 || k.From != "2026-11-30T20:00:00Z, run r1" {
		t.Errorf("%+v, want 52.3 ± 8.5 ppm", k)
	}
	simulated, other := at(day), at(day)
	simulated.Suite.Simulated, other.Module.Serial = true, "QTL2"
	for name, m := range map[string]*results.Meta{"an emulated module": simulated, "another module": other, "a module without a number": {}} {
		if k := knownRate(book, m); k != nil {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// What reads once showed is forgotten once reads do not show, since cables are changed. A
// proof whose samples were no good shows nothing either way: what is known stays known, and
// nobody is asked whether the drive is on another module.
func TestPairingIsForgottenOnlyIfItIsRefuted(t *testing.T) {
	known := pairing.Evidence{Method: pairing.MethodBursts, Confirmed: true, Module: "QTL1", Drive: "S1"}
	for _, c := range []struct {
		e         pairing.Evidence
		remembers bool
		says      string
	}{
		{pairing.Evidence{Why: "IO on /dev/sdx does not show"}, false, "is the drive on this module?"},
		{pairing.Evidence{Why: "too few samples", Unanswered: true}, true, "that says nothing of the drive"},
	} {
		b := &bench{name: "left", book: benchbook.Open(t.TempDir())}
		if err := b.remember(&known); err != nil {
			t.Fatal(err)
		}
		_, err := b.conclude(t.Context(), &Request{}, &known, c.e)
		if err == nil || !strings.Contains(err.Error(), c.e.Why) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), isItThere) == c.remembers {
			t.Errorf("%s: refused with %v", c.e.Why, err)
		}
		entry, err := b.book.Read("left")
		if err != nil || (entry.Pairing != nil) != c.remembers {
			t.Errorf("%s: remembered is %+v, %v", c.e.Why, entry.Pairing, err)
		}
	}
}

// A damaged file says nothing of the rate, and the run is told which file it is.
func TestDamagedRateIsNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "modules", "QTL1.json")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if k := knownRate(benchbook.Open(dir), at(time.Now())); k == nil || k.U95PPM != 0 || !strings.Contains(k.Fault, path) {
		t.Errorf("%+v, want a fault that names %s", k, path)
	}
}
