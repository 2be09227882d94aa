package idle

import (
	"fmt"
	"math"

	"powerd/analysis"
)

// Reached is what the trace says of a power state that a drive was asked for.
type Reached struct {
	Asked   string  `json:"asked"` // "ps4"
	Reached bool    `json:"reached"`
	BeforeW float64 `json:"before_w"`
	AfterW  float64 `json:"after_w"`
	Text    string  `json:"text"`
}

// Compare says whether the power changed when a drive was asked for a state. A label is
// given with evidence only: the mean powers before and after must lie further apart
// than their scatter allows, and than a twentieth of the larger one, since drives drift.
// Only noise counts: one module read both, and what it is off by is in both. why says
// what is missing to compare them; empty if nothing is.
func Compare(asked string, before, after *Figures) (r Reached, why string) {
	switch {
	case before == nil || after == nil || before.MeanW == nil || after.MeanW == nil:
		return Reached{Asked: asked}, "samples before or after the mark are missing"
	case before.U95NoiseW == nil || after.U95NoiseW == nil:
		return Reached{Asked: asked}, "the time before or after the mark is too short to tell its scatter"
	}
	b, a := *before.MeanW, *after.MeanW
	r = Reached{Asked: asked, BeforeW: b, AfterW: a}
	u := math.Hypot(*before.U95NoiseW, *after.U95NoiseW)
	r.Reached = math.Abs(a-b) > max(u, matters*max(math.Abs(a), math.Abs(b)))
	verdict := "not reached"
	if r.Reached {
		verdict = "reached"
	}
	r.Text = fmt.Sprintf("asked for %s, %s: %s before, %s after", asked, verdict, watts(b), watts(a))
	return r, ""
}

// watts writes a power to the place that people compare: 0.70 W, 0.0350 W.
func watts(w float64) string {
	if math.Abs(w) >= 0.1 {
		return analysis.Decimal(w, 2) + " W"
	}
	return analysis.FormatValue(w, 0, 3) + " W"
}

// StatesTable returns the states that a drive was asked for as rows.
func StatesTable(states []Reached) *analysis.Table {
	t := &analysis.Table{
		Name: "states", Title: "Power states asked for",
		Columns: []analysis.Column{
			{Name: "asked", Head: "State", Kind: analysis.Key},
			{Name: "before_w", Head: "Before", Unit: "W"},
			{Name: "after_w", Head: "After", Unit: "W"},
			{Name: "text", Head: "What the trace says", Kind: analysis.Text},
		},
		Notes: []string{"a state is called reached where the power changed by more than its scatter and by a twentieth"},
	}
	for _, s := range states {
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{
			analysis.Word(s.Asked), analysis.Val(s.BeforeW), analysis.Val(s.AfterW), analysis.Word(s.Text),
		}})
	}
	return t
}
