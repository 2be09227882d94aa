package suite

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) *Suite {
	t.Helper()
	s, err := Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A matrix of two read shares and two depths is four loads; the list that stands
// last in the order rw, bs, read_pct, qd, jobs changes fastest, in whatever order
// the file has them.
func TestMatrixExpandsInAStableOrder(t *testing.T) {
	s := parse(t, `
name: m
steps:
  - name: rand
    kind: matrix
    duration: 5s
    ramp: 500ms
    fio: {rw: randrw, bs: 4k, jobs: 2}
    over: {qd: [1, 32], read_pct: [100, 0]}
`)
	plan := s.Plan(Defaults{Sampling: 64 * time.Microsecond, IOEngine: "libaio"})
	var names []string
	for _, st := range plan {
		names = append(names, st.Name)
		if st.Kind != Load || st.Group != "rand" || st.Job.BlockBytes != 4096 || st.Job.Jobs != 2 || st.Job.IOEngine != "libaio" {
			t.Errorf("cell %+v", st)
		}
	}
	want := []string{"rand-r100-qd1", "rand-r100-qd32", "rand-r0-qd1", "rand-r0-qd32"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if c := plan[3].Job; c.ReadPct != 0 || c.QueueDepth != 32 || c.Ramp != 500*time.Millisecond || c.Duration != 5*time.Second {
		t.Errorf("last cell %+v", c)
	}
}

// What a plan will do to a drive is known before it runs: reads write nothing, a
// mix does, and so does a job file that nobody has read.
func TestPlanSaysWhatItWillDo(t *testing.T) {
	head := "name: x\nsteps:\n  - {name: a, kind: load, duration: 1s, fio: "
	for _, c := range []struct {
		fio    string
		writes bool
	}{
		{"{rw: randread, bs: 4k}", false},
		{"{rw: randrw, bs: 4k, read_pct: 70}", true},
		{"{rw: write, bs: 1m}", true},
		{"{file: my.fio}", true},
	} {
		p := parse(t, head+c.fio+"}\n").Plan(Defaults{})
		if p.Writes() != c.writes || p.PowerCycles() || !p.Loads() {
			t.Errorf("%s: writes %v, power cycles %v", c.fio, p.Writes(), p.PowerCycles())
		}
	}
	p := parse(t, "name: x\nsteps:\n  - {name: a, kind: power_cycle, duration: 8s}\n").Plan(Defaults{PowerCycleSampling: 4 * time.Microsecond})
	if !p.PowerCycles() || p.Writes() || p[0].OffTime != 10*time.Second || p[0].Sampling != 4*time.Microsecond {
		t.Errorf("power cycle: %+v", p[0])
	}
}

// Faults come together, each with its line and what is allowed.
func TestFaultsNameLineAndRange(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"misspelt key", "name: x\nsteps:\n  - name: a\n    kind: idle\n    duraton: 5s\n", "s.yaml:5: unknown key duraton"},
		{"bare number", "name: x\nsteps:\n  - name: a\n    kind: idle\n    duration: 5\n", `s.yaml:5: "5" is no duration: it needs a unit`},
		{"kind", "name: x\nsteps:\n  - {name: a, kind: sleep, duration: 5s}\n", `s.yaml:3: kind: "sleep": it is one of power_cycle, idle, load, matrix`},
		{"sampling", "name: x\nsteps:\n  - {name: a, kind: idle, duration: 5s, sampling: 12us}\n", "s.yaml:3: sampling: 12µs: it is 4µs × a power of two"},
		{"block size", "name: x\nsteps:\n  - {name: a, kind: load, duration: 5s, fio: {rw: read, bs: 4}}\n", "s.yaml:3: fio.bs: 4"},
		{"size unit", "name: x\nsteps:\n  - {name: a, kind: load, duration: 5s, fio: {rw: read, bs: 4q}}\n", `s.yaml:3: "4q" is no size`},
		{"depth", "name: x\nsteps:\n  - {name: a, kind: matrix, duration: 5s, fio: {rw: read, bs: 4k}, over: {qd: [0]}}\n", "s.yaml:3: over.qd: 0: it is 1 to 4096"},
		{"mix of reads", "name: x\nsteps:\n  - {name: a, kind: load, duration: 5s, fio: {rw: read, bs: 4k, read_pct: 70}}\n", "s.yaml:3: fio.read_pct: it belongs to rw and randrw"},
		{"no duration", "name: x\nsteps:\n  - {name: a, kind: power_cycle}\n", "s.yaml:3: duration: 0s: a step needs one"},
		{"two of a name", "name: x\nsteps:\n  - {name: a, kind: idle, duration: 1s}\n  - {name: a, kind: idle, duration: 1s}\n", `s.yaml:4: name: "a" stands in line 3 already`},
		{"path in a name", "name: x\nsteps:\n  - {name: ../a, kind: idle, duration: 1s}\n", `s.yaml:3: name: "../a"`},
		{"no step", "name: x\n", "s.yaml:1: steps: a suite needs at least one"},
		{"empty", "", "suite s.yaml is empty"},
		{"list in an idle", "name: x\nsteps:\n  - {name: a, kind: idle, duration: 1s, over: {qd: [1]}}\n", "s.yaml:3: fio, over, ramp: they belong to load and matrix"},
		{"fio's name for no job", "name: x\nsteps:\n  - {name: global, kind: idle, duration: 1s}\n", `s.yaml:3: name: "global"`},
		{"depth on psync", "name: x\nsteps:\n  - {name: a, kind: matrix, duration: 1s, fio: {rw: read, bs: 4k, ioengine: psync}, over: {qd: [1, 8]}}\n", "s.yaml:3: fio.ioengine: psync keeps one IO in flight; a qd of 8"},
		{"two documents", "name: x\nsteps:\n  - {name: a, kind: idle, duration: 1s}\n---\nname: y\n", "more than one YAML document"},
		{"long without power", "name: x\nsteps:\n  - {name: a, kind: power_cycle, duration: 1s, off_time: 61m}\n", "s.yaml:3: off_time: 1h1m0s: it is up to 1h0m0s"},
		{"long ramp", "name: x\nsteps:\n  - {name: a, kind: load, duration: 1s, ramp: 25h, fio: {rw: read, bs: 4k}}\n", "s.yaml:3: ramp: 25h0m0s: it is up to 24h0m0s"},
		{"not YAML", "name: [\n", "s.yaml:"},
	} {
		_, err := Parse("s.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.name, err, c.want)
		}
	}
	_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - name: a\n    kind: idle\n    duration: 5\n    sampling: 7\n"))
	if err == nil || !strings.Contains(err.Error(), "s.yaml:5:") || !strings.Contains(err.Error(), "s.yaml:6:") {
		t.Errorf("two faults, got %v", err)
	}
}

