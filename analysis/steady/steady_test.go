package steady

import (
	"fmt"
	"strings"
	"testing"
)

// Series of one variable each, and the window that a hand finds. Beside each stands the
// window that decides and, where the one before is close, why that fails; E is the
// excursion of the fit and R the range, both over the mean. The slope of five rounds is
// (−2a − b + d + 2e)/10, E four times that; of four (−3a − b + c + 3d)/10, E three times.
func TestSeriesByHand(t *testing.T) {
	for _, c := range []struct {
		name        string
		profile     string
		y           []float64
		first, last int // 0: never
		why         string
	}{
		// mean 100, R = E = 0
		{"flat from the start", "snia", []float64{100, 100, 100, 100, 100, 100}, 1, 5, ""},
		// 200 … 120: mean 160, R 50 %. 180 … 100: 140, 57 %. 160 … 100: 100 120 140 160 in it, R 60/124.
		// 140 120 100 100 100: 112, R 35.7 %. 120 100 100 100 100: mean 104, R 20/104 = 19.2 %, slope
		// (−240 − 100 + 100 + 200)/10 = −4, E 16/104 = 15.4 %: still not. Then five of 100.
		{"falling, then flat", "snia", []float64{200, 180, 160, 140, 120, 100, 100, 100, 100, 100}, 6, 10, ""},
		// of the same, four: 140 120 100 100: mean 115, slope (−420 − 120 + 100 + 300)/10 = −14, E 42/115 =
		// 36.5 %. 120 100 100 100: mean 105, slope (−360 − 100 + 100 + 300)/10 = −6, E 18/105 = 17.1 % ≤ 20 %.
		{"falling, then flat, four rounds", "review4", []float64{200, 180, 160, 140, 120, 100, 100, 100, 100, 100}, 5, 8, ""},
		// 50 60 70 80 90: R 57 %. 60 … 100: 50 %. 70 80 90 100 100: mean 88, R 34 %. 80 90 100 100 100: 94,
		// R 21.3 %. 90 100 100 100 100: mean 98, R 10.2 %, slope (−180 − 100 + 100 + 200)/10 = 2, E 8/98 = 8.2 %.
		{"rising, then flat", "snia", []float64{50, 60, 70, 80, 90, 100, 100, 100, 100}, 5, 9, ""},
		// 91 109 91 109 91: mean 98.2, R 18/98.2 = 18.3 %, slope 0 by symmetry
		{"swinging within 20 %", "snia", []float64{91, 109, 91, 109, 91, 109}, 1, 5, ""},
		// 89 111 89 111 89: mean 97.8, R 22/97.8 = 22.5 %; 111 89 111 89 111: mean 102.2, R 21.5 %, for ever
		{"swinging wider", "snia", []float64{89, 111, 89, 111, 89, 111, 89, 111}, 0, 0, "range 21.5 % of the mean, 1.5 points above the 20 % of snia"},
		// the last five, 68.02 64.62 61.39 58.32 55.40: a fall by 5 % a round. Mean 61.55, R 12.62/61.55 =
		// 20.5 %, slope (−136.04 − 64.62 + 58.32 + 110.80)/10 = −3.154, E 12.62/61.55 = 20.5 %: both, for ever.
		{"falling for ever", "snia", []float64{79.38, 75.41, 71.60, 68.02, 64.62, 61.39, 58.32, 55.40}, 0, 0, "range 20.5 % of the mean, 0.5"},
		// 150 105 102.5 100 97.5: mean 111, R 47 %. 105 102.5 100 97.5 95: mean 100, E 10 %: the limit is in it
		{"at the limit of the fit", "snia", []float64{150, 105, 102.5, 100, 97.5, 95}, 2, 6, ""},
		// 100 90 110 100 100: mean 100, R 20 % at the limit, slope (−200 − 90 + 100 + 200)/10 = 1, E 4 %
		{"at the limit of the range", "snia", []float64{100, 90, 110, 100, 100}, 1, 5, ""},
		// a round of nothing stands in the windows that end with 3 to 7; 4 … 8 is free of it
		{"a round of nothing", "snia", []float64{100, 100, 0, 100, 100, 100, 100, 100}, 4, 8, ""},
		// rounds 1 to 4 are steady, and 4 is lost: 5 … 9 is the first whole window
		{"a round that is missing", "snia", []float64{100, 100, 100, none, 100, 100, 100, 100, 100}, 5, 9, ""},
		{"nothing at all", "snia", []float64{0, 0, 0, 0, 0, 0}, 0, 0, "round 2 is 0, and nothing is not steady"},
		{"too few", "snia", []float64{100, 100, 100, 100}, 0, 0, "4 of the 5 rounds of a window were done"},
		// 1 … 5 were steady; that the drive falls to a half in round 7 takes nothing back
		{"a fall afterwards", "snia", []float64{100, 100, 100, 100, 100, 100, 50, 50}, 1, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			online := NewTracker(rule(t, c.profile))
			for i, v := range c.y {
				online.Add(v)
				first, last, ok := online.Steady()
				if want := c.last > 0 && i+1 >= c.last; ok != want || ok && (first != c.first || last != c.last) {
					t.Errorf("after round %d: %v, rounds %d to %d; want %d to %d", i+1, ok, first, last, c.first, c.last)
				}
			}
			whole := Judge(Input{Group: "g", Rule: rule(t, c.profile), Planned: MaxRounds, Variables: []Variable{{Step: "v", IOPS: c.y, Watts: c.y}}})[0]
			if reached := whole.Verdict == Reached; reached != (c.last > 0) || reached && (whole.FirstRound != c.first || whole.LastRound != c.last) {
				t.Errorf("as a whole: %s, rounds %d to %d", whole.Verdict, whole.FirstRound, whole.LastRound)
			}
			if !strings.Contains(whole.Why, c.why) || (whole.Why == "") != (c.last > 0) {
				t.Errorf("why: %q, want %q", whole.Why, c.why)
			}
		})
	}
}

