package suite

import (
	"strings"
	"testing"
	"time"
)

// A recording is a plan of one step that asks nothing of the drive, and its source can
// be run again as a file.
func TestRecordingTouchesNothing(t *testing.T) {
	s, err := Recording(90 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Plan(Defaults{Sampling: 64 * time.Microsecond})
	if len(plan) != 1 || plan[0].Kind != Record || plan[0].Duration != 90*time.Minute || plan[0].Sampling != 64*time.Microsecond {
		t.Errorf("%+v", plan)
	}
	if plan.Writes() || plan.PowerCycles() || plan.Loads() {
		t.Error("it writes, cuts power, or loads")
	}
	again := parse(t, string(s.Source))
	if again.SHA256 != s.SHA256 || s.SHA256 == "" {
		t.Errorf("its source is %s, not %s", again.SHA256, s.SHA256)
	}
}

// A file may record, beside its other steps; a job is no part of that.
func TestRecordInAFile(t *testing.T) {
	s := parse(t, "name: x\nsteps:\n  - {name: oltp, kind: record, duration: 30m, sampling: 1.024ms}\n")
	if st := s.Plan(Defaults{})[0]; st.Kind != Record || st.Sampling != 1024*time.Microsecond {
		t.Errorf("%+v", st)
	}
	for text, want := range map[string]string{
		"{name: a, kind: record}": "duration: 0s: a step needs one",
		"{name: a, kind: record, duration: 5s, fio: {rw: read, bs: 4k}}": "they belong to load and matrix, not to record",
		"{name: a, kind: record, duration: 5s, off_time: 10s}":           "off_time: it belongs to power_cycle",
	} {
		if _, err := Parse("s.yaml", []byte("name: x\nsteps:\n  - "+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
