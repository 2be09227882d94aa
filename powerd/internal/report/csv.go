package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"powerd/analysis"
)

// CSV writes a table for programs: a header of column names, which carry their
// units; numbers in full precision; withheld and absent cells empty. A column with
// stated uncertainties is followed by "<name>_u95". Rows with a window end in
// start_mono_ns and end_mono_ns, tables with withheld cells in "why".
func CSV(w io.Writer, t *analysis.Table) error {
	out := csv.NewWriter(w)
	s := shapeOf(t)
	if err := out.Write(s.header(t)); err != nil {
		return fmt.Errorf("write table %s: %w", t.Name, err)
	}
	for _, r := range t.Rows {
		if err := out.Write(s.record(t, r)); err != nil {
			return fmt.Errorf("write table %s: %w", t.Name, err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write table %s: %w", t.Name, err)
	}
	return nil
}

// shape says which columns a CSV file has beside the table's own.
type shape struct {
	u95          []bool
	windows, why bool
}

func shapeOf(t *analysis.Table) shape {
	s := shape{u95: make([]bool, len(t.Columns))}
	for _, r := range t.Rows {
		s.windows = s.windows || (r.EndNs != 0 && t.Col("start_mono_ns") < 0)
		for i := range t.Columns {
			c := cellAt(r, i)
			s.u95[i] = s.u95[i] || (c.Valid && c.U95 > 0)
			s.why = s.why || (!c.Valid && c.Why != "")
		}
	}
	return s
}

func cellAt(r analysis.Row, i int) analysis.Cell {
	if i < len(r.Cells) {
		return r.Cells[i]
	}
	return analysis.Cell{}
}

func (s shape) header(t *analysis.Table) []string {
	var names []string
	for i, c := range t.Columns {
		names = append(names, c.Name)
		if s.u95[i] {
			names = append(names, c.Name+"_u95")
		}
	}
	if s.windows {
		names = append(names, "start_mono_ns", "end_mono_ns")
	}
	if s.why {
		names = append(names, "why")
	}
	return names
}

func (s shape) record(t *analysis.Table, r analysis.Row) []string {
	var fields, reasons []string
	for i, col := range t.Columns {
		c := cellAt(r, i)
		fields = append(fields, exact(col, c))
		if s.u95[i] {
			u95 := ""
			if c.Valid && c.U95 > 0 {
				u95 = number(c.U95)
			}
			fields = append(fields, u95)
		}
		if !c.Valid && c.Why != "" {
			reasons = append(reasons, col.Name+": "+plain(c.Why))
		}
	}
	if s.windows {
		start, end := "", ""
		if r.EndNs != 0 {
			start, end = strconv.FormatInt(r.StartNs, 10), strconv.FormatInt(r.EndNs, 10)
		}
		fields = append(fields, start, end)
	}
	if s.why {
		fields = append(fields, strings.Join(reasons, "; "))
	}
	return fields
}

// exact returns a cell in full precision; empty if there is no figure.
func exact(col analysis.Column, c analysis.Cell) string {
	switch {
	case !c.Valid:
		return ""
	case !isFigure(col):
		return plain(c.Text)
	case col.Kind == analysis.Count && math.Abs(c.Value) < 1<<53:
		return strconv.FormatFloat(c.Value, 'f', 0, 64)
	}
	return number(c.Value)
}

// number returns the shortest text that reads back as v; empty if v is not finite.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
