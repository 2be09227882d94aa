package publish

import (
	"slices"

	"powerd/analysis"
	"powerd/powerd/internal/report"
)

// Brief returns a report for a terminal: its headlines, and of its tables the
// columns that a person compares. The files have all of them.
func Brief(doc *report.Doc) *report.Doc {
	b := *doc
	b.Conditions, b.Plots = nil, nil
	b.Tables = nil
	for _, t := range doc.Tables {
		if columns := briefColumns(t.Name); columns != nil {
			b.Tables = append(b.Tables, only(t, columns))
		}
	}
	return &b
}

func briefColumns(table string) []string {
	switch table {
	case "idle":
		return []string{"step", "rail", "mean_w", "min_w", "max_w", "std_w", "p99_w", "coverage"}
	case "inrush":
		return []string{"step", "rail", "window_us", "amps", "at_s", "watts"}
	case "efficiency":
		return []string{"step", "iops", "mb_per_s", "mean_w", "iops_per_mw", "mb_per_s_per_mw", "uj_per_io", "latency_mean_us"}
	case "limits":
		return []string{"name", "limit", "value", "unit", "verdict", "why"}
	}
	return nil
}

// only returns a table with some of its columns, in their order, without notes.
func only(t *analysis.Table, names []string) *analysis.Table {
	var keep []int
	for i, c := range t.Columns {
		if slices.Contains(names, c.Name) {
			keep = append(keep, i)
		}
	}
	out := &analysis.Table{Name: t.Name, Title: t.Title}
	for _, i := range keep {
		out.Columns = append(out.Columns, t.Columns[i])
	}
	for _, r := range t.Rows {
		row := analysis.Row{StartNs: r.StartNs, EndNs: r.EndNs}
		for _, i := range keep {
			row.Cells = append(row.Cells, r.Cells[i])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
