package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
