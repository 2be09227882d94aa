package benchbook

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"powerd/analysis/pairing"
	"powerd/quarch"
)

// A bench that nobody wrote of remembers nothing; what is written comes back whole,
// and one part of it can be changed without the others.
func TestWhatIsWrittenComesBack(t *testing.T) {
	b := Open(filepath.Join(t.TempDir(), "not", "there", "yet"))
	if e, err := b.Read("left"); err != nil || e != (Entry{}) {
		t.Fatalf("of an unknown bench: %+v, %v", e, err)
	}
	on := true
	write := func(change func(*Entry)) {
		t.Helper()
		if err := b.Update("left", change); err != nil {
			t.Fatal(err)
		}
	}
	write(func(e *Entry) {
		e.Pairing = &pairing.Evidence{Method: pairing.MethodTyped, Confirmed: true, Drive: "S1"}
	})
	write(func(e *Entry) {
		e.Supply = &Supply{Run: "r", Pid: 7, Found: Found{On: &on, OutputMode: "5V", RailsMV: map[quarch.Rail]int{"5v": 5000}}}
	})
	e, err := b.Read("left")
	if err != nil || e.Pairing == nil || e.Pairing.Drive != "S1" || e.Supply == nil || !*e.Supply.Found.On || e.Supply.Found.RailsMV["5v"] != 5000 {
		t.Errorf("%+v, %v", e, err)
	}
	write(func(e *Entry) { e.Supply = nil })
	if e, err := b.Read("left"); err != nil || e.Supply != nil || e.Pairing == nil {
		t.Errorf("after the supply was put back: %+v, %v", e, err)
	}
}

// A damaged file may hold the only word about a drive without power: it is named, and
// not written over.
func TestDamagedFileIsKept(t *testing.T) {
	for _, damaged := range []string{"{", `{"schema":"powerd.bench/2","bench":"left"}`, `{"schema":"powerd.bench/1","bench":"right"}`, `{"schema":"powerd.bench/1","bench":"left","odd":1}`, `{"schema":"powerd.bench/1","bench":"left"}{"schema"`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "left.json")
		if err := os.WriteFile(path, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Open(dir).Update("left", func(*Entry) { t.Error("changed all the same") })
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want the file's name", damaged, err)
		}
		if now, _ := os.ReadFile(path); string(now) != damaged {
			t.Errorf("%s became %s", damaged, now)
		}
	}
}

// Names that differ have files that differ, whatever characters they have.
func TestNamesKeepApart(t *testing.T) {
	b := Open(t.TempDir())
	seen := map[string]string{}
	for _, name := range []string{"left", "Left", "a/b", "a%2Fb", "a b", "..", ".", "ä", "a\x00"} {
		p := b.path(name)
		if filepath.Dir(p) != b.dir {
			t.Errorf("%q: %s leads out of the folder", name, p)
		}
		if other, ok := seen[p]; ok {
			t.Errorf("%q and %q share %s", name, other, p)
		}
		seen[p] = name
	}
}

// Two who write at once both get their word in.
func TestWritersTakeTurns(t *testing.T) {
	b := Open(t.TempDir())
	if err := b.Update("left", func(e *Entry) { e.Supply = &Supply{} }); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if err := b.Update("left", func(e *Entry) { e.Supply.Pid++ }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if e, err := b.Read("left"); err != nil || e.Supply.Pid != 40 {
		t.Errorf("%+v, %v, want 40 changes", e.Supply, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":"powerd.bench/1","bench":"left","pairing":{"method":"read_bursts","confirmed":true}}`))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "left.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _ = Open(dir).Read("left") // must not panic
	})
}
