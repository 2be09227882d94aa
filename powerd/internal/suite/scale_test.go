package suite

import (
	"testing"
	"time"
)

// 1m=2s is thirty times shorter.
func TestParseScale(t *testing.T) {
	for text, want := range map[string]Scale{"1m=2s": 30, "1h=1m": 60, "1s=1s": 1, "1m=45s": 4.0 / 3} {
		if got, err := ParseScale(text); err != nil || got != want {
			t.Errorf("%s: %g, %v; want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "30", "1m", "1m=", "=2s", "1m=0s", "2s=1m", "-1m=-2s", "1m=2", "720h=1ms"} {
		if s, err := ParseScale(text); err == nil {
			t.Errorf("%q was taken as %g", text, s)
		}
	}
}

// At 1m=2s a load of 5 min takes 10 s, and one of a minute with a ramp of 15 s takes 2 s
// and 500 ms. In less than a second an engine says nothing: 10 s stay 1 s, and 300 ms, which
// are short already, stay. A power-up is the drive's own time, and so is how long it is off.
// A rule of settling keeps whole seconds: 3 min are 6, 1 min is 2, 15 min are 30.
func TestScaleShortensTimes(t *testing.T) {
	plan := parse(t, `
name: s
steps:
  - {name: up, kind: power_cycle, duration: 8s, off_time: 20s}
  - {name: idle, kind: idle, settle: true}
  - {name: long, kind: load, duration: 5m, fio: {rw: read, bs: 4k}}
  - {name: ramped, kind: load, duration: 1m, ramp: 15s, fio: {rw: read, bs: 4k}}
  - {name: short, kind: load, duration: 10s, fio: {rw: read, bs: 4k}}
  - {name: shortest, kind: load, duration: 300ms, fio: {rw: read, bs: 4k}}
  - {name: rounds, kind: load, duration: 1m, rounds: 3, precondition: 2, fio: {rw: randwrite, bs: 4k}}
`).Plan(Defaults{Scale: 30})
	want := map[string]time.Duration{
		"up": 8 * time.Second, "idle": 10 * time.Second, "long": 10 * time.Second, "ramped": 2 * time.Second, "short": time.Second,
		"shortest": 300 * time.Millisecond, "rounds-precondition": 12 * time.Minute, "rounds-r01": 2 * time.Second, "rounds-r02": 2 * time.Second, "rounds-r03": 2 * time.Second,
	}
	for _, st := range plan {
		if st.Duration != want[st.Name] || st.Kind == Load && st.Job.Duration != want[st.Name] {
			t.Errorf("%s takes %v, its job %v; want %v", st.Name, st.Duration, st.Job.Duration, want[st.Name])
		}
	}
	if len(plan) != len(want) {
		t.Errorf("steps %v", names(plan))
	}
	if plan[0].OffTime != 20*time.Second || plan[3].Job.Ramp != 500*time.Millisecond {
		t.Errorf("off for %v, ramp %v", plan[0].OffTime, plan[3].Job.Ramp)
	}
	if r := plan[1].Settle; r.Mean != 2*time.Second || r.For != 6*time.Second || r.AtMost != 30*time.Second || r.WithinPct != 1 {
		t.Errorf("settles by %+v", r)
	}
}

// Without a scale nothing changes.
func TestNoScale(t *testing.T) {
	s := parse(t, "name: s\nsteps:\n  - {name: a, kind: load, duration: 1m, ramp: 1s, fio: {rw: read, bs: 4k}}\n")
	for _, scale := range []Scale{0, 1} {
		if st := s.Plan(Defaults{Scale: scale})[0]; st.Duration != time.Minute || st.Job.Ramp != time.Second {
			t.Errorf("scale %g: %+v", scale, st)
		}
	}
}
