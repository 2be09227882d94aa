package limits

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// figure is one without a window.
func figure(value, u95 float64) Figure { return Figure{Value: &value, U95: &u95} }

// A maximum of 2 A with an error of 0.1 A: what lies at or below 1.9 A passes,
// above 2.1 A fails, between them nobody knows. A minimum is the mirror image. A
// typical value cannot be failed: a figure is within ± of it, above or below.
func TestVerdictsKeepTheGuardBand(t *testing.T) {
	tests := []struct {
		kind           string
		value          float64
		verdict, words string
	}{
		{KindMax, 1.80, Pass, JudgedWithin},
		{KindMax, 1.90, Pass, JudgedWithin},
		{KindMax, 1.95, Inconclusive, Inconclusive},
		{KindMax, 2.05, Inconclusive, Inconclusive},
		{KindMax, 2.11, Fail, JudgedAbove},
		{KindMin, 2.20, Pass, JudgedWithin},
		{KindMin, 2.05, Inconclusive, Inconclusive},
		{KindMin, 1.80, Fail, JudgedBelow},
		{KindTypical, 1.80, Inconclusive, JudgedBelow},
		{KindTypical, 1.95, Pass, JudgedWithin},
		{KindTypical, 2.05, Pass, JudgedWithin},
		{KindTypical, 2.50, Inconclusive, JudgedAbove},
		{"about", 1, Inconclusive, Inconclusive},
	}
	for _, tc := range tests {
		v := Judge(Claim{Quantity: IdleCurrent, Kind: tc.kind, Limit: 2, Unit: "A"}, figure(tc.value, 0.1))
		if v.Verdict != tc.verdict || v.Judged != tc.words {
			t.Errorf("%s 2 A, measured %g ± 0.1 A: %s, %s (%s), want %s, %s", tc.kind, tc.value, v.Verdict, v.Judged, v.Why, tc.verdict, tc.words)
		}
		if v.Verdict != Pass && v.Why == "" {
			t.Errorf("%s, measured %g: no reason", tc.kind, tc.value)
		}
	}
}

// The published drive idles at 2.981 W, its datasheet says 2.72 W: 0.261 W or 9.6 %
// more, five times what a module of 1 % and 2 mA can be wrong by (52 mW).
func TestIdleOfThePublishedDrive(t *testing.T) {
	c := Claim{Quantity: IdlePower, Kind: KindTypical, Limit: 2.72, Unit: "W", Rail: RailTotal}
	v := Judge(c, figure(2.981, 0.052))
	if v.Judged != JudgedAbove || v.Verdict != Inconclusive || v.Why != "above the typical value by 0.261 ± 0.052 W (+9.6 %), which is no limit" {
		t.Errorf("%s, %s: %s", v.Judged, v.Verdict, v.Why)
	}
	c.Kind = KindMax // read as a limit
	if v := Judge(c, figure(2.981, 0.052)); v.Verdict != Fail || v.Why != "above the limit by 0.261 ± 0.052 W" {
		t.Errorf("%s: %s", v.Verdict, v.Why)
	}
}

// Exactly at the limit the odds are even. One standard deviation, U95/2, beyond it
// they are 84.1 %.
func TestProbabilityBeyondTheLimit(t *testing.T) {
	for _, tc := range []struct{ value, want float64 }{{2, 0.5}, {2.05, 0.8413}, {1.95, 0.1587}, {3, 1}} {
		v := Judge(Claim{Quantity: IdleCurrent, Kind: KindMax, Limit: 2, Unit: "A"}, figure(tc.value, 0.1))
		if v.PBeyond == nil || math.Abs(*v.PBeyond-tc.want) > 1e-4 {
			t.Errorf("%g ± 0.1 A: %v, want %g", tc.value, v.PBeyond, tc.want)
		}
	}
	v := Judge(Claim{Quantity: IdleCurrent, Kind: KindMax, Limit: 2, Unit: "A"}, figure(2.05, 0.1))
	if v.Why != "closer to the limit than its ±; 84 % that the true value is above it" {
		t.Error(v.Why)
	}
}

