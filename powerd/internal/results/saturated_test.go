package results_test

import (
	"strings"
	"testing"

	"powerd/quarch"
)

// A module of the HD family reads up to 13 A. A stripe at 13 A says that at least so much
// flowed: no figure of its window is given, be it one stripe of three thousand. Just
// below, at 12.999999 A, a reading is a reading; and a module of which no range is known is
// believed.
func TestBeyondTheRange(t *testing.T) {
	for _, c := range []struct {
		model string
		peak  int32 // µA of one stripe, at 2.5 s
		given bool
	}{
		{"HD Programmable Power Module +Triggering", 13_000_000, false},
		{"HD Programmable Power Module +Triggering", 12_999_999, true},
		{"Programmable Power Module", 7_500_000, false},
		{"Power Analysis Module", 13_000_000, true},
	} {
		m := meta()
		m.Module.Model = c.model
		r := record(t, m)
		r.Stream(source{ToS: 6, PeriodNs: 1_000_000, EndReason: "done", Draw: func(s float64) []reading {
			amps := int32(500_000)
			if s >= 2.4995 && s < 2.5005 {
				amps = c.peak
			}
			return []reading{{5000, amps}, {12_000, 0}}
		}})
		r.Step("hit", "idle", 1, 4, nil)
		r.Step("after", "idle", 4, 5, nil)
		d := r.Compute()
		want := 2
		if !c.given {
			want = 1
			if why := withheld(t, d, "idle.hit"); !strings.Contains(why, "the current of 5V reads") || !strings.Contains(why, "the end of the module's range") {
				t.Errorf("%s, %d µA: withheld because %q", c.model, c.peak, why)
			}
		}
		if len(d.Idles) != want {
			t.Errorf("%s, %d µA: %d idles, want %d; withheld %v", c.model, c.peak, len(d.Idles), want, d.Withheld)
		}
		near(t, "after", d.Idles[len(d.Idles)-1].Rails[quarch.Rail5V].MeanW, 2.5, 1e-12)
	}
}
