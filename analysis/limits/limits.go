package limits

import (
	"fmt"

	"powerd/analysis"
)

// Kinds of claims.
const (
	KindMax     = "max"
	KindMin     = "min"
	KindTypical = "typical"
)

// Verdicts.
const (
	Pass         = "pass"
	Fail         = "fail"
	Inconclusive = "inconclusive"
)

// Claim is what a datasheet says.
type Claim struct {
	Name     string  // "inrush_12v"
	What     string  // "maximum start current, 12 V, mean over 10 ms"
	Kind     string  // KindMax, KindMin or KindTypical
	Limit    float64 // in Unit
	Unit     string  // "A", "W"
	WindowUs float64 // of the mean that the claim speaks of; 0 = none named
}

// Verdict is a claim with the figure held against it, with the JSON keys of
// results.json.
type Verdict struct {
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Kind     string   `json:"kind"`
	Limit    float64  `json:"limit"`
	Value    *float64 `json:"value,omitempty"`
	U95      *float64 `json:"u95,omitempty"` // absent = not stated
	Unit     string   `json:"unit"`
	WindowUs float64  `json:"window_us,omitempty"`
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why,omitempty"`
}

// Judge holds a figure in the claim's unit against it. why is the reason where
// value is nil; a nil u95 means that the error is not known.
func Judge(c Claim, value, u95 *float64, why string) Verdict {
	v := Verdict{
		Name: c.Name, What: c.What, Kind: c.Kind, Limit: c.Limit, Unit: c.Unit, WindowUs: c.WindowUs,
		Value: value, U95: u95, Verdict: Inconclusive,
	}
	switch {
	case value == nil && why == "":
		v.Why = "not measured"
	case value == nil:
		v.Why = why
	case u95 == nil:
		v.Why = "the figure's error is not known"
	default:
		v.Verdict, v.Why = compare(c, *value, *u95)
	}
	return v
}

func compare(c Claim, x, u float64) (verdict, why string) {
	over := x - c.Limit
	if c.Kind == KindMin {
		over = -over
	}
	switch {
	case c.Kind != KindMax && c.Kind != KindMin && c.Kind != KindTypical:
		return Inconclusive, fmt.Sprintf("no such kind of claim: %q", c.Kind)
	case c.Kind == KindTypical && over > u:
		return Inconclusive, fmt.Sprintf("above the typical value by %.3g %s, which is no limit", over, c.Unit)
	case over+u <= 0, c.Kind == KindTypical:
		return Pass, ""
	case over-u > 0:
		return Fail, fmt.Sprintf("beyond the limit by %.3g ± %.2g %s", over, u, c.Unit)
	}
	return Inconclusive, fmt.Sprintf("closer to the limit than its error: %+.3g ± %.2g %s", over, u, c.Unit)
}

// Table returns verdicts as rows.
func Table(verdicts []Verdict) *analysis.Table {
	t := &analysis.Table{
		Name: "limits", Title: "Against the datasheet",
		Columns: []analysis.Column{
			{Name: "name", Head: "Claim", Kind: analysis.Key},
			{Name: "what", Head: "Of", Kind: analysis.Text},
			{Name: "kind", Head: "Kind", Kind: analysis.Key},
			{Name: "limit", Head: "Limit"},
			{Name: "value", Head: "Measured"},
			{Name: "unit", Head: "Unit", Kind: analysis.Key},
			{Name: "verdict", Head: "Verdict", Kind: analysis.Key},
			{Name: "why", Head: "Why", Kind: analysis.Text},
		},
		Notes: []string{"pass and fail are said only where the whole 95 % interval lies on one side of the limit"},
	}
	for _, v := range verdicts {
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{
			analysis.Word(v.Name), analysis.Word(v.What), analysis.Word(v.Kind), analysis.Val(v.Limit),
			analysis.OptU(v.Value, v.U95, v.Why), analysis.Word(v.Unit), analysis.Word(v.Verdict), analysis.Word(v.Why),
		}})
	}
	return t
}