// Three variables have to be steady in the very same window. The first is from round 1 on,
// the second from round 3 on (before that its range is more than 20 %), and the third is in
// rounds 1 to 5 and loses round 6, so that its next window ends with round 11.
func TestAllVariablesInOneWindow(t *testing.T) {
	a := []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	b := []float64{200, 150, 100, 100, 100, 100, 100, 100, 100, 100, 100}
	c := []float64{100, 100, 100, 100, 100, none, 100, 100, 100, 100, 100}
	input := func(rounds int) Input {
		return Input{Group: "g", Rule: rule(t, "snia"), Planned: 25, Variables: []Variable{
			{Step: "a", IOPS: a[:rounds], Watts: a[:rounds]}, {Step: "b", IOPS: b[:rounds], Watts: a[:rounds]}, {Step: "c", IOPS: c[:rounds], Watts: a[:rounds]},
		}}
	}
	for _, r := range Judge(input(11)) {
		if r.Verdict != Reached || r.FirstRound != 7 || r.LastRound != 11 || r.Reasons() != "steady over rounds 7 to 11 (snia)" {
			t.Errorf("%s: %s, %s", r.Step, r.Verdict, r.Reasons())
		}
	}
	got := Judge(input(10))
	for i, why := range []string{
		"steady itself, but not together with c", "steady itself, but not together with c", "round 6 left no figure",
	} {
		if r := got[i]; r.Verdict != NotReached || r.Why != why || r.FirstRound != 6 || r.LastRound != 10 {
			t.Errorf("%s after ten rounds: %s over %d to %d, %q, want %q", r.Step, r.Verdict, r.FirstRound, r.LastRound, r.Why, why)
		}
	}
	if want := "not steady by snia after 10 of 25 rounds: round 6 left no figure"; got[2].Reasons() != want {
		t.Errorf("%q, want %q", got[2].Reasons(), want)
	}
}

// Power stands beside, judged by the same rule: IOPS that are flat while the watts fall by
// 3 % of 6 W a round are steady, and their power is not: slope −0.18 W, E 0.72/5.64 = 12.8 %.
func TestPowerIsJudgedBesideAndDoesNotDecide(t *testing.T) {
	iops := []float64{100, 100, 100, 100, 100}
	r := Judge(Input{Rule: rule(t, "snia"), Planned: 25, Variables: []Variable{{Step: "v", IOPS: iops, Watts: []float64{6, 5.82, 5.64, 5.46, 5.28}}}})[0]
	if r.Verdict != Reached || r.PowerW == nil || r.PowerW.Steady || !strings.Contains(r.PowerW.Why, "fitted line over 12.8 % of the mean") {
		t.Fatalf("%+v, power %+v", r, r.PowerW)
	}
	near(t, "mean power", r.PowerW.Mean, 5.64)
	near(t, "its slope", r.PowerW.SlopePerRound, -0.18)
	row := Table([]*Result{r})
	if got := row.At(0, "power").Text + "; " + row.At(0, "why").Text; !strings.HasPrefix(got, "not steady; power: fitted line") {
		t.Errorf("in the table: %q", got)
	}
	// a round of which no power is known leaves the rest unjudged, and none at all is withheld
	r = Judge(Input{Rule: rule(t, "snia"), Variables: []Variable{{Step: "v", IOPS: iops, Watts: []float64{6, 6, none, 6, 6}}}})[0]
	if r.Verdict != Reached || r.PowerW.Steady || r.PowerW.Why != "round 3 left no figure" {
		t.Errorf("one without power: %+v", r.PowerW)
	}
	r = Judge(Input{Rule: rule(t, "snia"), Variables: []Variable{{Step: "v", IOPS: iops, Watts: []float64{none, none, none, none, none}}}})[0]
	if r.PowerW != nil || len(r.Withheld) != 1 || r.Withheld[0].What != "steady.v.power_w" {
		t.Errorf("none with power: %+v, %v", r.PowerW, r.Withheld)
	}
}

// No round at all, as of a run that ended in its first one.
func TestNoRound(t *testing.T) {
	r := Judge(Input{Rule: rule(t, "snia"), Planned: 25, Variables: []Variable{{Step: "v"}}})[0]
	if r.Verdict != NotReached || r.Why != "no round was done to its end" || r.LastRound != 0 || r.PowerW != nil {
		t.Errorf("%+v", r)
	}
	if table := Table([]*Result{r}); table.At(0, "window").Why != r.Why || fmt.Sprint(table.At(0, "verdict").Text) != "not reached" {
		t.Errorf("in the table: %+v", table.Rows)
	}
}
