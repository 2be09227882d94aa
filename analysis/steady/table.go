package steady

import (
	"fmt"
	"slices"

	"powerd/analysis"
)

// Table returns the variables as rows.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "steady", Title: "Steady state",
		Columns: []analysis.Column{
			{Name: "step", Head: "Variable", Kind: analysis.Key},
			{Name: "profile", Head: "Rule", Kind: analysis.Key},
			{Name: "verdict", Head: "Verdict", Kind: analysis.Text},
			{Name: "reached", Head: "Reached (1 = yes)", Kind: analysis.Count},
			{Name: "rounds", Head: "Rounds done", Kind: analysis.Count},
			{Name: "window", Head: "Window", Kind: analysis.Text},
			{Name: "mean_iops", Head: "Mean", Unit: "IOPS"},
			{Name: "range_rel", Head: "Range ÷ mean"},
			{Name: "slope_iops_per_round", Head: "Slope a round", Unit: "IOPS"},
			{Name: "fit_rel", Head: "Fit excursion ÷ mean"},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "range_w_rel", Head: "Power range ÷ mean"},
			{Name: "slope_w_per_round", Head: "Power slope a round", Unit: "W"},
			{Name: "fit_w_rel", Head: "Power fit excursion ÷ mean"},
			{Name: "power", Head: "Power", Kind: analysis.Text},
			{Name: "why", Head: "Why", Kind: analysis.Text},
		},
		Notes: []string{
			"all variables have to be steady in the very same window; the first such window counts. Means are of the rounds' figures; the fit is the least-squares line through them, its excursion the line's highest − lowest in the window",
			"power is judged by the same rule over the same window; it does not decide",
		},
	}
	timed := slices.ContainsFunc(results, func(r *Result) bool { return r.Latency != "" })
	if timed {
		t.Columns = append(t.Columns, latencyColumns()...)
		t.Notes = append(t.Notes, "where a latency is named, it decides, and the IOPS stand beside")
	}
	rules := map[string]bool{}
	for _, r := range results {
		row := r.row()
		if timed {
			row.Cells = append(row.Cells, r.latencyCells()...)
		}
		t.Rows = append(t.Rows, row)
		if rule, ok := RuleOf(r.Profile); ok && !rules[r.Profile] {
			rules[r.Profile] = true
			t.Notes = append(t.Notes, rule.Name+": "+rule.Text())
		}
	}
	return t
}

func latencyColumns() []analysis.Column {
	return []analysis.Column{
		{Name: "latency", Head: "Latency that decides", Kind: analysis.Text},
		{Name: "mean_us", Head: "Mean of that latency", Unit: "µs"},
		{Name: "range_us_rel", Head: "Latency range ÷ mean"},
		{Name: "slope_us_per_round", Head: "Latency slope a round", Unit: "µs"},
		{Name: "fit_us_rel", Head: "Latency fit excursion ÷ mean"},
	}
}

func (r *Result) latencyCells() []analysis.Cell {
	s := r.LatencyUs
	if s == nil {
		s = &Series{}
	}
	return []analysis.Cell{
		analysis.Word(LatencyName(r.Latency)), analysis.Opt(s.Mean, s.Why), analysis.Opt(s.RangeRel, s.Why), analysis.Opt(s.SlopePerRound, s.Why), analysis.Opt(s.FitRel, s.Why),
	}
}

func (r *Result) row() analysis.Row {
	window := analysis.No(r.Why)
	if r.LastRound > 0 {
		window = analysis.Word(fmt.Sprintf("%d to %d", r.FirstRound, r.LastRound))
	}
	power, word := r.PowerW, "steady"
	if power == nil {
		power, word = &Series{Why: "no power is known of these rounds"}, ""
	} else if !power.Steady {
		word = "not steady"
	}
	verdict, reached := "steady", 1.0
	if r.Verdict != Reached {
		verdict, reached = "not reached", 0
	}
	cell := func(x *float64, s *Series) analysis.Cell { return analysis.Opt(x, s.Why) }
	return analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(r.Profile), analysis.Word(verdict), analysis.Val(reached), analysis.Val(float64(r.Rounds)), window,
		cell(r.IOPS.Mean, &r.IOPS), cell(r.IOPS.RangeRel, &r.IOPS), cell(r.IOPS.SlopePerRound, &r.IOPS), cell(r.IOPS.FitRel, &r.IOPS),
		cell(power.Mean, power), cell(power.RangeRel, power), cell(power.SlopePerRound, power), cell(power.FitRel, power),
		analysis.Word(word), analysis.Word(r.why()),
	}}
}

// why joins what IOPS and power fail.
func (r *Result) why() string {
	text := r.Why
	if r.PowerW != nil && !r.PowerW.Steady {
		if text != "" {
			text += "; "
		}
		text += "power: " + r.PowerW.Why
	}
	return text
}
