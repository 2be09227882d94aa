package benchbook

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func rate(ppm, u95 float64, date string) Rate {
	return Rate{DriftPPM: ppm, DriftU95PPM: u95, DateUTC: date, Run: "r", Seconds: 600, Warm: true}
}

func remembered(t *testing.T, b *Book, serial string) *Rate {
	t.Helper()
	r, err := b.Rate(serial)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A module that nobody measured is not known; one that was stands in a file of its own
// under its serial number, whatever characters that has.
func TestRateOfAModule(t *testing.T) {
	dir := t.TempDir()
	b := Open(dir)
	if r := remembered(t, b, "QTL1"); r != nil {
		t.Errorf("of an unknown module: %+v", r)
	}
	for _, serial := range []string{"QTL1999-02-001", "../x"} {
		if err := b.Remember(serial, rate(52.3, 0.4, "2026-11-30T20:00:00Z")); err != nil {
			t.Fatal(err)
		}
		if r := remembered(t, b, serial); r == nil || *r != rate(52.3, 0.4, "2026-11-30T20:00:00Z") {
			t.Errorf("%s: %+v", serial, r)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "modules", "QTL1999-02-001.json")); err != nil {
		t.Error(err)
	}
	// A year later, cold: 0.4 + 2 + 5 + 5 ppm.
	if ppm, u := remembered(t, b, "QTL1999-02-001").Now(time.Date(2027, 11, 30, 20, 0, 0, 0, time.UTC), false); ppm != 52.3 || math.Abs(u-12.4) > 1e-9 {
		t.Errorf("%g ± %g ppm, want 52.3 ± 12.4", ppm, u)
	}
}

// A run of a minute says less than one of an hour the day before, and does not take its
// place where both agree: 0.4 ppm of yesterday are 2.4 by now, and better than 8. What
// contradicts it takes its place, and so does what is better.
func TestBetterRateIsKept(t *testing.T) {
	const day1, day2 = "2026-11-30T20:00:00Z", "2026-12-01T20:00:00Z"
	for _, c := range []struct {
		name string
		next Rate
		kept bool // the first one
	}{
		{"says less and agrees", rate(55, 8, day2), true},
		{"says less and contradicts", rate(70, 8, day2), false},
		{"says more", rate(54, 1, day2), false},
	} {
		b := Open(t.TempDir())
		for _, r := range []Rate{rate(52.3, 0.4, day1), c.next} {
			if err := b.Remember("QTL1", r); err != nil {
				t.Fatal(err)
			}
		}
		want := c.next
		if c.kept {
			want = rate(52.3, 0.4, day1)
		}
		if r := remembered(t, b, "QTL1"); *r != want {
			t.Errorf("%s: %+v, want %+v", c.name, *r, want)
		}
	}
}

// A rate that no module has is not believed, wherever it comes from, and a damaged file
// is named and stays as it is.
func TestDamagedRateIsKept(t *testing.T) {
	const head = `{"schema":"powerd.module/1","serial":"QTL1"`
	for _, damaged := range []string{
		"{", `{"schema":"powerd.module/2","serial":"QTL1"}`, `{"schema":"powerd.module/1","serial":"QTL2"}`, head + `}{`,
		head + `,"rate":{"drift_ppm":5,"drift_u95_ppm":0,"date_utc":"2026-11-30T20:00:00Z"}}`,
		head + `,"rate":{"drift_ppm":1e9,"drift_u95_ppm":1,"date_utc":"2026-11-30T20:00:00Z"}}`,
		head + `,"rate":{"drift_ppm":5,"drift_u95_ppm":1,"date_utc":"yesterday"}}`,
	} {
		dir := t.TempDir()
		b := Open(dir)
		path := filepath.Join(dir, "modules", "QTL1.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := b.Rate("QTL1"); err == nil || r != nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v, want the file's name", damaged, r, err)
		}
		if err := b.Remember("QTL1", rate(5, 1, "2026-11-30T20:00:00Z")); err == nil {
			t.Errorf("%s: written over", damaged)
		}
		if now, _ := os.ReadFile(path); string(now) != damaged {
			t.Errorf("%s became %s", damaged, now)
		}
	}
	if err := Open(t.TempDir()).Remember("QTL1", rate(math.NaN(), 1, "2026-11-30T20:00:00Z")); err == nil {
		t.Error("no number was remembered")
	}
}

func FuzzRate(f *testing.F) {
	f.Add([]byte(`{"schema":"powerd.module/1","serial":"QTL1","rate":{"drift_ppm":5,"drift_u95_ppm":1,"date_utc":"2026-11-30T20:00:00Z","run":"r","seconds":60,"warm":true}}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "modules"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "modules", "QTL1.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(dir).Rate("QTL1"); err == nil && r != nil && !(r.DriftU95PPM > 0) {
			t.Errorf("believed %+v", r)
		}
	})
}
