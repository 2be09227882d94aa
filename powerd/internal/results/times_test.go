package results_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
)

// burstAt is a start-up at 1.1 s of the run whose 5 V current has one burst of 20 ms, in
// the middle of which it is at atS. After stolenAtS the module's stripes are of stolenS
// later than their number says.
func burstAt(atS, stolenAtS, stolenS float64) func(float64) []reading {
	up := rampUp(1.1)
	return func(s float64) []reading {
		if stolenS > 0 && s > stolenAtS {
			s += stolenS
		}
		r := up(s)
		if math.Abs(s-atS) < 10e-3 {
			r[0][1] = 1_500_000
		}
		return r
	}
}

// startUpWith records a power cycle from 1 s to 10 s of the run whose module stood still
// for stolenS at 4 s, and returns what is said of it.
func startUpWith(t *testing.T, stolenS float64) *results.Document {
	t.Helper()
	r := record(t, meta())
	r.DriveFile("drive.yaml", "name: acme\nrails: [5v, 12v]\nclaims:\n"+
		"  - {name: start-5v, quantity: start_current, kind: max, value: 0.9 A, rail: 5v, window: unstated, source: manual}\n")
	r.Stream(source{ToS: 11, PeriodNs: 64_000, Draw: burstAt(7, 4, stolenS), StolenAtS: 4, StolenS: stolenS, EndReason: "done"})
	r.Event(results.StepStart(host(0.5), results.StepMark{Step: "up", Group: "up", Kind: "power_cycle"}))
	r.Powered("up", true, 1.0999)
	r.Event(results.StepEnd(host(10), "up", results.Completed, ""))
	r.Ended(11)
	return r.Compute()
}

// The burst's middle is at 7 s, the rails rise at 1.1 s and have 1 % a millisecond later:
// 5.899 s. A module that stood still for a while, or stripes that vanished and nothing
// counted, put it that much earlier in the trace: the ± must hold that. Without, it is a
// rate's: far below a millisecond and a stripe of 64 µs.
func TestTimesHoldWhatVanishedInSilence(t *testing.T) {
	const want = 7 - 1.101
	for _, stolenS := range []float64{0, 2e-3, 20e-3, 50e-3, 0.4} {
		t.Run(fmt.Sprint(stolenS), func(t *testing.T) {
			d := startUpWith(t, stolenS)
			five := d.Inrush.Cycles[0].Rails["5v"]
			for _, p := range five.Peaks {
				if p.WindowUs > 20e3 {
					continue // longer than the burst
				}
				if p.AtU95S == nil || math.Abs(*p.AtS-want) > *p.AtU95S+10e-3 { // a short window lies anywhere in the burst
					t.Errorf("peak over %g µs at %v ± %v s, is at %.4f", p.WindowUs, value(p.AtS), value(p.AtU95S), want)
				}
				if stolenS == 0 && *p.AtU95S > 5e-3 {
					t.Errorf("nothing is missing, and the peak over %g µs is placed within ± %g s", p.WindowUs, *p.AtU95S)
				}
			}
			// 0.5 A beside the burst and 1.5 A in it: a mean over 10 ms is above 0.9 A where
			// more than 4 ms of it lie in the burst, from 11 ms before its middle to 11 after.
			if len(five.Above) == 0 && stolenS > 0.09 { // 0.4 s of 8.9 have no samples, and that is known
				if why := withheld(t, d, "inrush.up.rails.5v.above"); !strings.Contains(why, "samples cover 95.5 %") {
					t.Errorf("above is withheld since %q", why)
				}
				return
			}
			a := five.Above[0]
			if a.FirstU95S == nil || math.Abs(*a.FirstS-(want-11e-3)) > *a.FirstU95S+2e-3 || math.Abs(*a.LastS-(want+11e-3)) > *a.LastU95S+2e-3 {
				t.Errorf("above from %v ± %v to %v ± %v s", value(a.FirstS), value(a.FirstU95S), value(a.LastS), value(a.LastU95S))
			}
			if a.TotalU95S == nil || math.Abs(a.TotalS-22e-3) > *a.TotalU95S+2e-3 {
				t.Errorf("above for %g ± %v s, is 22 ms", a.TotalS, value(a.TotalU95S))
			}
		})
	}
}

// 1.2 s of the 8.9 from the rise to the end are gone, and the arrivals tell: samples cover
// 86.5 % of the power-up, which is too little for a peak or a time above a limit.
func TestTimesOfATornStartUpAreWithheld(t *testing.T) {
	d := startUpWith(t, 1.2)
	if d.Inrush == nil {
		t.Fatal(d.Withheld)
	}
	five := d.Inrush.Cycles[0].Rails["5v"]
	for _, p := range five.Peaks {
		if p.AtS != nil || p.WattsAtS != nil {
			t.Errorf("peak over %g µs at %g s", p.WindowUs, *p.AtS)
		}
	}
	if len(five.Above) > 0 {
		t.Errorf("times above a limit: %+v", five.Above)
	}
	for _, what := range []string{"inrush.up.rails.5v.peaks", "inrush.up.rails.5v.above"} {
		if why := withheld(t, d, what); !strings.Contains(why, "samples cover 86.5 %") {
			t.Errorf("%s: %s", what, why)
		}
	}
}

func value(x *float64) any {
	if x == nil {
		return "nothing"
	}
	return *x
}
