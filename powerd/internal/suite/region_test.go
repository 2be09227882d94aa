package suite

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"powerd/engine"
)

// A range is a share from the start of the drive, or between two of them.
func TestRange(t *testing.T) {
	for text, want := range map[string]engine.Share{
		"75%": {ToPct: 75}, "0-75%": {ToPct: 75}, "25-75 %": {FromPct: 25, ToPct: 75}, "half": {ToPct: 50}, "12.5%": {ToPct: 12.5},
	} {
		s := parse(t, "name: x\nsteps:\n  - {name: a, kind: load, duration: 1s, range: "+text+", fio: {rw: read, bs: 4k}}\n")
		if got := s.Plan(Defaults{})[0].Job.Share; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// Entropy is what of the data is random: of 75 %, a quarter compresses to nothing. It
// varies in a matrix as other lists do, between the mixes and the depths.
func TestEntropyOverAMatrix(t *testing.T) {
	plan := parse(t, `
name: e
steps:
  - {name: w, kind: matrix, duration: 1s, fio: {rw: randwrite, bs: 4k}, over: {qd: [1, 8], entropy: [100, 75, 0]}}
  - {name: one, kind: load, duration: 1s, fio: {rw: write, bs: 4k, entropy: 40}}
`).Plan(Defaults{})
	var got []string
	var compress []int
	for _, st := range plan {
		got, compress = append(got, st.Name), append(compress, st.Job.CompressPct)
	}
	if want := []string{"w-e100-qd1", "w-e100-qd8", "w-e75-qd1", "w-e75-qd8", "w-e0-qd1", "w-e0-qd8", "one"}; !reflect.DeepEqual(got, want) {
		t.Errorf("cells %v, want %v", got, want)
	}
	if want := []int{0, 0, 25, 25, 100, 100, 60}; !reflect.DeepEqual(compress, want) {
		t.Errorf("compressible %v, want %v", compress, want)
	}
}

// Twice the range is written before the step, in blocks of 128 KiB at queue depth 32, as
// SNIA has it; three quarters of 400 GB twice are 600 GB. An emulated drive may write
// less. The step itself stays what it is.
func TestPrecondition(t *testing.T) {
	s := parse(t, `
name: p
steps:
  - name: iops
    kind: load
    duration: 1m
    range: 75%
    precondition: 2
    fio: {rw: randwrite, bs: 4k}
    on_twin: {precondition: {capacities: 0.5, at_most: 30s}}
`)
	plan := s.Plan(Defaults{})
	if got := names(plan); !reflect.DeepEqual(got, []string{"iops-precondition", "iops"}) {
		t.Fatalf("steps %v", got)
	}
	pre, j := plan[0], plan[0].Job
	if j.RW != "write" || j.BlockBytes != 131072 || j.QueueDepth != 32 || j.Share != (engine.Share{ToPct: 75}) || pre.Duration != 6*time.Hour {
		t.Errorf("precondition: %+v", pre)
	}
	if goal := pre.Goal(400e9); goal != 600e9 {
		t.Errorf("it writes %d bytes, want 600 GB", goal)
	}
	twin := s.Plan(Defaults{Twin: true})
	if twin[0].UntilWritten != 0.5 || twin[0].Duration != 30*time.Second || !twin[0].Trial {
		t.Errorf("on a twin: %+v", twin[0])
	}
	if plan[1].UntilWritten != 0 || plan[1].Job.RW != "randwrite" || plan[1].Duration != time.Minute {
		t.Errorf("the step itself: %+v", plan[1])
	}
}

func TestFaultsOfRegionAndPrecondition(t *testing.T) {
	const load = "kind: load, duration: 1s, fio: {rw: write, bs: 4k}"
	for _, c := range []struct{ step, want string }{
		{load + ", range: 75", `range: "75": want a share of the drive: 75%, 25-75%, or half`},
		{load + ", range: 75-25%", `range: "75-25%": want`},
		{load + ", range: 110%", `range: "110%": want`},
		{load + ", range: [1]", "range: want a share"},
		{"kind: idle, duration: 1s, range: half", "range, precondition: they belong to load and matrix, not to idle"},
		{"kind: load, duration: 1s, range: half, fio: {rw: read, bs: 4k, size: 1g}", "range, fio.size: both say where the load goes"},
		{"kind: load, duration: 1s, range: half, fio: {file: a.fio}", "a job file says everything itself; take range and entropy out"},
		{load + ", precondition: no", `precondition: "no": it is how many times the range is written`},
		{load + ", precondition: {times: 2}", "precondition: unknown key times; there are capacities, at_most, bs, qd"},
		{load + ", precondition: {capacities: 0}", `precondition: "0": it is how many times`},
		{load + ", precondition: {qd: 9999}", "fio.qd: 9999: it is 0 to 4096"},
		{load + ", on_twin: {precondition: 1}", "on_twin.precondition: the step itself has none"},
		{"kind: load, duration: 1s, fio: {rw: write, bs: 4k, entropy: 101}", "fio.entropy: 101: it is 0 to 100"},
		{"kind: load, duration: 1s, fio: {rw: randread, bs: 4k, entropy: 50}", "fio.entropy: it is of what is written, and randread writes nothing"},
		{"kind: matrix, duration: 1s, fio: {bs: 4k}, over: {rw: [write, read], entropy: [50]}", "fio.entropy: it is of what is written, and read writes nothing"},
	} {
		_, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - {name: a, "+c.step+"}\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "s.yaml:3: ") {
			t.Errorf("%s\ngot  %v\nwant %s", c.step, err, c.want)
		}
	}
}
