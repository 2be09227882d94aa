package suite

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Three cycles of a power-up are three steps, each with its own off time before it.
func TestCyclesAreStepsOfTheirOwn(t *testing.T) {
	plan := parse(t, `
name: c
steps:
  - {name: power-up, kind: power_cycle, duration: 5s, off_time: 2s, cycles: 3}
`).Plan(Defaults{})
	var names []string
	for _, st := range plan {
		names = append(names, st.Name)
		if st.Group != "power-up" || st.OffTime != 2*time.Second || st.Duration != 5*time.Second {
			t.Errorf("cycle %+v", st)
		}
	}
	if want := []string{"power-up-1", "power-up-2", "power-up-3"}; !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if e := plan.Extent(); e.Cycles != 3 || e.Writing != 0 {
		t.Errorf("extent %+v", e)
	}
}

// A matrix in rounds passes over all its cells before it begins again.
func TestARoundIsOnePassOverAllCells(t *testing.T) {
	plan := parse(t, `
name: r
steps:
  - name: w
    kind: matrix
    duration: 1m
    rounds: 2
    fio: {rw: randwrite, bs: 4k}
    over: {qd: [1, 32]}
`).Plan(Defaults{})
	type is struct {
		name, cell string
		round      int
	}
	var got []is
	for _, st := range plan {
		got = append(got, is{st.Name, st.Cell, st.Round})
	}
	want := []is{{"w-qd1-r01", "w-qd1", 1}, {"w-qd32-r01", "w-qd32", 1}, {"w-qd1-r02", "w-qd1", 2}, {"w-qd32-r02", "w-qd32", 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// 1000 IOPS of 4 KiB, half of them reads, for 10 s in each of 3 rounds write
// 1000 · 4096 B · 0.5 · 30 s = 61.44 MB; without a rate nobody can say.
func TestExtentSaysHowMuchIsWritten(t *testing.T) {
	head := "name: x\nsteps:\n  - {name: a, kind: load, duration: 10s, rounds: 3, fio: "
	e := parse(t, head+"{rw: randrw, read_pct: 50, bs: 4k, rate_iops: 1000}}\n").Plan(Defaults{}).Extent()
	if e.WritesAtMost != 61_440_000 || e.Rounds != 3 || e.Writing != 30*time.Second {
		t.Errorf("a rate: %+v", e)
	}
	if e := parse(t, head+"{rw: randwrite, bs: 4k}}\n").Plan(Defaults{}).Extent(); e.WritesAtMost != -1 {
		t.Errorf("no rate: %+v", e)
	}
	if e := parse(t, head+"{rw: randread, bs: 4k}}\n").Plan(Defaults{}).Extent(); e.WritesAtMost != 0 || e.Writing != 0 {
		t.Errorf("reads: %+v", e)
	}
}

// What a step does otherwise on an emulated drive stands beside what it does on a real
// one, and changes nothing there.
func TestOnTwinAppliesToTwinsOnly(t *testing.T) {
	s := parse(t, `
name: x
steps:
  - name: w
    kind: load
    duration: 1m
    rounds: 9
    fresh_rounds: 2
    last_rounds: 3
    fio: {rw: randwrite, bs: 4k}
    on_twin: {duration: 5s, rounds: 4, fresh_rounds: 1, last_rounds: 1}
`)
	real, twin := s.Plan(Defaults{}), s.Plan(Defaults{Twin: true})
	if len(real) != 9 || real[0].Duration != time.Minute || real[0].FreshRounds != 2 || real[0].LastRounds != 3 {
		t.Errorf("on a real drive: %d of %+v", len(real), real[0])
	}
	if len(twin) != 4 || twin[0].Job.Duration != 5*time.Second || twin[0].FreshRounds != 1 || twin[0].LastRounds != 1 {
		t.Errorf("on an emulated drive: %d of %+v", len(twin), twin[0])
	}
}

// The built-in suites say what they were made for.
func TestBuiltInRounds(t *testing.T) {
	for name, want := range map[string]Extent{
		"wsat":           {Rounds: 300, Writing: 5 * time.Hour, UntilWritten: 4, WritesAtMost: -1},
		"start-and-idle": {Cycles: 3},
	} {
		s, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Plan(Defaults{}).Extent(); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestFaultsOfRounds(t *testing.T) {
	load := "kind: load, duration: 1s, fio: {rw: randwrite, bs: 4k}"
	for _, c := range []struct{ step, want string }{
		{load + ", cycles: 3", "cycles: they belong to power_cycle, not to load"},
		{"kind: power_cycle, duration: 1s, cycles: 1001", "cycles: 1001: it is 1 to 1000"},
		{"kind: power_cycle, duration: 1s, cycles: -1", "cycles: -1: it is 1 to 1000"},
		{"kind: idle, rounds: 2", "rounds, fresh_rounds, last_rounds, until_written, until_steady: they belong to load and matrix, not to idle"},
		{load + ", rounds: 10001", "rounds: 10001: it is 1 to 10000"},
		{load + ", fresh_rounds: 1, last_rounds: 1", "rounds: 0: it is 1 to 10000"},
		{load + ", rounds: 4, fresh_rounds: 2", "it takes both of them"},
		{load + ", rounds: 4, fresh_rounds: 2, last_rounds: 3", "2 + 3: there are 4 rounds, and none may stand in both"},
		{load + ", rounds: 4, until_written: -1", "until_written: -1: it is above 0, up to 1000 capacities"},
		{load + ", rounds: 4, until_written: .nan", "until_written: NaN: it is above 0"},
		{"kind: load, duration: 1s, rounds: 4, until_written: 4, fio: {rw: randread, bs: 4k}", "until_written: nothing is written in this step"},
		{load + ", rounds: 4, on_twin: {}", "on_twin: it says nothing"},
		{load + ", rounds: 4, on_twin: {rounds: 20000}", "rounds: 20000: it is 1 to 10000"},
		{load + ", rounds: 4, on_twin: {cycles: 2}", "cycles: they belong to power_cycle"},
		{load + ", rounds: 4, on_twin: {bs: 4k}", "unknown key bs"},
	} {
		_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - {name: a, "+c.step+"}\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "s.yaml:3: ") {
			t.Errorf("%s\ngot  %v\nwant %s", c.step, err, c.want)
		}
	}
}

// A disk that is ready 9.55 s after its power came on, at most, gets a power cycle of 12 s:
// 9.55 + 2 = 11.55, in whole seconds. One that is ready after 3.3 s keeps the 6 s that are
// written, and a real drive the 15 s of the step.
func TestAPowerCycleOutlastsTheStartUpOfATwin(t *testing.T) {
	s := parse(t, `
name: x
steps:
  - {name: up, kind: power_cycle, duration: 15s, cycles: 2, on_twin: {duration: 6s, after_ready: 2s}}
`)
	for _, c := range []struct {
		d    Defaults
		want time.Duration
	}{
		{Defaults{Twin: true, TwinStartUp: 9550 * time.Millisecond}, 12 * time.Second},
		{Defaults{Twin: true, TwinStartUp: 3300 * time.Millisecond}, 6 * time.Second},
		{Defaults{}, 15 * time.Second},
	} {
		for _, st := range s.Plan(c.d) {
			if st.Duration != c.want {
				t.Errorf("start-up of %v: %s lasts %v, want %v", c.d.TwinStartUp, st.Name, st.Duration, c.want)
			}
		}
	}
}

// Only a power-up has something to be ready after.
func TestAfterReadyBelongsToPowerCycles(t *testing.T) {
	for text, want := range map[string]string{
		"kind: idle, on_twin: {after_ready: 2s}":                       "on_twin.after_ready: it belongs to power_cycle, not to idle",
		"kind: power_cycle, duration: 5s, on_twin: {after_ready: 2h}":  "on_twin.after_ready: 2h0m0s: it is up to 1h0m0s",
		"kind: power_cycle, duration: 5s, on_twin: {after_ready: -1s}": `"-1s" is negative`,
	} {
		_, err := Parse("x.yaml", []byte("name: x\nsteps:\n  - {name: a, "+text+"}\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
