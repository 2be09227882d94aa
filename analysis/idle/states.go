package idle

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/window"
)

// Reached is what the trace says of a power state that a drive was asked for.
type Reached struct {
	Asked      string  `json:"asked"` // "ps4"
	Reached    bool    `json:"reached"`
	BeforeS    float64 `json:"before_s"` // length of what is compared
	BeforeW    float64 `json:"before_w"`
	BeforeU95W float64 `json:"before_u95_w"`
	AfterS     float64 `json:"after_s"`
	AfterW     float64 `json:"after_w"`
	AfterU95W  float64 `json:"after_u95_w"`
	ChangeW    float64 `json:"change_w"` // AfterW − BeforeW
	ChangeU95W float64 `json:"change_u95_w"`
	IOWatched  bool    `json:"io_watched"` // no IO reached the drive in either window; false = nobody looked
	Text       string  `json:"text"`
}

// Compare says whether the power changed when a drive was asked for a state. A label is
// given with evidence only: the mean powers before and after must lie further apart than
// the ± of their difference, and than a twentieth of the larger one, since drives drift.
// One module read both, so its offsets fall out of the difference. Both windows must be
// free of IO; watched says that somebody looked. why says what is missing to compare
// them; empty if nothing is.
func Compare(asked string, before, after *window.Stats, spec accuracy.Spec, watched bool) (r Reached, why string) {
	b, a := &before.Total, &after.Total
	switch {
	case !(b.Coverage >= analysis.RequiredCoverage && a.Coverage >= analysis.RequiredCoverage):
		return Reached{Asked: asked}, "samples before or after the mark are missing"
	case math.IsNaN(b.TypeAU95W) || math.IsNaN(a.TypeAU95W):
		return Reached{Asked: asked}, "the time before or after the mark is too short to tell its scatter"
	}
	scatter := func(s *window.Stats) float64 { return math.Hypot(s.Total.TypeAU95W, s.EdgeU95W()) }
	r = Reached{
		Asked: asked, IOWatched: watched, BeforeS: before.Window.Seconds(), BeforeW: b.MeanW, AfterS: after.Window.Seconds(), AfterW: a.MeanW,
		BeforeU95W: scatter(before), AfterU95W: scatter(after), ChangeW: a.MeanW - b.MeanW,
	}
	r.ChangeU95W = math.Hypot(r.BeforeU95W, r.AfterU95W)
	for i := range before.Rails {
		x := &before.Rails[i]
		y := after.Rail(x.Rail)
		if x.Unused || y == nil {
			continue
		}
		r.BeforeU95W = math.Hypot(r.BeforeU95W, spec.U95Watts(x.MeanV, x.MeanA))
		r.AfterU95W = math.Hypot(r.AfterU95W, spec.U95Watts(y.MeanV, y.MeanA))
		r.ChangeU95W = math.Hypot(r.ChangeU95W, spec.U95WattsChange(x.MeanV, x.MeanA, y.MeanV, y.MeanA))
	}
	r.judge()
	return r, ""
}

// judge says in words what came of the comparison.
func (r *Reached) judge() {
	change, least := math.Abs(r.ChangeW), matters*max(math.Abs(r.AfterW), math.Abs(r.BeforeW))
	verdict, but := "not reached", ""
	switch {
	case change <= r.ChangeU95W:
		but = ", which its ± does not tell from none"
	case change <= least:
		but = ", less than a twentieth, as drives drift"
	default:
		r.Reached, verdict = true, "reached"
	}
	if !r.IOWatched {
		but += "; whether IO ran meanwhile was not watched"
	}
	r.Text = fmt.Sprintf("asked for %s, %s: %s in %s before, %s in %s after, a change of %s W%s", r.Asked, verdict,
		watts(r.BeforeW), length(r.BeforeS), watts(r.AfterW), length(r.AfterS), analysis.FormatValue(r.ChangeW, r.ChangeU95W, 2), but)
}

// length writes a length of time to a tenth of a second.
func length(s float64) string { return analysis.Decimal(s, 1) + " s" }

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
			{Name: "change_w", Head: "Change", Unit: "W"},
			{Name: "before_s", Head: "Time before", Unit: "s"},
			{Name: "after_s", Head: "Time after", Unit: "s"},
			{Name: "text", Head: "What the trace says", Kind: analysis.Text},
		},
		Notes: []string{
			"a state is called reached where the power changed by more than the ± of the change and by a twentieth; time in which IO reached the drive, and a second after it, is left out",
			"± of the change: scatter, borders, and the module's gain; the module's offsets are the same before and after, and fall out",
		},
	}
	for _, s := range states {
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{
			analysis.Word(s.Asked), analysis.ValU(s.BeforeW, s.BeforeU95W), analysis.ValU(s.AfterW, s.AfterU95W), analysis.ValU(s.ChangeW, s.ChangeU95W),
			analysis.Val(s.BeforeS), analysis.Val(s.AfterS), analysis.Word(s.Text),
		}})
	}
	return t
}
