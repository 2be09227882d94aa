package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
)

// axis is one thing that may differ between cells.
type axis struct {
	name, head string
	of         func(Key) string
	number     func(Key) int64 // for the order; nil = as they come
}

func axes() []axis {
	num := func(name, head string, of func(Key) int64) axis {
		return axis{name, head, func(k Key) string { return strconv.FormatInt(of(k), 10) }, of}
	}
	return []axis{
		{"rw", "Pattern", func(k Key) string { return k.RW }, nil},
		{"window", "Window", func(k Key) string { return k.Window }, nil},
		{"step", "Step", func(k Key) string { return k.Step }, nil},
		{"state", "State", func(k Key) string { return k.State }, nil},
		{"bs", "Block size", func(k Key) string { return blockSize(k.BSBytes) }, func(k Key) int64 { return k.BSBytes }},
		num("read_pct", "Reads", func(k Key) int64 { return int64(k.ReadPct) }),
		{"range", "Range", Key.Range, nil},
		num("entropy_pct", "Entropy", func(k Key) int64 { return int64(k.EntropyPct) }),
		num("demand_iops", "Demand", func(k Key) int64 { return int64(k.DemandIOPS) }),
		num("jobs", "Jobs", func(k Key) int64 { return int64(k.Jobs) }),
		num("qd", "QD", func(k Key) int64 { return int64(k.QD) }),
	}
}

// BesideTables returns the matrices of a quantity with the runs' columns beside one
// another, of the random cells or of the others; those apart that differ in more than two
// things. Cells that vary in nothing are in none: the tables of CellTables hold them.
func (r *Result) BesideTables(quantity string, random bool) []*analysis.Table {
	title := "sequential"
	if random {
		title = "random"
	}
	var matches []*Match
	for _, m := range r.Cells {
		if m.Cell.Random() == random && m.figure(quantity) != nil {
			matches = append(matches, m)
		}
	}
	out := r.beside(quantity, title, matches)
	for i, t := range out {
		t.Name = "beside_" + quantity + "_" + strconv.Itoa(i+1)
	}
	return out
}

func (m *Match) figure(name string) *Figure {
	i := slices.IndexFunc(m.Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Figures[i]
}

// beside makes the tables of some cells: the last two things that differ are rows and
// columns.
func (r *Result) beside(quantity, title string, matches []*Match) []*analysis.Table {
	vary := varying(matches)
	if len(vary) == 0 {
		return nil
	}
	column := vary[len(vary)-1]
	row := axes()[0]
	if len(vary) > 1 {
		row = vary[len(vary)-2]
	} else if column.name == row.name {
		column = axes()[len(axes())-1]
	}
	rest := vary[:max(0, len(vary)-2)]
	var order []string
	parts := map[string][]*Match{}
	for _, m := range matches {
		words := []string{title}
		for _, a := range rest {
			if text := a.of(*m.Cell); text != "" {
				words = append(words, a.named(text))
			}
		}
		part := strings.Join(words, ", ")
		if parts[part] == nil {
			order = append(order, part)
		}
		parts[part] = append(parts[part], m)
	}
	var out []*analysis.Table
	for _, part := range order {
		if len(parts[part]) > 1 {
			out = append(out, r.matrix(quantity, part, row, column, parts[part]))
		}
	}
	return out
}

// named writes a value with what it is: "QD 8", "randread".
func (a axis) named(text string) string {
	switch a.name {
	case "rw", "window", "step", "state", "range":
		return text
	case "bs":
		return text
	case "read_pct":
		return text + " % reads"
	case "entropy_pct":
		return "entropy " + text + " %"
	}
	return a.head + " " + text
}

// varying returns what differs between cells; what follows from the things before it, as
// the share of reads does from most patterns, is not among it. Where a mix varies in its
// reads only the pattern follows from these.
func varying(matches []*Match) []axis {
	list := axes()
	reads := func(m *Match) string { return strconv.Itoa(m.Cell.ReadPct) }
	if mixes := distinct(matches, func(m *Match) string { return m.Cell.RW }); mixes > 1 && mixes <= distinct(matches, reads) && oneEach(matches) {
		list = slices.DeleteFunc(list, func(a axis) bool { return a.name == "rw" })
	}
	var out []axis
	known := make([]string, len(matches))
	kinds := 1
	for _, a := range list {
		seen := map[string]bool{}
		for i, m := range matches {
			known[i] += " " + a.of(*m.Cell)
			seen[known[i]] = true
		}
		if len(seen) > kinds {
			out = append(out, a)
		}
		kinds = len(seen)
	}
	return out
}

// oneEach reports whether every share of reads has one pattern.
func oneEach(matches []*Match) bool {
	of := map[int]string{}
	for _, m := range matches {
		if rw, known := of[m.Cell.ReadPct]; known && rw != m.Cell.RW {
			return false
		}
		of[m.Cell.ReadPct] = m.Cell.RW
	}
	return true
}

func distinct(matches []*Match, of func(*Match) string) int {
	seen := map[string]bool{}
	for _, m := range matches {
		seen[of(m)] = true
	}
	return len(seen)
}

// values returns the different values of an axis in their order.
func (a axis) values(matches []*Match) []string {
	keys := make([]Key, len(matches))
	for i, m := range matches {
		keys[i] = *m.Cell
	}
	if a.number != nil {
		slices.SortStableFunc(keys, func(x, y Key) int { return cmp.Compare(a.number(x), a.number(y)) })
	}
	var out []string
	for _, k := range keys {
		if text := a.of(k); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// matrix is one table: rows by one axis, and for each run a column for each value of the
// other.
func (r *Result) matrix(quantity, part string, row, col axis, matches []*Match) *analysis.Table {
	f := matches[0].figure(quantity)
	t := &analysis.Table{Title: f.Head + ", " + part + ": run beside run", Columns: []analysis.Column{{Name: row.name, Head: row.head, Kind: analysis.Key}}}
	rows, columns := row.values(matches), col.values(matches)
	for _, run := range r.runs {
		for _, c := range columns {
			t.Columns = append(t.Columns, analysis.Column{Name: column(run.Label) + "_" + col.name + "_" + c, Head: run.Label + ", " + col.named(c), Unit: f.Unit})
		}
	}
	for _, text := range rows {
		cells := make([]analysis.Cell, len(t.Columns))
		cells[0] = analysis.Word(row.named(text))
		for _, m := range matches {
			if row.of(*m.Cell) != text {
				continue
			}
			j := slices.Index(columns, col.of(*m.Cell))
			for i, v := range m.figure(quantity).Values {
				cells[1+i*len(columns)+j] = v.cell()
			}
		}
		t.Rows = append(t.Rows, analysis.Row{Cells: cells})
	}
	return t
}
