package report

import (
	"slices"

	"powerd/analysis"
)

// shown returns a table with the columns that pages show of it, in their order:
// those that Doc.Columns names, else all. CSV files have all of them.
func (d *Doc) shown(t *analysis.Table) *analysis.Table {
	names := d.Columns[t.Name]
	if names == nil {
		return t
	}
	var keep []int
	for _, name := range names {
		if i := t.Col(name); i >= 0 {
			keep = append(keep, i)
		}
	}
	return pick(t, keep)
}

// Only returns a table with some of its columns.
func Only(t *analysis.Table, names ...string) *analysis.Table {
	var keep []int
	for i, c := range t.Columns {
		if slices.Contains(names, c.Name) {
			keep = append(keep, i)
		}
	}
	return pick(t, keep)
}

func pick(t *analysis.Table, columns []int) *analysis.Table {
	out := *t
	out.Columns, out.Rows = nil, nil
	for _, i := range columns {
		out.Columns = append(out.Columns, t.Columns[i])
	}
	for _, r := range t.Rows {
		row := r
		row.Cells = nil
		for _, i := range columns {
			row.Cells = append(row.Cells, cellAt(r, i))
		}
		out.Rows = append(out.Rows, row)
	}
	return &out
}
