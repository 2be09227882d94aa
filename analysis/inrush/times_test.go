package inrush

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// hill is a rail at 5 V whose current rises evenly from 0 to 1 A in a second, stays for
// another and falls back in a third, in stripes of 1 ms, after 10 ms without power. From
// stripe lost[0] on, up to lost[1], nothing comes.
func hill(t *testing.T, o Options, lost [2]int) (*Cycle, Above) {
	t.Helper()
	blocks := []*quarch.Block{{PeriodNs: 1e6, Traces: []quarch.Trace{{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}}}}
	for k := range 3210 {
		volts, amps := int32(5000), int32(0)
		switch ms := k - 10; {
		case ms < 0:
			volts = 0
		case ms < 1000:
			amps = int32(ms * 1000)
		case ms < 2000:
			amps = 1e6
		case ms < 3000:
			amps = int32((3000 - ms) * 1000)
		}
		if k == lost[0] && lost[1] > 0 {
			blocks = append(blocks, &quarch.Block{First: uint64(lost[1]), Lost: uint64(lost[1] - lost[0]), PeriodNs: 1e6, Traces: []quarch.Trace{{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}}})
		}
		if k >= lost[0] && k < lost[1] {
			continue
		}
		tr := &blocks[len(blocks)-1].Traces[0]
		tr.V, tr.A = append(tr.V, volts), append(tr.A, amps)
	}
	o.Step = "cycle"
	c := analyze(t, 1e6, o, 1e12, blocks...)
	if len(c.Rails[quarch.Rail5V].Above) != 1 {
		t.Fatalf("withheld: %v", c.Withheld)
	}
	return c, c.Rails[quarch.Rail5V].Above[0]
}

func limit(amps float64) map[quarch.Rail][]float64 {
	return map[quarch.Rail][]float64{quarch.Rail5V: {amps}}
}

// The current passes 0.5 A at 0.5 s and at 2.5 s at 1 A/s. A module that may be 20 mA
// wrong there, 2·(0 + 17.32 mA)/√3, leaves 20 ms open at either end, and 40 ms of the
// time between.
func TestTimesAboveALimitAreAsGoodAsTheModule(t *testing.T) {
	_, exact := hill(t, Options{LimitsA: limit(0.5)}, [2]int{})
	near(t, "first", exact.FirstS, 0.5, 2e-3)
	near(t, "its ± of a module without error, a stripe", exact.FirstU95S, 1e-3, 1e-4)
	near(t, "last", exact.LastS, 2.5, 2e-3)
	near(t, "total", &exact.TotalS, 2.0, 3e-3)

	_, a := hill(t, Options{LimitsA: limit(0.5), Accuracy: accuracy.Spec{OffsetAmps: 17.32e-3}}, [2]int{})
	near(t, "± of first", a.FirstU95S, 20e-3, 2e-3)
	near(t, "± of last", a.LastU95S, 20e-3, 2e-3)
	near(t, "± of total", a.TotalU95S, 40e-3, 3e-3)
	near(t, "± of longest", a.LongestU95S, 40e-3, 3e-3)
}

// The highest, 1 A, lies 10 mA above the limit, and the module may be 20 mA wrong: it may
// not have been above at all, so there is no first. The time above, 1.02 s, may be none.
func TestWhatMayNotHaveBeenAboveHasNoFirst(t *testing.T) {
	c, a := hill(t, Options{LimitsA: limit(0.99), Accuracy: accuracy.Spec{OffsetAmps: 17.32e-3}}, [2]int{})
	if a.FirstS != nil || a.LastS != nil {
		t.Errorf("first %v, last %v", a.FirstS, a.LastS)
	}
	if got := why(c, "inrush.cycle.rails.5v.above.0.99A.first_s"); !strings.Contains(got, "may not have been above") {
		t.Errorf("first is withheld because %q", got)
	}
	near(t, "total", &a.TotalS, 1.02, 15e-3)
	if a.TotalU95S == nil || *a.TotalU95S < a.TotalS {
		t.Errorf("± of total %v: it may be 0", a.TotalU95S)
	}
	_, below := hill(t, Options{LimitsA: limit(1.01), Accuracy: accuracy.Spec{OffsetAmps: 17.32e-3}}, [2]int{})
	if below.TotalS != 0 || below.TotalU95S == nil || *below.TotalU95S < 1 { // above 0.99 A for 1.02 s
		t.Errorf("above for %g ± %v s: it may have been a second", below.TotalS, below.TotalU95S)
	}
}

// 30 stripes are lost from 0.3 s on, before 0.5 A is reached: it may have been above in
// there, for 30 ms and the 10 ms of which no mean can be taken.
func TestAGapBeforeALimitIsReachedLeavesItOpen(t *testing.T) {
	_, a := hill(t, Options{LimitsA: limit(0.5)}, [2]int{310, 340})
	near(t, "first", a.FirstS, 0.5, 2e-3)
	near(t, "its ±", a.FirstU95S, 0.5-0.295, 3e-3)
	near(t, "± of total", a.TotalU95S, 40e-3, 2e-3)
	near(t, "± of last, which no gap follows", a.LastU95S, 1e-3, 1e-4)
}

// A place that the clock's rate leaves unsure says so.
type unsure struct {
	clock
	u95S float64
}

func (c unsure) SecondsBetween(a, b float64) (s, u95S float64) {
	s, _ = c.clock.SecondsBetween(a, b)
	return s, c.u95S
}

// Peaks' times carry what the map says, and a stripe; where it says nothing, or more than
// a tenth of the cycle, there are none.
func TestTimesOfPeaksAreAsGoodAsTheMap(t *testing.T) {
	b := expand(t, "inrush_5v.rle", 4)
	end := int64(b.End()) * 4000
	for _, tc := range []struct {
		u95S float64
		want string
	}{{10e-6, ""}, {0.2 * float64(end) * 1e-9, "stood still"}, {math.Inf(1), "not placed"}} {
		a, err := New(unsure{clock{periodNs: 4000}, tc.u95S}, analysis.Window{EndNs: end}, Options{Step: "cycle"})
		if err != nil {
			t.Fatal(err)
		}
		a.Add(b)
		c := a.Result()
		p := c.Rails[quarch.Rail5V].Peaks[0]
		if tc.want == "" {
			near(t, "± of a peak's time", p.AtU95S, 14e-6, 1e-9)
			continue
		}
		if p.AtS != nil || !strings.Contains(why(c, "inrush.cycle.peaks.at_s"), tc.want) {
			t.Errorf("± %g s: at %v, withheld %v", tc.u95S, p.AtS, c.Withheld)
		}
		if row := Table([]*Cycle{c}).At(0, "at_s"); row.Valid || !strings.Contains(row.Why, tc.want) {
			t.Errorf("the table says %+v", row)
		}
	}
}