func TestWithoutFigureOrErrorNothingIsConcluded(t *testing.T) {
	c := Claim{Name: "idle", Quantity: IdlePower, Kind: KindMax, Limit: 2, Unit: "W"}
	for _, tc := range []struct {
		f    []Figure
		want string
	}{
		{nil, "not measured"},
		{[]Figure{{}}, "not measured"},
		{[]Figure{{Why: "below resolution"}}, "below resolution"},
		{[]Figure{{Value: new(1.0)}}, "the figure's error is not known"},
		{[]Figure{{Value: new(1.0), U95: new(math.NaN())}}, "the figure's error is not known"},
		{[]Figure{{Value: new(1.0), U95: new(0.1), Why: "12 stripes were lost"}}, "12 stripes were lost"},
	} {
		v := Judge(c, tc.f...)
		if v.Verdict != Inconclusive || v.Judged != Inconclusive || v.Why != tc.want || v.PBeyond != nil {
			t.Errorf("%+v: %+v", tc.f, v)
		}
	}
}

// peaks are the highest means of a start, by their windows.
func peaks(u95 float64, amps ...float64) []Figure {
	var out []Figure
	for i, us := range []float64{4, 100, 1e3, 10e3, 100e3, 500e3, 1e6} {
		if i < len(amps) {
			out = append(out, Figure{Value: &amps[i], U95: &u95, WindowUs: us, Raw: i == 0})
		}
	}
	return out
}

// The published drive's 5 V rail, from its plateaus: 1.04 A for 45 ms, between 0.36 A
// before and 0.62 A after, then 0.70 A for 700 ms; 4 mA leak beside all. Over 100 ms
// (45·1.04 + 55·0.62)/100 = 0.809 A, over 500 ms the 0.70 A plateau: 0.704 A, over 1 s
// (700·0.70 + 300·0.62)/1000 = 0.676 + 0.004 A. A datasheet of 0.7 A without a window
// is broken up to 100 ms, kept over 1 s, and at 500 ms nobody can tell: a program gets no
// verdict, and people read that it is above the datasheet, and over which windows.
func TestWhereNoWindowIsStatedEachIsJudged(t *testing.T) {
	c := Claim{Name: "start-current-5v", Quantity: StartCurrent, Kind: KindMax, Limit: 0.7, Unit: "A", Rail: "5v"}
	for _, tc := range []struct {
		name    string
		figures []Figure
		verdict string
		judged  string
		why     string
	}{
		{
			"the published drive", peaks(0.012, 1.060, 1.046, 1.045, 1.044, 0.809, 0.704, 0.680), Inconclusive, JudgedAbove,
			"no window stated: above the limit on windows up to 100 ms, too close to tell over 500 ms, within the limit over 1 s (the shortest is a single sample, and counts)",
		},
		{
			"a drive that keeps it", peaks(0.012, 0.6, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4), Pass, JudgedWithin,
			"no window stated: within the limit on every window from 4 µs to 1 s (the shortest is a single sample, and counts)",
		},
		{
			"a drive that never does", peaks(0.012, 1.6, 1.5, 1.5, 1.4, 1.4, 1.4, 1.4), Fail, JudgedAbove,
			"no window stated: above the limit on every window from 4 µs to 1 s (the shortest is a single sample, and counts)",
		},
		{
			"single samples alone break it", peaks(0.012, 0.8, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6), Inconclusive, JudgedAbove,
			"no window stated: above the limit over 4 µs, within the limit from 100 µs on (the shortest is a single sample, and counts)",
		},
	} {
		v := Judge(c, tc.figures...)
		if v.Verdict != tc.verdict || v.Judged != tc.judged || v.Why != tc.why || v.Value != nil {
			t.Errorf("%s: %s, %s, %v\n got %s\nwant %s", tc.name, v.Verdict, v.Judged, v.Value, v.Why, tc.why)
		}
		if len(v.Windows) != 7 || v.Windows[4].WindowUs != 100e3 {
			t.Errorf("%s: %+v", tc.name, v.Windows)
		}
	}
}

