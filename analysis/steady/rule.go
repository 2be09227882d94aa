package steady

import (
	"fmt"
	"math"
	"strings"
)

// Rule is what a window has to meet. Limits are relative to its mean, and inclusive.
type Rule struct {
	Name     string
	Rounds   int     // of a window
	MaxRange float64 // highest − lowest; 0 = not judged
	MaxFit   float64 // highest − lowest of the fitted line
}

// MaxRounds is after how many rounds a test ends that is not steady.
const MaxRounds = 25

// Rules lists the rules; doc.go has their sources.
func Rules() []Rule {
	return []Rule{
		{Name: "snia", Rounds: 5, MaxRange: 0.20, MaxFit: 0.10},
		{Name: "review4", Rounds: 4, MaxFit: 0.20},
	}
}

// RuleOf returns the rule of a name; ok is false if there is none.
func RuleOf(name string) (r Rule, ok bool) {
	for _, r := range Rules() {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{}, false
}

// Text says what the rule wants.
func (r Rule) Text() string {
	text := fmt.Sprintf("%d rounds, the fitted line within %g %% of the mean from end to end", r.Rounds, 100*r.MaxFit)
	if r.MaxRange > 0 {
		text += fmt.Sprintf(", all within %g %%", 100*r.MaxRange)
	}
	return text
}

// Series is what a rule says of one variable over a window, in the variable's unit, with
// the JSON keys of results.json. Figures are nil where the window does not carry them.
type Series struct {
	Mean          *float64 `json:"mean,omitempty"`
	Min           *float64 `json:"min,omitempty"`
	Max           *float64 `json:"max,omitempty"`
	SlopePerRound *float64 `json:"slope_per_round,omitempty"` // negative: falling
	RangeRel      *float64 `json:"range_rel,omitempty"`       // (max − min)/mean
	FitRel        *float64 `json:"fit_rel,omitempty"`         // |slope|·(rounds − 1)/mean
	Steady        bool     `json:"steady"`
	Why           string   `json:"why,omitempty"` // not: what it fails, and by how much
}

// rounding is what two sides of an inclusive limit may differ by in the last places.
const rounding = 1e-9

// Judge holds one figure a round, the first of which is of round first, against the rule.
// NaN is a round that left none.
func (r Rule) Judge(first int, y []float64) Series {
	if len(y) != r.Rounds {
		return Series{Why: fmt.Sprintf("%d of the %d rounds of a window were done", len(y), r.Rounds)}
	}
	for i, v := range y {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return Series{Why: fmt.Sprintf("round %d left no figure", first+i)}
		case v <= 0:
			return Series{Why: fmt.Sprintf("round %d is %g, and nothing is not steady", first+i, v)}
		}
	}
	mean, lowest, highest := 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range y {
		mean += v / float64(len(y))
		lowest, highest = min(lowest, v), max(highest, v)
	}
	slope := slope(y, mean)
	out := Series{Mean: &mean, Min: &lowest, Max: &highest, SlopePerRound: &slope}
	spread, fit := (highest-lowest)/mean, math.Abs(slope)*float64(len(y)-1)/mean
	out.RangeRel, out.FitRel = &spread, &fit
	var why []string
	beyond := func(what string, is, most float64) {
		if is > most*(1+rounding) {
			why = append(why, fmt.Sprintf("%s %.1f %% of the mean, %s points above the %g %% of %s", what, 100*is, points(100*(is-most)), 100*most, r.Name))
		}
	}
	if r.MaxRange > 0 {
		beyond("range", spread, r.MaxRange)
	}
	beyond("fitted line over", fit, r.MaxFit)
	out.Steady, out.Why = len(why) == 0, strings.Join(why, "; ")
	return out
}

// points writes how far beyond a limit a figure is: a little is not none.
func points(x float64) string {
	if x < 1 {
		return fmt.Sprintf("%.2g", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// slope returns that of the least-squares line through equally spaced y, a round.
func slope(y []float64, mean float64) float64 {
	middle := float64(len(y)-1) / 2
	products, squares := 0.0, 0.0
	for i, v := range y {
		x := float64(i) - middle
		products += x * (v - mean)
		squares += x * x
	}
	return products / squares
}

// Line returns the fitted line at the first and the last round of the window; ok is false
// if there is none.
func (s *Series) Line(first, last int) (from, to float64, ok bool) {
	if s.Mean == nil || s.SlopePerRound == nil {
		return 0, 0, false
	}
	half := *s.SlopePerRound * float64(last-first) / 2
	return *s.Mean - half, *s.Mean + half, true
}
