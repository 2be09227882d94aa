package diskstats

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"powerd/engine"
)

func loaded(t *testing.T, text string) *Series {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A drive was taken away and came again (a look failed, its counters began anew), and
// was then swapped between two looks (they went back). Neither is minus a hundred
// reads: there is no interval across. The last row was torn by a kill.
func TestDriveTakenAway(t *testing.T) {
	text, err := os.ReadFile("testdata/taken-away.csv")
	if err != nil {
		t.Fatal(err)
	}
	s := loaded(t, string(text))
	want := []engine.Interval{
		{StartNs: 1000, EndNs: 2000, Reads: 10, ReadBytes: 40_960},
		{StartNs: 4000, EndNs: 5000, Reads: 3, ReadBytes: 12_288, Writes: 1, WriteBytes: 4096},
		{StartNs: 6000, EndNs: 7000, Reads: 2, ReadBytes: 8192},
	}
	if got := s.Intervals(); !slices.Equal(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
	if s.Readings() != 6 || s.Gaps() != 2 || s.Damage != nil {
		t.Errorf("%d readings, %d gaps, damage %q", s.Readings(), s.Gaps(), s.Damage)
	}
}

// Ten reads in each interval of 1000 ns, looked at within ± 2 ns.
func tens(n int) *Series {
	s := &Series{}
	for i := range n {
		r := Reading{AtNs: int64(i) * 1000, UNs: 2, Counters: Counters{Reads: uint64(i) * 10, ReadBytes: uint64(i) * 40_960, fields: 17}}
		if err := s.add(r); err != nil {
			panic(err)
		}
	}
	return s
}

// What a window holds lies between what was counted inside it and around it. A look
// that may have been made outside does not count as inside.
func TestBracketOfAWindow(t *testing.T) {
	s := tens(11) // looks at 0, 1000 … 10000
	for _, c := range []struct {
		startNs, endNs int64
		least, most    uint64 // reads
		open           bool
		why            string
	}{
		{998, 5002, 40, 60, false, "looks at 1000 … 5000 are inside; 1000 ± 2 may not be before 998"},
		{1000, 5000, 20, 60, false, "1000 ± 2 and 5000 ± 2 lie on the borders: neither inside nor outside for sure"},
		{1500, 4500, 20, 40, false, "2000 … 4000 are inside, 1000 and 5000 around"},
		{1100, 1900, 0, 10, false, "no look inside"},
		{-500, 4500, 40, 0, true, "nobody looked before"},
		{5500, 99_000, 40, 0, true, "nobody looked after"},
	} {
		b := s.Between(c.startNs, c.endNs)
		if b.Least.Reads != c.least || b.Most.Reads != c.most || b.Open != c.open || b.Least.Bytes() != c.least*4096 {
			t.Errorf("[%d, %d): %+v, want %d … %d, open %v: %s", c.startNs, c.endNs, b, c.least, c.most, c.open, c.why)
		}
	}
}

// With a gap in it a window's reads are at least those seen on both sides of it; at
// most is not known.
func TestBracketWithAGap(t *testing.T) {
	s := tens(5)
	s.gap()
	for i := range 3 {
		if err := s.add(Reading{AtNs: int64(6+i) * 1000, Counters: Counters{Reads: 1000 + uint64(i)*7, fields: 17}}); err != nil {
			t.Fatal(err)
		}
	}
	if b := s.Between(500, 7500); b.Least.Reads != 30+7 || !b.Open { // 10 → 40, 1000 → 1007
		t.Errorf("%+v", b)
	}
	if _, err := s.Result(500, 7500); !errors.Is(err, ErrGap) {
		t.Errorf("result across the gap: %v", err)
	}
	if r, err := s.Result(5500, 8500); err != nil || r.Read.IOs != 14 || r.StartNs != 6000 || r.EndNs != 8000 || len(r.Intervals) != 2 {
		t.Errorf("after it: %+v, %v", r, err)
	}
	if _, err := s.Result(4500, 6500); !errors.Is(err, ErrNotCovered) {
		t.Errorf("with one look: %v", err)
	}
}

// A row that nobody could have written is named with its line and parts what stands
// before and after it.
func TestDamagedRows(t *testing.T) {
	good := []string{
		header, "1000,2,1,4096,0,0,0,0,0,0,0", "2000,2,2,8192,0,0,0,0,0,0,0", "3000,2,3,12288,0,0,0,0,0,0,0", "4000,2,4,16384,0,0,0,0,0,0,0", "",
	}
	for bad, want := range map[string]string{
		"2000,2,x,8192,0,0,0,0,0,0,0":  `blockstat.csv:3: reads: "x" is no count`,
		"2000,2,2,8192,0,0":            "blockstat.csv:3: 6 columns, want 11",
		"2000,-2,2,8192,0,0,0,0,0,0,0": `blockstat.csv:3: u_ns: "-2"`,
		"2s,2,2,8192,0,0,0,0,0,0,0":    `blockstat.csv:3: mono_ns: "2s"`,
		"2000,2,2,,0,0,0,0,0,0,0":      "blockstat.csv:3: counts are missing",
		"1000,2,2,8192,0,0,0,0,0,0,0":  "blockstat.csv:3: its time 1000 ns is not after 1000 ns",
	} {
		rows := slices.Clone(good)
		rows[2] = bad
		s := loaded(t, strings.Join(rows, "\n"))
		if len(s.Damage) != 1 || !strings.HasPrefix(s.Damage[0], want) {
			t.Errorf("%q: damage %q, want %q", bad, s.Damage, want)
		}
		if iv := s.Intervals(); len(iv) != 1 || iv[0].StartNs != 3000 {
			t.Errorf("%q: %+v, want the last interval alone", bad, iv)
		}
	}
	if s := loaded(t, strings.Replace(strings.Join(good, "\n"), "reads", "leses", 1)); len(s.Damage) != 1 || !strings.Contains(s.Damage[0], "blockstat.csv:1:") {
		t.Errorf("another header: %q", s.Damage)
	}
}

func TestNoFile(t *testing.T) {
	if _, err := Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// Whatever stands in the file: no interval is empty, backwards or over another, and a
// window's least is never more than its most.
func FuzzFile(f *testing.F) {
	text, err := os.ReadFile("testdata/taken-away.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, int64(1500), int64(4500))
	f.Add([]byte(header+"\n1,0,1,1,1,1,1,1,1,1,1\n2,0,,,,,,,,,\n"), int64(0), int64(3))
	f.Fuzz(func(t *testing.T, data []byte, startNs, endNs int64) {
		s := parseFile(data)
		end := int64(-1 << 63)
		for _, iv := range s.Intervals() {
			if iv.StartNs < end || iv.EndNs <= iv.StartNs {
				t.Fatalf("interval %+v after %d", iv, end)
			}
			end = iv.EndNs
		}
		if b := s.Between(startNs, endNs); !b.Open && startNs < endNs && (b.Least.Reads > b.Most.Reads || b.Least.WriteBytes > b.Most.WriteBytes) {
			t.Fatalf("at least %+v, at most %+v", b.Least, b.Most)
		}
		if r, err := s.Result(startNs, endNs); err == nil && (r.StartNs < startNs || r.EndNs > endNs || r.EndNs <= r.StartNs) {
			t.Fatalf("result of [%d, %d) in [%d, %d)", r.StartNs, r.EndNs, startNs, endNs)
		}
	})
}
