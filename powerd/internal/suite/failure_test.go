package suite_test

import (
	"strings"
	"testing"

	"powerd/powerd/internal/suite"
)

// What a step says goes before what the suite says, and that before going on.
func TestOnFailure(t *testing.T) {
	s, err := suite.Parse("f", []byte(`name: f
on_failure: stop
steps:
  - {name: a, kind: idle}
  - {name: b, kind: power_cycle, duration: 1s, cycles: 2, on_failure: continue}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range s.Plan(suite.Defaults{}) {
		if want := map[string]string{"a": suite.Stop, "b": suite.Continue}[st.Group]; st.OnFailure != want {
			t.Errorf("%s: %s, want %s", st.Name, st.OnFailure, want)
		}
	}
	s, err = suite.Parse("f", []byte("name: f\nsteps:\n  - {name: a, kind: idle}\n"))
	if err != nil || s.Plan(suite.Defaults{})[0].OnFailure != suite.Continue {
		t.Errorf("a suite that does not say: %v", err)
	}
	_, err = suite.Parse("f", []byte("name: f\non_failure: halt\nsteps:\n  - {name: a, kind: idle, on_failure: again}\n"))
	for _, want := range []string{`f:1: on_failure: "halt": it is continue or stop`, `f:4: on_failure: "again"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
