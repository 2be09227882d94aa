package publish

import (
	"fmt"
	"slices"

	"powerd/analysis"
	"powerd/analysis/idle"
	"powerd/analysis/limits"
	"powerd/plots"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// idleColumns adds to the columns of the idle table those that only some runs have:
// which of several levels, and what is left without the zero.
func idleColumns(columns map[string][]string, tables []*analysis.Table) map[string][]string {
	i := slices.IndexFunc(tables, func(t *analysis.Table) bool { return t.Name == "idle" })
	if i < 0 {
		return columns
	}
	t := tables[i]
	mine := columns[t.Name]
	level := t.Col("level")
	if slices.ContainsFunc(t.Rows, func(r analysis.Row) bool { return level >= 0 && r.Cells[level].Valid }) {
		mine = slices.Insert(slices.Clone(mine), 1, "level")
	}
	if t.Col("net_w") >= 0 {
		mine = append(slices.Clone(mine), "zero_w", "net_w")
	}
	columns[t.Name] = mine
	return columns
}

// sameStep returns the results of a step, one a level, from i on.
func sameStep(rs []*idle.Result, i int) []*idle.Result {
	j := i + 1
	for j < len(rs) && rs[j].Step == rs[i].Step {
		j++
	}
	return rs[i:j]
}

// idles draws each idle step, all its levels on one picture.
func (a *artist) idles() {
	for i := 0; i < len(a.d.Idles); {
		rs := sameStep(a.d.Idles, i)
		i += len(rs)
		first, startNs, endNs := rs[0], rs[0].StartMonoNs, rs[0].EndMonoNs
		names := []string{"rail", "mean_w", "min_w", "max_w", "std_w", "p99_w"}
		if len(rs) > 1 {
			names = []string{"level", "rail", "mean_w", "min_w", "max_w", "std_w"}
		}
		for _, r := range rs {
			startNs, endNs = min(startNs, r.StartMonoNs), max(endNs, r.EndMonoNs)
		}
		caption := powerOf(first) + ", no IO."
		if first.Total.NetW != nil {
			caption += " As measured: the zero is not subtracted, though claims of a datasheet are held against the power net of it."
		}
		a.save(first.Step, "Idle power", caption, func() (*plots.Picture, error) {
			stats := report.Only(idle.Table(rs), names...)
			return plots.IdleTrace(inWatts(a.waves(startNs, endNs, startNs)), stats, limitLines(a.d, limits.IdlePower), a.with(first.Step, ""))
		})
	}
}

// powerOf says what the lines of an idle picture are.
func powerOf(r *idle.Result) string {
	switch {
	case len(r.NotMeasured) > 0:
		return "Power of the rails that were measured; " + analysis.RailNames(r.NotMeasured) + " was not, so there is no total"
	case len(r.Rails) == 1:
		for rail := range r.Rails {
			return "Power of " + analysis.RailLabel(rail) + ", the drive's only rail"
		}
	}
	return "Power of each rail and of all together"
}

// idleLines are the means of the first idle step that had settled, of each level.
func idleLines(d *results.Document) []report.Line {
	rs := sameStep(d.Idles, slices.Index(d.Idles, d.Idle))
	t := idle.Table(rs)
	var out []report.Line
	for i := range t.Rows {
		rail := t.At(i, "rail").Text
		label := rail
		if rail != limits.RailTotal {
			label = analysis.RailLabel(quarch.Rail(rail))
		}
		if level := t.At(i, "level"); level.Valid {
			label += fmt.Sprintf(", level %s of %d", level.Text, len(rs))
		}
		l := report.Line{Label: "Idle power, " + label, Figure: t.At(i, "mean_w"), Unit: "W"}
		if net := t.At(i, "net_w"); net.Valid { // what claims are held against; as measured it stands beside
			l.Note = "as measured " + l.Text()
			l.Label, l.Figure = l.Label+", "+results.NetOfZero, net
		}
		if len(rs) == 1 {
			judged(d, &l, limits.IdlePower, rail, 0)
		}
		out = append(out, l)
	}
	return out
}
