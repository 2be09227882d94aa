package limits

import "powerd/analysis"

// Table returns verdicts as rows: one a claim, and below a claim that names no window
// one for each that was judged.
func Table(verdicts []Verdict) *analysis.Table {
	t := &analysis.Table{
		Name: "limits", Title: "Claimed against measured",
		Columns: []analysis.Column{
			{Name: "name", Head: "Claim", Kind: analysis.Key},
			{Name: "what", Head: "Quantity", Kind: analysis.Text},
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "kind", Head: "Kind", Kind: analysis.Key},
			{Name: "claimed", Head: "Claimed", Kind: analysis.Text},
			{Name: "measured", Head: "Measured", Kind: analysis.Text},
			{Name: "window", Head: "Window", Kind: analysis.Text},
			{Name: "judged", Head: "Verdict", Kind: analysis.Text},
			{Name: "why", Head: "Why", Kind: analysis.Text},
			{Name: "of", Head: "Measured in", Kind: analysis.Text},
			{Name: "source", Head: "Source", Kind: analysis.Text},
			{Name: "limit", Head: "Limit"},
			{Name: "value", Head: "Value"},
			{Name: "unit", Head: "Unit", Kind: analysis.Key},
			{Name: "window_us", Head: "Window", Unit: "µs", Kind: analysis.Count},
			{Name: "p_beyond", Head: "P(beyond the limit)", Digits: 2},
			{Name: "verdict", Head: "Verdict for programs", Kind: analysis.Key},
		},
		Notes: []string{
			"within and above or below a limit are said only where the whole 95 % interval, the module's accuracy included, lies on one side of it",
			"a datasheet speaks of many drives: one that is above it is not by itself a defect",
		},
	}
	for _, v := range verdicts {
		t.Rows = append(t.Rows, v.row(v.Window, v.Claimed(), v.Source))
		for _, w := range v.Windows {
			t.Rows = append(t.Rows, v.row(w, "", ""))
		}
	}
	return t
}

// row returns a row of a claim; what was claimed, and where, stands in its first.
func (v Verdict) row(w Window, claimed, source string) analysis.Row {
	value := analysis.OptU(w.Value, w.U95, "")
	measured, window := analysis.Cell{}, analysis.Cell{}
	if value.Valid {
		text := analysis.FormatValue(value.Value, value.U95, 4) + " " + v.Unit
		if w.As != "" {
			text += ", " + w.As
		}
		measured = analysis.Word(text)
	}
	switch q, _ := QuantityOf(v.Quantity); {
	case w.WindowUs > 0:
		window = analysis.Word(span(w.WindowUs))
	case q.Windowed:
		window = analysis.Word("not stated")
	}
	width := analysis.Cell{}
	if w.WindowUs > 0 {
		width = analysis.Val(w.WindowUs)
	}
	return analysis.Row{Cells: []analysis.Cell{
		analysis.Word(v.Name), analysis.Word(v.What), analysis.Word(v.Rail), analysis.Word(v.Kind), analysis.Word(claimed),
		measured, window, analysis.Word(w.Judged), analysis.Word(w.Why), analysis.Word(w.Of), analysis.Word(source),
		analysis.Val(v.Limit), value, analysis.Word(v.Unit), width, analysis.Opt(w.PBeyond, ""), analysis.Word(w.Verdict),
	}}
}
