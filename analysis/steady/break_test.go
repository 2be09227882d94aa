package steady_test

import (
	"testing"

	"powerd/analysis/steady"
)

// Rounds that were broken off after the third: three flat ones and then five flat ones
// of another level. Without the break the rule would have to take rounds of both; with it
// the window is the five after, and while these are only four there is none, though
// rounds 3 to 7 are flat in the second series.
func TestNoWindowOverABreak(t *testing.T) {
	rule, _ := steady.RuleOf("snia") // 5 rounds, range at most 20 %, fit at most 10 %
	for _, c := range []struct {
		what        string
		iops        []float64
		breaks      []int
		first, last int // of the steady window; 0 = none
	}{
		{"two levels", []float64{100, 100, 100, 160, 160, 160, 160, 160}, []int{3}, 4, 8},
		{"flat all along, four rounds after", []float64{100, 100, 100, 100, 100, 100, 100}, []int{3}, 0, 0},
		{"flat all along, not broken off", []float64{100, 100, 100, 100, 100, 100, 100}, nil, 1, 5},
		{"steady before it was broken off", []float64{100, 100, 100, 100, 100, 300}, []int{5}, 1, 5},
		{"broken off twice", []float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}, []int{2, 4}, 5, 9},
		{"broken off before the first round", []float64{100, 100, 100, 100, 100}, []int{0}, 1, 5},
	} {
		in := steady.Input{Group: "g", Rule: rule, Planned: 25, Breaks: c.breaks, Variables: []steady.Variable{{Step: "s", IOPS: c.iops, Watts: c.iops}}}
		r := steady.Judge(in)[0]
		reached := c.first > 0
		if (r.Verdict == steady.Reached) != reached || reached && (r.FirstRound != c.first || r.LastRound != c.last) {
			t.Errorf("%s: %s over rounds %d to %d, want %d to %d", c.what, r.Verdict, r.FirstRound, r.LastRound, c.first, c.last)
		}
		if !reached && r.FirstRound != c.breaks[0]+1 {
			t.Errorf("%s: the latest window begins with round %d, before the break", c.what, r.FirstRound)
		}
	}
}
