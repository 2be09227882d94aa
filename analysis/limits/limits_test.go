package limits

import (
	"math/rand/v2"
	"testing"
)

// A maximum of 2 A with an error of 0.1 A: what lies at or below 1.9 A passes,
// above 2.1 A fails, between them nobody knows. A minimum is the mirror image.
func TestVerdictsKeepTheGuardBand(t *testing.T) {
	tests := []struct {
		kind  string
		value float64
		want  string
	}{
		{KindMax, 1.80, Pass},
		{KindMax, 1.90, Pass},
		{KindMax, 1.95, Inconclusive},
		{KindMax, 2.05, Inconclusive},
		{KindMax, 2.11, Fail},
		{KindMin, 2.20, Pass},
		{KindMin, 2.05, Inconclusive},
		{KindMin, 1.80, Fail},
		{KindTypical, 1.80, Pass},
		{KindTypical, 2.05, Pass},
		{KindTypical, 2.50, Inconclusive}, // a typical value cannot be failed
		{"about", 1, Inconclusive},
	}
	u := 0.1
	for _, tc := range tests {
		v := Judge(Claim{Kind: tc.kind, Limit: 2, Unit: "A"}, &tc.value, &u, "")
		if v.Verdict != tc.want {
			t.Errorf("%s 2 A, measured %g ± 0.1 A: %s (%s), want %s", tc.kind, tc.value, v.Verdict, v.Why, tc.want)
		}
		if v.Verdict != Pass && v.Why == "" {
			t.Errorf("%s, measured %g: no reason", tc.kind, tc.value)
		}
	}
}

func TestWithoutFigureOrErrorNothingIsConcluded(t *testing.T) {
	x := 1.0
	c := Claim{Name: "idle", Kind: KindMax, Limit: 2, Unit: "W"}
	for _, v := range []Verdict{Judge(c, nil, nil, "below resolution"), Judge(c, nil, nil, ""), Judge(c, &x, nil, "")} {
		if v.Verdict != Inconclusive || v.Why == "" {
			t.Errorf("%+v", v)
		}
	}
	tab := Table([]Verdict{Judge(c, nil, nil, "below resolution")})
	if cell := tab.At(0, "value"); cell.Valid || cell.Why != "below resolution" {
		t.Errorf("table cell %+v", cell)
	}
}

// A drive exactly at the limit, measured again and again with a 95 % interval:
// at most one in forty is called a pass.
func TestFalseAcceptanceAtTheLimit(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 4))
	passed := 0
	for range n {
		x, u := 2+0.05*r.NormFloat64(), 1.96*0.05
		if Judge(Claim{Kind: KindMax, Limit: 2}, &x, &u, "").Verdict == Pass {
			passed++
		}
	}
	// 2.5 % of 20,000 are 500, with a standard deviation of 22.
	if passed > 590 {
		t.Errorf("%d of %d passed", passed, n)
	}
}
