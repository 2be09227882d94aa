package compare

import (
	"strconv"
	"strings"

	"powerd/analysis"
)

// column names a run's column: "a", "b".
func column(label string) string { return strings.ToLower(label) }

// runColumns returns a column for each run, then ratio and verdict of all but the first.
func (r *Result) runColumns(unit string) []analysis.Column {
	var out []analysis.Column
	for _, run := range r.runs {
		out = append(out, analysis.Column{Name: column(run.Label), Head: run.Label, Unit: unit})
	}
	first := r.runs[0].Label
	for _, run := range r.runs[1:] {
		name := "_" + column(run.Label) + "_over_" + column(first)
		out = append(out,
			analysis.Column{Name: "ratio" + name, Head: run.Label + " ÷ " + first},
			analysis.Column{Name: "verdict" + name, Head: run.Label + " against " + first, Kind: analysis.Text})
	}
	return out
}

// runCells returns what stands in them.
func (f *Figure) runCells() []analysis.Cell {
	var out []analysis.Cell
	for i := range f.Values {
		out = append(out, f.Values[i].cell())
	}
	for _, x := range f.Against {
		out = append(out, x.cells()...)
	}
	return out
}

// keyColumns are what a cell is.
func keyColumns() []analysis.Column {
	return []analysis.Column{
		{Name: "cell", Head: "Cell", Kind: analysis.Key},
		{Name: "rw", Head: "Pattern", Kind: analysis.Key},
		{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
		{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
		{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
		{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
		{Name: "entropy_pct", Head: "Entropy", Unit: "%", Kind: analysis.Key},
		{Name: "range", Head: "Range", Kind: analysis.Key},
		{Name: "demand_iops", Head: "Demand", Unit: "IOPS", Kind: analysis.Key},
		{Name: "state", Head: "State", Kind: analysis.Key},
	}
}

func (m *Match) keyCells() []analysis.Cell {
	k := m.Cell
	whole := func(n int) analysis.Cell { return analysis.Word(strconv.Itoa(n)) }
	demand := analysis.Cell{}
	if k.DemandIOPS > 0 {
		demand = whole(k.DemandIOPS)
	}
	return []analysis.Cell{
		analysis.Word(m.Name), analysis.Word(k.RW), analysis.Word(strconv.FormatInt(k.BSBytes, 10)), whole(k.ReadPct), whole(k.QD), whole(k.Jobs),
		whole(k.EntropyPct), analysis.Word(k.Range()), demand, analysis.Word(k.State),
	}
}

// CellTables returns a table for each quantity of the cells: a row a cell.
func (r *Result) CellTables() []*analysis.Table {
	var out []*analysis.Table
	at := map[string]*analysis.Table{}
	for _, q := range quantities(nil) {
		t := &analysis.Table{
			Name: "compare_" + q.name, Title: q.head + ", cell by cell", Columns: append(keyColumns(), r.runColumns(q.unit)...),
		}
		at[q.name] = t
		out = append(out, t)
	}
	for _, m := range r.Cells {
		for i := range m.Figures {
			t := at[m.Figures[i].Name]
			t.Rows = append(t.Rows, analysis.Row{Cells: append(m.keyCells(), m.Figures[i].runCells()...)})
		}
	}
	return withRows(out)
}

// OtherTables returns idle, start-up and saturation: a row a figure.
func (r *Result) OtherTables() []*analysis.Table {
	return withRows([]*analysis.Table{
		r.list("compare_idle", "Idle power", r.Idle, "total: all rails; where every run has a zero, net figures stand beside those as measured"),
		r.list("compare_start", "Start-up", r.StartUp, r.cycleNote()),
		r.list("compare_saturation", "Write saturation", r.Saturation, ""),
	})
}

// cycleNote says of how many power-ups the highest is.
func (r *Result) cycleNote() string {
	var words []string
	for _, run := range r.runs {
		words = append(words, run.Label+": "+strconv.Itoa(len(run.Cycles)))
	}
	return "the highest of all power-ups (" + strings.Join(words, ", ") + "): of more of them it is higher by chance"
}

func (r *Result) list(name, title string, matches []*Match, note string) *analysis.Table {
	t := &analysis.Table{
		Name: name, Title: title,
		Columns: append([]analysis.Column{
			{Name: "what", Head: "What", Kind: analysis.Key},
			{Name: "figure", Head: "Figure", Kind: analysis.Key},
			{Name: "rail", Head: "Rail", Kind: analysis.Text},
			{Name: "unit", Head: "Unit", Kind: analysis.Text},
		}, r.runColumns("")...),
	}
	if note != "" {
		t.Notes = append(t.Notes, note)
	}
	for _, m := range matches {
		for i := range m.Figures {
			f := &m.Figures[i]
			t.Rows = append(t.Rows, analysis.Row{Cells: append([]analysis.Cell{
				analysis.Word(m.title()), analysis.Word(f.Head), analysis.Word(railLabel(m.Rail)), analysis.Word(f.Unit),
			}, f.runCells()...)})
		}
	}
	return t
}

// MissingTable names what not all runs have.
func (r *Result) MissingTable() *analysis.Table {
	t := &analysis.Table{
		Name: "compare_missing", Title: "In some runs only",
		Columns: []analysis.Column{
			{Name: "what", Head: "What", Kind: analysis.Key},
			{Name: "in", Head: "Only in", Kind: analysis.Text},
			{Name: "not_in", Head: "Not in", Kind: analysis.Text},
			{Name: "reason", Head: "Why, as far as is known", Kind: analysis.Text},
		},
	}
	for _, m := range r.Missing {
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{
			analysis.Word(m.Name), analysis.Word(strings.Join(m.In, ", ")), analysis.Word(strings.Join(m.Not, ", ")), analysis.Word(m.Why),
		}})
	}
	return t
}

func withRows(tables []*analysis.Table) []*analysis.Table {
	var out []*analysis.Table
	for _, t := range tables {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// BarsTable returns a quantity of some matches with nothing but a column a run, for bars.
func (r *Result) BarsTable(matches []*Match, quantity string) *analysis.Table {
	t := &analysis.Table{Name: "bars_" + quantity, Columns: []analysis.Column{{Name: "what", Kind: analysis.Key}}}
	for _, run := range r.runs {
		t.Columns = append(t.Columns, analysis.Column{Name: column(run.Label), Head: run.Label + ": " + run.Drive})
	}
	for _, m := range matches {
		f := m.figure(quantity)
		if f == nil {
			continue
		}
		cells := []analysis.Cell{analysis.Word(m.title())}
		for i := range f.Values {
			cells = append(cells, f.Values[i].cell())
		}
		t.Rows = append(t.Rows, analysis.Row{Cells: cells})
	}
	return t
}

// title is the name with what tells it from others.
func (m *Match) title() string {
	switch {
	case m.Cell != nil:
		return m.Name + stateWords(*m.Cell)
	case m.Rail != "":
		return railLabel(m.Rail) + ", " + m.Name
	}
	return m.Name
}
