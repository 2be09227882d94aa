package suite

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func namesOf(p Plan) (out []string) {
	for _, s := range p {
		out = append(out, s.Name)
	}
	return out
}

// A ramp is a load a demand, in the order of the list, or up a range with its end in it. On
// an emulated drive it has the demands that are given for one.
func TestDemandsAreLoadsOfTheirOwn(t *testing.T) {
	s := parse(t, `
name: d
steps:
  - name: ramp
    kind: demand
    duration: 30s
    ramp: 5s
    demand_iops: {from: 2000, to: 6000, by: 2000}
    fio: {rw: randread, bs: 4k, qd: 128}
    on_twin: {demand_iops: [300, 100]}
`)
	plan := s.Plan(Defaults{})
	if got, want := namesOf(plan), []string{"ramp-2000", "ramp-4000", "ramp-6000"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if st := plan[1]; st.Kind != Load || st.Within != Demand || st.Group != "ramp" || st.Job.RateIOPS != 4000 || st.Job.Ramp != 5*time.Second || st.Job.QueueDepth != 128 {
		t.Errorf("%+v", st)
	}
	if got, want := namesOf(s.Plan(Defaults{Twin: true})), []string{"ramp-300", "ramp-100"}; !slices.Equal(got, want) {
		t.Errorf("on a twin %v, want %v", got, want)
	}
}

// Three loads of 5 s after pauses of 10 s: 15 s without pauses before, four times 15 s with
// them, since the first load follows none, and 15 s without after. A drive is loaded in it
// for 15 + 4·5 + 15 s at the least.
func TestRecoveryIsThreeLoadsAPause(t *testing.T) {
	plan := parse(t, `
name: r
steps:
  - {name: first, kind: load, duration: 1m, fio: {rw: randwrite, bs: 4k}}
  - {name: hir, kind: recovery, duration: 5s, bursts: 3, pauses: [10s, 90s], fresh: first, fio: {rw: randwrite, bs: 4k, qd: 32}}
`).Plan(Defaults{})[1:]
	if got, want := namesOf(plan), []string{"hir-base", "hir-10s", "hir-after-10s", "hir-1m30s", "hir-after-1m30s"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	base, with, after := plan[0], plan[1], plan[2]
	if base.Job.Duration != 15*time.Second || after.Job.Duration != 15*time.Second || base.Job.Pause != 0 {
		t.Errorf("without pauses: %+v", base.Job)
	}
	if with.Job.Duration != time.Minute || with.Job.Pause != 10*time.Second || with.Job.PauseEvery != 5*time.Second {
		t.Errorf("with pauses: %+v", with.Job)
	}
	want := Paused{PauseNs: 10e9, LoadNs: 5e9, Bursts: 3, Base: "hir-base", Fresh: "first"}
	if *with.Paused != want {
		t.Errorf("%+v, want %+v", *with.Paused, want)
	}
}

const limits = `
name: v
steps:
  - {name: before, kind: idle, duration: 1s}
  - name: limit
    kind: command
    argv: [tool, "{target}", "--watts={setting}"]
    vary: {settings: [{name: 9w}, {name: 12w, argv: [tool, reset]}], restore: 12w}
  - {name: idle, kind: idle, duration: 1s}
  - name: hir
    kind: recovery
    duration: 1s
    bursts: 2
    pauses: [1s]
    fresh: w
    fio: {rw: randwrite, bs: 4k}
`

// All that follows is done once a setting, under names that carry it, and needs its command;
// what comes before is done once. What a step knows of others by name follows.
func TestSettingsRepeatWhatFollows(t *testing.T) {
	plan := parse(t, strings.Replace(limits, "  - {name: idle,", "  - {name: w, kind: load, duration: 1s, fio: {rw: randwrite, bs: 4k}}\n  - {name: idle,", 1)).Plan(Defaults{})
	want := []string{
		"before", "limit-9w", "w-9w", "idle-9w", "hir-base-9w", "hir-1s-9w", "hir-after-1s-9w",
		"limit-12w", "w-12w", "idle-12w", "hir-base-12w", "hir-1s-12w", "hir-after-1s-12w", "limit-restore",
	}
	if got := namesOf(plan); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	if got, want := plan[1].Argv, []string{"tool", "{target}", "--watts=9w"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := plan[7].Argv; !slices.Equal(got, []string{"tool", "reset"}) || !slices.Equal(plan[13].Argv, got) {
		t.Errorf("the setting's own command: %q, restored by %q", got, plan[13].Argv)
	}
	if plan[1].Undo == nil || plan[1].Undo.Name != "limit-restore" || !slices.Equal(plan[1].Undo.Argv, []string{"tool", "reset"}) {
		t.Errorf("undone by %+v", plan[1].Undo)
	}
	if plan[0].Needs != "" || plan[3].Needs != "limit-9w" || plan[10].Needs != "limit-12w" || plan[5].Paused.Base != "hir-base-9w" || plan[5].Paused.Fresh != "w-9w" || plan[5].Group != "hir-9w" {
		t.Errorf("what steps need: %q, %q, %q; %+v of %s", plan[0].Needs, plan[3].Needs, plan[10].Needs, plan[5].Paused, plan[5].Group)
	}
	if deeds := plan.Deeds(); !reflect.DeepEqual(deeds, []string{"writes", "runs commands"}) || !plan.Commands() || plan.Purges() {
		t.Errorf("deeds %v", deeds)
	}
}

// A purge on an emulated drive discards its file, whatever a real one's command is; what
// follows needs it.
func TestPurge(t *testing.T) {
	s := parse(t, `
name: p
steps:
  - {name: purge, kind: purge, argv: [nvme, format, "{device}"]}
  - {name: idle, kind: idle, duration: 1s}
`)
	plan := s.Plan(Defaults{})
	if !plan.Purges() || plan[0].Timeout != 4*time.Hour || plan[0].Deed() != "erases the drive: nvme format {device}" || plan[1].Needs != "purge" {
		t.Errorf("%+v", plan)
	}
	if twin := s.Plan(Defaults{Twin: true}); !twin.Purges() || twin[0].Argv != nil || twin[0].Deed() != "erases the drive" {
		t.Errorf("on a twin: %+v", twin[0])
	}
}

// Each fault with its line and what is allowed.
func TestFaultsOfTheseKinds(t *testing.T) {
	for _, c := range []struct{ step, want string }{
		{"{name: x, kind: demand, duration: 1s, demand_iops: [0], fio: {rw: read, bs: 4k}}", "3: demand_iops: 0: it is 1 to"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: 5, fio: {rw: read, bs: 4k}}", "3: demand_iops: it is a list"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: {from: 1, to: 5}, fio: {rw: read, bs: 4k}}", "3: demand_iops: it is a list"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: {from: 1, from: 2, to: 5, by: 1}, fio: {rw: read, bs: 4k}}", "from stands there twice"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: {from: 1, to: 100000000, by: 1}, fio: {rw: read, bs: 4k}}", "in 10000 steps at most"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: [5], fio: {file: a.fio}}", "fio.file: demand sets the rate or the pauses"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: [5], rounds: 3, fio: {rw: read, bs: 4k}}", "they belong to load and matrix, not to demand"},
		{"{name: x, kind: demand, duration: 1s, demand_iops: [5, 5], fio: {rw: read, bs: 4k}}", "stands in line 3 already"},
		{"{name: x, kind: recovery, duration: 1s, bursts: 2, fio: {rw: write, bs: 4k}}", "pauses: a recovery needs them"},
		{"{name: x, kind: recovery, duration: 1s, bursts: 1, pauses: [1s], fio: {rw: write, bs: 4k}}", "bursts: 1: it is 2 to"},
		{"{name: x, kind: recovery, duration: 100ms, bursts: 2, pauses: [1s], fio: {rw: write, bs: 4k}}", "duration: 100ms: the load between two pauses"},
		{"{name: x, kind: recovery, duration: 720h, bursts: 9999, pauses: [24h], fio: {rw: write, bs: 4k}}", "a suite takes up to"},
		{"{name: x, kind: command}", "argv: a command needs its program"},
		{"{name: x, kind: command, argv: [a], timeout: 1ms}", "timeout: 1ms: it is 1s to"},
		{"{name: x, kind: command, argv: [a, \"{setting}\"]}", "{setting} belongs to a step with vary"},
		{"{name: x, kind: purge, vary: {settings: [{name: a, argv: [b]}]}}", "vary: it belongs to command, not to purge"},
		{"{name: x, kind: command, argv: [a], vary: {settings: []}}", "vary: it needs settings"},
		{"{name: x, kind: command, argv: [a], vary: {settings: [{name: a}, {name: a}]}}", "\"a\" stands there twice"},
		{"{name: x, kind: command, argv: [a], vary: {settings: [{name: a b}]}}", "a setting needs a name"},
		{"{name: x, kind: command, argv: [a], on_twin: {vary: {settings: [{name: a}]}}}", "it has none"},
	} {
		_, err := Parse("f.yaml", []byte("name: s\nsteps:\n  - "+c.step+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n  got  %v\n  want %s", c.step, err, c.want)
		}
	}
}
