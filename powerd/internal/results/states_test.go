package results_test

import (
	"fmt"
	"testing"

	"powerd/powerd/internal/results/resultstest"
)

// A host asks a drive for a state and says so; whether the drive went there only its
// power tells. 30 s at 0.70 W, then 0.69 W: not reached. 30 s at 0.70 W, then 5 mW:
// reached. A mark of another name speaks of no state.
func TestStateIsBelievedWhereThePowerChanged(t *testing.T) {
	for _, tc := range []struct {
		after   int32 // µA at 5 V
		reached bool
		text    string
	}{
		{138_000, false, "asked for ps4, not reached: 0.70 W before, 0.69 W after"},
		{1000, true, "asked for ps4, reached: 0.70 W before, 0.00500 W after"},
	} {
		r := record(t, meta())
		r.Stream(source{FromS: 0.5, ToS: 63, PeriodNs: 1_024_000, EndReason: "done", Draw: func(s float64) []resultstest.Reading {
			if s >= 31 {
				return []resultstest.Reading{{5000, tc.after}, {12_000, 0}}
			}
			return []resultstest.Reading{{5000, 140_000}, {12_000, 0}}
		}})
		r.Step("sleep", "record", 1, 62, nil)
		engineFile(t, r, "marks.jsonl", fmt.Sprintf(`{"mark":"start","name":"state:ps4","mono_ns":%d}
{"mark":"start","name":"lunch","mono_ns":%d}
{"mark":"end","name":"lunch","mono_ns":%d}
{"mark":"end","name":"state:ps4","mono_ns":%d}
`, host(31), host(32), host(40), host(61)))
		r.Ended(63)
		d := r.Compute()
		if len(d.States) != 1 || len(d.Marks) != 2 {
			t.Fatalf("states %+v, %d marks, withheld %v", d.States, len(d.Marks), d.Withheld)
		}
		if s := d.States[0]; s.Asked != "ps4" || s.Reached.Reached != tc.reached || s.Text != tc.text {
			t.Errorf("%+v, want %q", s, tc.text)
		}
	}
}
