package results_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/results/resultstest"
)

// A host asks a drive for a state and says so; whether the drive went there only its
// power tells. 30 s at 0.70 W, then 0.69 W: not reached. 30 s at 0.70 W, then 5 mW:
// reached. A mark of another name speaks of no state. A module of 1 % is off by 2·1 %/√3
// of the change in its volts and again in its amperes: 1.65 %.
func TestStateIsBelievedWhereThePowerChanged(t *testing.T) {
	for _, tc := range []struct {
		after   int32 // µA at 5 V
		reached bool
		text    string
	}{
		{138_000, false, "asked for ps4, not reached: 0.70 W in 30.0 s before, 0.69 W in 30.0 s after, a change of -0.01000 ± 0.00016 W"},
		{1000, true, "asked for ps4, reached: 0.70 W in 30.0 s before, 0.00500 W in 30.0 s after, a change of -0.695 ± 0.011 W"},
	} {
		m := meta()
		m.Module.Calibration = &results.Calibration{GainPct: 1, OffsetMA: 2, OffsetMV: 1}
		r := record(t, m)
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
		s := d.States[0]
		if s.Asked != "ps4" || s.Reached.Reached != tc.reached || !strings.HasPrefix(s.Text, tc.text) || s.IOWatched {
			t.Errorf("%+v, want %q", s, tc.text)
		}
		// Of a module of 1 % + 2 mA and 1 % + 1 mV, at 5 V and 0.14 A: 5 · 2·3.4/√3 mA and
		// 0.14 · 2·51/√3 mV; the 12 V rail, which is at rest, adds 12 · 2·2/√3 mA.
		want := math.Hypot(math.Hypot(5*2*3.4e-3, 0.14*2*51e-3), 12*2*2e-3) / math.Sqrt(3)
		if math.Abs(s.BeforeU95W-want) > 0.001 {
			t.Errorf("± %g W before, want %g", s.BeforeU95W, want)
		}
	}
}

// IO until 18 s makes 3 W; from then on the drive draws 0.7 W, asked for a state at 21 s or
// not. The 12 s before the mark hold 9 s of IO: they would show a fall by two thirds, and
// are no evidence. Compared are the two seconds before it that lie a second behind the IO;
// and of what comes after, only what lies before the next IO.
func TestIOIsNoStateThatWasLeft(t *testing.T) {
	run := func(nextIOAtS, lastIOAtS float64) (*resultstest.Recording, func(string)) {
		r := record(t, meta())
		draw := func(s float64) []resultstest.Reading {
			if s < lastIOAtS || s >= nextIOAtS {
				return []resultstest.Reading{{5000, 600_000}, {12_000, 0}}
			}
			return []resultstest.Reading{{5000, 140_000}, {12_000, 0}}
		}
		r.Stream(source{FromS: 0.5, ToS: 36, PeriodNs: 1_024_000, EndReason: "done", Draw: draw})
		r.Step("sleep", "record", 1, 35, nil)
		counted(t, r, 0, 36, func(s float64) float64 { return 1000 * (min(s, lastIOAtS) + max(0, s-nextIOAtS)) })
		return r, func(name string) {
			engineFile(t, r, "marks.jsonl", fmt.Sprintf(`{"mark":"start","name":%q,"mono_ns":%d}
{"mark":"end","name":%q,"mono_ns":%d}
`, name, host(21), name, host(33)))
			r.Ended(36)
		}
	}
	r, mark := run(99, 18)
	mark("state:ps4")
	d := r.Compute()
	if len(d.States) != 1 {
		t.Fatalf("states %+v, withheld %v", d.States, d.Withheld)
	}
	s := d.States[0]
	if s.Reached.Reached || !s.IOWatched || math.Abs(s.BeforeW-0.7) > 1e-6 || math.Abs(s.AfterW-0.7) > 1e-6 {
		t.Errorf("%+v", s)
	}
	if s.BeforeStartMonoNs != host(19) || s.BeforeEndMonoNs != host(21) || s.StartMonoNs != host(21) || s.EndMonoNs != host(33) {
		t.Errorf("windows %+v", s)
	}
	r, mark = run(30, 18)
	mark("state:ps4")
	if d = r.Compute(); len(d.States) != 1 || d.States[0].EndMonoNs != host(30) || d.States[0].Reached.Reached {
		t.Errorf("with IO again at 30 s: %+v, withheld %v", d.States, d.Withheld)
	}
	r, mark = run(99, 19.5)
	mark("state:ps4")
	if d = r.Compute(); len(d.States) != 0 || !strings.Contains(withheld(t, d, "states.ps4"), "IO reached the drive before ps4 was asked for") {
		t.Errorf("with IO until 1.5 s before the mark: %+v", d.States)
	}
}
