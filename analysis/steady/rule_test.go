package steady

import (
	"math"
	"strings"
	"testing"
)

// none stands for a round that left no figure.
var none = math.NaN()

func rule(t *testing.T, name string) Rule {
	t.Helper()
	r, ok := RuleOf(name)
	if !ok {
		t.Fatalf("there is no rule %s", name)
	}
	return r
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s: %v, want %g", what, got, want)
	}
}

// The published vectors: five rounds, their mean, range and excursion in percent of it, and
// what both rules say; review4 looks at the last four.
//
// The slope of five rounds is (−2a − b + d + 2e)/10, the excursion four times that; of four
// rounds (−3a − b + c + 3d)/10, three times. So of 105 … 95: (−210 − 102.5 + 97.5 + 190)/10 =
// −2.5, 10 of 100. Of 100 100 120 100 100 the slope is 0 by symmetry; of its last four it is
// (−300 − 120 + 100 + 300)/10 = −2, 6 of 105 and so ± 2.9 % around the mean.
func TestPublishedVectors(t *testing.T) {
	for _, c := range []struct {
		y                 []float64
		mean, spread, fit float64 // of all five; of the mean
		snia              bool
		why               string
		mean4, fit4       float64 // of the last four
		review4           bool
		fitFrom, fitTo    float64 // ends of the line over five
	}{
		{[]float64{100, 100, 100, 100, 100}, 100, 0, 0, true, "", 100, 0, true, 100, 100},
		// the limit itself: 10/100 is 10 %, and within
		{[]float64{105, 102.5, 100, 97.5, 95}, 100, 0.10, 0.10, true, "", 98.75, 7.5 / 98.75, true, 105, 95},
		// (−220 − 105 + 95 + 180)/10 = −5: 20 of 100; of the last four, 15 of 97.5: 107.7 to 92.3 %
		{[]float64{110, 105, 100, 95, 90}, 100, 0.20, 0.20, false, "fitted line over 20.0 % of the mean, 10.0 points above the 10 % of snia", 97.5, 15 / 97.5, true, 110, 90},
		// (−190 − 105 + 105 + 190)/10 = 0; of the last four (−315 − 95 + 105 + 285)/10 = −2: 6 of 100
		{[]float64{95, 105, 95, 105, 95}, 99, 10.0 / 99, 0, true, "", 100, 0.06, true, 99, 99},
		{[]float64{100, 100, 120, 100, 100}, 104, 20.0 / 104, 0, true, "", 105, 6.0 / 105, true, 104, 104},
		// the last four: (−300 − 125 + 100 + 300)/10 = −2.5: 7.5 of 106.25
		{[]float64{100, 100, 125, 100, 100}, 105, 25.0 / 105, 0, false, "range 23.8 % of the mean, 3.8 points above the 20 % of snia", 106.25, 7.5 / 106.25, true, 105, 105},
	} {
		s := rule(t, "snia").Judge(1, c.y)
		near(t, "mean", s.Mean, c.mean)
		near(t, "range", s.RangeRel, c.spread)
		near(t, "excursion", s.FitRel, c.fit)
		if from, to, ok := s.Line(1, 5); !ok || math.Abs(from-c.fitFrom) > 1e-9 || math.Abs(to-c.fitTo) > 1e-9 {
			t.Errorf("%v: line from %g to %g, want %g to %g", c.y, from, to, c.fitFrom, c.fitTo)
		}
		if s.Steady != c.snia || s.Why != c.why {
			t.Errorf("%v by snia: %v (%q), want %v (%q)", c.y, s.Steady, s.Why, c.snia, c.why)
		}
		four := rule(t, "review4").Judge(2, c.y[1:])
		near(t, "mean of four", four.Mean, c.mean4)
		near(t, "excursion over four", four.FitRel, c.fit4)
		if four.Steady != c.review4 {
			t.Errorf("%v by review4: %v (%q), want %v", c.y[1:], four.Steady, four.Why, c.review4)
		}
	}
}

// The fit of review4 may touch 90 and 110 % of the mean: 110, 103⅓, 96⅔, 90 is a line from
// 110 to 90 around 100. One more on top and it is beyond: (−333 − 103⅓ + 96⅔ + 270)/10 =
// −6.9667, three times that of 100.25 are 20.85 %.
func TestReview4AtItsLimit(t *testing.T) {
	y := []float64{110, 100 + 10.0/3, 100 - 10.0/3, 90}
	if s := rule(t, "review4").Judge(1, y); !s.Steady {
		t.Errorf("at the limit: %s", s.Why)
	}
	y[0]++
	if s := rule(t, "review4").Judge(1, y); s.Steady || !strings.Contains(s.Why, "fitted line over 20.8 % of the mean, 0.85 points above the 20 % of review4") {
		t.Errorf("beyond it: %v, %q", s.Steady, s.Why)
	}
}

// Means and ratios do not depend on the unit: a limit that is met exactly in IOPS of 100 is
// met in 0.1 W steps that no binary fraction holds, too.
func TestLimitsAreInclusiveInAnyUnit(t *testing.T) {
	for _, unit := range []float64{1, 0.1, 1.0 / 3, 1e-6, 7e5} {
		falling, apart := []float64{105, 102.5, 100, 97.5, 95}, []float64{100, 90, 110, 100, 100}
		for i := range falling {
			falling[i], apart[i] = falling[i]*unit, apart[i]*unit
		}
		for _, y := range [][]float64{falling, apart} {
			if s := rule(t, "snia").Judge(1, y); !s.Steady {
				t.Errorf("%v: %s", y, s.Why)
			}
		}
	}
}

// A round that is zero, missing or no number is not steady, whatever its neighbours are:
// with a mean of 0 both tests read 0 ≤ 0.
func TestNothingIsNotSteady(t *testing.T) {
	for _, c := range []struct {
		y   []float64
		why string
	}{
		{[]float64{0, 0, 0, 0, 0}, "round 3 is 0, and nothing is not steady"},
		{[]float64{100, 100, 0, 100, 100}, "round 5 is 0"},
		{[]float64{100, none, 100, 100, 100}, "round 4 left no figure"},
		{[]float64{100, 100, math.Inf(1), 100, 100}, "round 5 left no figure"},
		{[]float64{100, -100, 100, 100, 100}, "round 4 is -100"},
		{[]float64{100, 100, 100, 100}, "4 of the 5 rounds of a window were done"},
	} {
		if s := rule(t, "snia").Judge(3, c.y); s.Steady || !strings.Contains(s.Why, c.why) || s.Mean != nil || s.FitRel != nil {
			t.Errorf("%v: %+v, want %q", c.y, s, c.why)
		}
	}
}

func TestRulesThatThereAre(t *testing.T) {
	if _, ok := RuleOf("sina"); ok {
		t.Error("a rule that was mistyped is there")
	}
	for name, want := range map[string]string{
		"snia":    "5 rounds, the fitted line within 10 % of the mean from end to end, all within 20 %",
		"review4": "4 rounds, the fitted line within 20 % of the mean from end to end",
	} {
		if got := rule(t, name).Text(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