// Lists multiply: 100 depths × 101 shares of reads are 10,100 cells, and 5 lists of
// 1000 would fill the memory. Both are refused before they are expanded. 13 steps of
// 720 h are 9360 h, more than the 8760 h of a year; 12 are 8640 h.
func TestSuitesThatAreTooLarge(t *testing.T) {
	list := func(n int, value string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(value+", ", n), ", ") + "]"
	}
	matrix := func(over string) string {
		return "name: x\nsteps:\n  - {name: a, kind: matrix, duration: 1s, fio: {rw: randrw, bs: 4k}, over: {" + over + "}}\n"
	}
	months := func(n int) string {
		text := "name: x\nsteps:\n"
		for i := range n {
			text += fmt.Sprintf("  - {name: s%d, kind: idle, duration: 720h}\n", i)
		}
		return text
	}
	many := "rw: " + list(1000, "rw") + ", bs: " + list(1000, "4k") + ", read_pct: " + list(1000, "1") + ", qd: " + list(1000, "1") + ", jobs: " + list(1000, "1")
	for _, c := range []struct{ name, text, want string }{
		{"10,100 cells", matrix("qd: " + list(100, "1") + ", read_pct: " + list(101, "1")), "s.yaml:3: over: the suite has more than 10000 steps"},
		{"10¹⁵ cells", matrix(many), "s.yaml:3: over: the suite has more than 10000 steps"},
		{"13 months", months(13), "s.yaml:1: steps: they take 9360 h together"},
	} {
		if _, err := Parse("s.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
	if _, err := Parse("s.yaml", []byte(months(12))); err != nil {
		t.Errorf("12 months: %v", err)
	}
}

// Every built-in suite parses under its own name, and the demo takes less than
// 150 s with its overheads.
func TestBuiltInSuites(t *testing.T) {
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name || s.Title == "" {
			t.Errorf("%s.yaml calls itself %q, title %q", name, s.Name, s.Title)
		}
	}
	s, err := Find("demo")
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Plan(Defaults{})
	if d := plan.Duration(); d > 150*time.Second {
		t.Errorf("the demo takes %v", d)
	}
	if n := len(plan); n != 1+1+3*3+2*2 {
		t.Errorf("the demo has %d steps, not power-up, idle, 9 mixes and 4 writes", n)
	}
}

// A name that is neither built in nor a file says what there is.
func TestUnknownSuiteListsBuiltIns(t *testing.T) {
	_, err := Find("dmeo")
	if err == nil || !strings.Contains(err.Error(), "demo") {
		t.Errorf("got %v", err)
	}
}

// A size is read back as it was written.
func TestBytesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Bytes(rapid.Int64Range(1, 1<<50).Draw(t, "bytes"))
		got, ok := parseBytes(want.String())
		if !ok || Bytes(got) != want {
			t.Fatalf("%d written %q, read %d", want, want, got)
		}
	})
	for text, want := range map[string]int64{"512": 512, "4k": 4096, "4KiB": 4096, "1m": 1 << 20, "2G": 2 << 30} {
		if got, ok := parseBytes(text); !ok || got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// No input makes the reader panic, and what it accepts can be planned.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.Source)
	}
	f.Add([]byte("name: x\nextends: entropy-4k\nsteps: [{name: entropy, range: 75%, over: ~}, {include: idle}]"))
	f.Add([]byte("steps: [{over: {qd: [1]}}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := Parse("f", data); err == nil {
			s.Plan(Defaults{}).Duration()
		}
	})
}
