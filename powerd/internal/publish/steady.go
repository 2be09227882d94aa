package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/steady"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
)

// steadyHeadline says of the loads in rounds that a rule judges whether they are steady; it
// is none where there are no such loads.
func steadyHeadline(d *results.Document) []string {
	var out []string
	for _, g := range d.Judged() {
		var names, why []string
		for _, v := range g.Variables {
			names = append(names, variableName(v))
			if s := v.Decides(); !s.Steady {
				why = append(why, variableName(v)+": "+cmp.Or(s.Why, v.Why))
			}
		}
		switch v := g.Variables[0]; {
		case v.Verdict == steady.Reached:
			out = append(out, fmt.Sprintf("%s is %s, by %s. Its figures are those of these rounds.", g.Group, v.Reasons(), strings.Join(names, ", ")))
		case d.Run.Outcome == results.Running: // it may be yet
		default:
			out = append(out, fmt.Sprintf("Steady state was not reached: %s after %d of %d rounds, by %s. %s.", g.Group, v.Rounds, v.RoundsPlanned, v.Profile, strings.Join(why, "; ")))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{strings.Join(out, " ")}
}

// variableName names a cell, and the latency of it that decides.
func variableName(v *steady.Result) string {
	if v.Latency == "" {
		return v.Step
	}
	return fmt.Sprintf("%s (%s latency)", v.Step, steady.LatencyName(v.Latency))
}

// roundFigures returns of rounds what decides of a variable, as a waveform.
func roundFigures(v *steady.Result, cells []*efficiency.Cell) *analysis.Waveform {
	if v.Latency == "" {
		return roundRates(cells)
	}
	return overRounds("latency_us", steady.LatencyName(v.Latency)+" latency", "µs", cells, func(c *efficiency.Cell) (x, u95 *float64) {
		if c.Latency == nil {
			return nil, nil
		}
		switch v.Latency {
		case "99":
			return c.Latency.P99, nil
		case "99.9":
			return c.Latency.P999, nil
		case "99.99":
			return c.Latency.P9999, nil
		}
		return c.Latency.Mean, c.Latency.MeanU95
	})
}

// steadyColumns adds to those of the steady table what it has where a latency decides.
func steadyColumns(columns map[string][]string, tables []*analysis.Table) map[string][]string {
	i := slices.IndexFunc(tables, func(t *analysis.Table) bool { return t.Name == "steady" && t.Col("latency") >= 0 })
	if i < 0 {
		return columns
	}
	mine := columns["steady"]
	at := slices.Index(mine, "mean_iops")
	columns["steady"] = slices.Insert(slices.Clone(mine), at, "latency", "mean_us", "range_us_rel", "fit_us_rel")
	return columns
}

// convergences draws the rounds that a rule judges: all of them, a line a block size, for
// the mix of the first variable, and the window that the rule was held against.
func (a *artist) convergences() {
	for _, g := range a.d.Judged() {
		a.convergence(g)
		a.steadyWindow(g)
	}
}

func (a *artist) convergence(g results.JudgedRounds) {
	first := a.d.Rounds(g.Variables[0].Step)
	if len(first) == 0 {
		return
	}
	var lines []*analysis.Waveform
	var like *efficiency.Cell
	for _, name := range g.Cells {
		cells := a.d.Rounds(name)
		if len(cells) == 0 || !alike(cells[0], first[0]) {
			continue
		}
		like = cells[0]
		w := roundFigures(g.Variables[0], cells)
		if w == nil {
			continue
		}
		w.Name, w.Label = name, report.BlockSize(float64(like.BSBytes))
		lines = append(lines, w)
	}
	if len(lines) == 0 {
		return
	}
	mix := fmt.Sprintf("%s, %d %% reads, queue depth %d, jobs %d", like.RW, like.ReadPct, like.QD, like.Jobs)
	caption := fmt.Sprintf("All rounds of %s at %s, a line for each block size: %s.", g.Group, mix, g.Variables[0].Reasons())
	what := "IOPS"
	if g.Variables[0].Latency != "" {
		what = "Latency"
	}
	a.save(g.Group+"-convergence", what+" over the rounds of "+g.Group, caption, func() (*plots.Picture, error) {
		return plots.Convergence(lines, windowOf(g), mix, a.with(g.Group, ""))
	})
}

// alike reports whether two cells differ in nothing but their block size.
func alike(a, b *efficiency.Cell) bool {
	return a.RW == b.RW && a.ReadPct == b.ReadPct && a.QD == b.QD && a.Jobs == b.Jobs
}

// windowOf returns the window that a picture shades: the steady one.
func windowOf(g results.JudgedRounds) []plots.Window {
	v := g.Variables[0]
	if v.Verdict != steady.Reached {
		return nil
	}
	after := plots.Window{First: v.LastRound + 1, Last: v.LastRound + 1}
	if v.Rounds == v.LastRound {
		return []plots.Window{{First: v.FirstRound, Last: v.LastRound, Label: "steady"}}
	}
	return []plots.Window{{First: v.FirstRound, Last: v.LastRound, Label: "steady"}, after}
}

func (a *artist) steadyWindow(g results.JudgedRounds) {
	var variables []plots.Judged
	for _, v := range g.Variables {
		from, to, ok := v.Decides().Line(v.FirstRound, v.LastRound)
		cells := slices.DeleteFunc(a.d.Rounds(v.Step), func(c *efficiency.Cell) bool { return c.Round < v.FirstRound || c.Round > v.LastRound })
		if !ok || len(cells) == 0 {
			continue
		}
		word := "steady"
		if !v.Decides().Steady {
			word = "not steady"
		}
		judged := plots.Judged{Label: variableName(v) + ": " + word, Rate: roundFigures(v, cells), Mean: *v.Decides().Mean, From: from, To: to}
		if judged.Rate == nil {
			continue
		}
		for _, w := range roundWatts(cells) {
			if w.Name == "total_w" {
				judged.Power = w
			}
		}
		variables = append(variables, judged)
	}
	if len(variables) == 0 {
		return
	}
	caption := fmt.Sprintf("Rounds %d to %d of the variables that %s is judged by (%s). The power stands beside and does not decide.",
		g.Variables[0].FirstRound, g.Variables[0].LastRound, g.Group, g.Variables[0].Profile)
	a.save(g.Group+"-steady-window", "Steady-state window of "+g.Group, caption, func() (*plots.Picture, error) {
		return plots.SteadyWindow(variables, a.with(g.Group, ""))
	})
}

// stateText says for a caption of which state the cells of a matrix are.
func stateText(t *analysis.Table) string {
	for i := range t.Rows {
		if t.At(i, "state").Text != efficiency.StateSteady {
			return "State: not judged (no steady-state rule calls these cells steady)."
		}
	}
	return fmt.Sprintf("State: steady, sums over rounds %g to %g.", t.At(0, "first_round").Value, t.At(0, "round").Value)
}