func TestAStatedWindowIsTheOnlyOneThatCounts(t *testing.T) {
	c := Claim{Quantity: StartCurrent, Kind: KindMax, Limit: 0.7, Unit: "A", Rail: "5v", WindowUs: 100e3}
	v := Judge(c, peaks(0.012, 1.060, 1.046, 1.045, 1.044, 0.809, 0.704)...)
	if v.Verdict != Fail || *v.Value != 0.809 || len(v.Windows) != 0 {
		t.Errorf("%+v", v)
	}
	c.WindowUs = 20e3
	if v := Judge(c, peaks(0.012, 1.060, 1.046)...); v.Verdict != Inconclusive || v.Why != "there is no peak over 20 ms" {
		t.Errorf("%+v", v)
	}
}

// A gap inside the trace may hide a higher peak: no window is judged, and the reason
// is said once.
func TestAGapLeavesEveryWindowOpen(t *testing.T) {
	fs := peaks(0.012, 0.5, 0.5, 0.5)
	for i := range fs {
		fs[i].Why = "12 stripes were lost"
	}
	v := Judge(Claim{Quantity: StartCurrent, Kind: KindMax, Limit: 0.7, Unit: "A"}, fs...)
	if v.Verdict != Inconclusive || !strings.HasPrefix(v.Why, "no window stated: 12 stripes were lost on every window from 4 µs to 1 ms") {
		t.Errorf("%+v", v)
	}
}

func TestClaimsAreToldAsTheyWereWritten(t *testing.T) {
	for _, tc := range []struct {
		limit float64
		unit  string
		want  string
	}{{0.7, "A", "at most 0.7 A"}, {2.72, "W", "at most 2.72 W"}, {110_000, "IOPS", "at most 110,000 IOPS"}, {1812, "MB/s", "at most 1812 MB/s"}} {
		if got := (Claim{Kind: KindMax, Limit: tc.limit, Unit: tc.unit}).Text(); got != tc.want {
			t.Errorf("%g: %s, want %s", tc.limit, got, tc.want)
		}
	}
}

// The table has a row for the claim and one for each window, told apart by name and
// window; the claim's own row names none.
func TestTableHasEveryWindow(t *testing.T) {
	c := Claim{Name: "start", Quantity: StartCurrent, Kind: KindMax, Limit: 0.7, Unit: "A", Rail: "5v", Source: "manual"}
	tab := Table([]Verdict{Judge(c, peaks(0.012, 1.060, 0.6)...)})
	if len(tab.Rows) != 3 {
		t.Fatalf("%d rows", len(tab.Rows))
	}
	for i, want := range []struct{ claimed, measured, window, judged string }{
		{"at most 0.7 A", "", "not stated", JudgedAbove},
		{"", "1.060 ± 0.012 A", "4 µs", JudgedAbove},
		{"", "0.600 ± 0.012 A", "100 µs", JudgedWithin},
	} {
		for column, text := range map[string]string{"claimed": want.claimed, "measured": want.measured, "window": want.window, "judged": want.judged} {
			if got := tab.At(i, column).Text; got != text {
				t.Errorf("row %d, %s: %q, want %q", i, column, got, text)
			}
		}
		if len(tab.Rows[i].Cells) != len(tab.Columns) {
			t.Errorf("row %d has %d cells for %d columns", i, len(tab.Rows[i].Cells), len(tab.Columns))
		}
	}
}

// A drive exactly at the limit, measured again and again with a 95 % interval:
// at most one in forty is called a pass.
func TestFalseAcceptanceAtTheLimit(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 4))
	passed := 0
	for range n {
		if Judge(Claim{Kind: KindMax, Limit: 2}, figure(2+0.05*r.NormFloat64(), 1.96*0.05)).Verdict == Pass {
			passed++
		}
	}
	// 2.5 % of 20,000 are 500, with a standard deviation of 22.
	if passed > 590 {
		t.Errorf("%d of %d passed", passed, n)
	}
}
