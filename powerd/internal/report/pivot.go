package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
)

// Pivot turns a long table into a matrix of one figure: a row for each value of
// rowKey, a column for each of colKey, both in rising order if they are numbers,
// else as they come. A pair that the table lacks is an absent cell. Where several
// rows share a pair the last one is shown and a note says so.
func Pivot(t *analysis.Table, rowKey, colKey, value string) (*analysis.Table, error) {
	ri, ci, vi := t.Col(rowKey), t.Col(colKey), t.Col(value)
	if ri < 0 || ci < 0 || vi < 0 {
		return nil, fmt.Errorf("pivot table %s: it lacks one of the columns %s, %s, %s", t.Name, rowKey, colKey, value)
	}
	rows, cols := keysOf(t, ri), keysOf(t, ci)
	figure := t.Columns[vi]
	out := &analysis.Table{
		Name:  value + "_by_" + rowKey + "_" + colKey,
		Title: fmt.Sprintf("%s by %s and %s", headOf(figure), headOf(t.Columns[ri]), headOf(t.Columns[ci])),
		Notes: slices.Clone(t.Notes),
	}
	first := t.Columns[ri]
	first.Kind = analysis.Key
	if first.Unit == "B" {
		first.Unit = "" // stands in every cell
	}
	out.Columns = append(out.Columns, first)
	for _, c := range cols {
		col := figure
		col.Name, col.Head = value+"_"+colKey+"_"+strings.ReplaceAll(c, " ", ""), headOf(t.Columns[ci])+" "+c
		out.Columns = append(out.Columns, col)
	}
	for _, r := range rows {
		cells := make([]analysis.Cell, 1+len(cols))
		cells[0] = analysis.Word(r)
		out.Rows = append(out.Rows, analysis.Row{Cells: cells})
	}
	taken, shared := map[[2]int]bool{}, false
	for _, r := range t.Rows {
		at := [2]int{slices.Index(rows, keyText(t.Columns[ri], cellAt(r, ri))), slices.Index(cols, keyText(t.Columns[ci], cellAt(r, ci)))}
		if at[0] < 0 || at[1] < 0 { // a key is missing: the row belongs nowhere
			continue
		}
		shared = shared || taken[at]
		taken[at] = true
		out.Rows[at[0]].Cells[1+at[1]] = cellAt(r, vi)
	}
	if shared {
		out.Notes = append(out.Notes, "Some cells were measured more than once; the last measurement is shown.")
	}
	return out, nil
}

func headOf(c analysis.Column) string {
	if c.Head != "" {
		return c.Head
	}
	return c.Name
}

// keysOf returns the different values of a key column in their order.
func keysOf(t *analysis.Table, column int) []string {
	type key struct {
		text string
		rank float64
	}
	var keys []key
	numbers := true
	for _, r := range t.Rows {
		c := cellAt(r, column)
		text := keyText(t.Columns[column], c)
		if text == "" || slices.ContainsFunc(keys, func(k key) bool { return k.text == text }) {
			continue
		}
		rank := c.Value
		if !isFigure(t.Columns[column]) {
			var err error
			rank, err = strconv.ParseFloat(c.Text, 64)
			numbers = numbers && err == nil
		}
		keys = append(keys, key{text, rank})
	}
	if numbers {
		slices.SortStableFunc(keys, func(a, b key) int {
			switch {
			case a.rank < b.rank:
				return -1
			case a.rank > b.rank:
				return 1
			}
			return 0
		})
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.text
	}
	return out
}

// keyText returns a key as people write it: a number without needless digits, a
// block size in KiB. It is empty if there is none.
func keyText(col analysis.Column, c analysis.Cell) string {
	switch {
	case !c.Valid:
		return ""
	case !isFigure(col) && col.Unit == "B":
		if n, err := strconv.ParseFloat(c.Text, 64); err == nil {
			return BlockSize(n)
		}
		return c.Text
	case !isFigure(col):
		return c.Text
	case col.Unit == "B":
		return BlockSize(c.Value)
	}
	return strconv.FormatFloat(c.Value, 'g', -1, 64)
}

// BlockSize returns a size in bytes in the largest binary unit that divides it:
// "4 KiB", "1 MiB", "512 B".
func BlockSize(bytes float64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	n, u := bytes, 0
	for u < len(units)-1 && n >= 1024 && n/1024 == float64(int64(n/1024)) {
		n /= 1024
		u++
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + units[u]
}
