package record

import (
	"powerd/analysis"
	"powerd/quarch"
)

// ioColumns are the columns of what reached the drive, in the order of IO.cells.
func ioColumns() []analysis.Column {
	return []analysis.Column{
		{Name: "iops", Head: "IOPS", Unit: "IOPS"},
		{Name: "mb_per_s", Head: "Throughput", Unit: "MB/s"},
		{Name: "iops_per_mw", Head: "IOPS/mW", Unit: "IOPS/mW"},
		{Name: "mb_per_s_per_mw", Head: "MB/s/mW", Unit: "MB/s/mW"},
		{Name: "uj_per_io", Head: "Energy per IO", Unit: "µJ"},
		{Name: "reads", Head: "Reads", Kind: analysis.Count},
		{Name: "writes", Head: "Writes", Kind: analysis.Count},
		{Name: "read_bytes", Head: "Bytes read", Unit: "B", Kind: analysis.Count},
		{Name: "write_bytes", Head: "Bytes written", Unit: "B", Kind: analysis.Count},
	}
}

// cells are those of ioColumns; of a drive that was not followed, empty ones.
func (io *IO) cells() []analysis.Cell {
	if io == nil {
		return make([]analysis.Cell, len(ioColumns()))
	}
	count := func(n uint64) analysis.Cell { return analysis.Val(float64(n)) }
	rate := func(x *float64) analysis.Cell { return analysis.OptRel(x, io.IOPSU95Rel, io.why) }
	ratio := func(x *float64) analysis.Cell { return analysis.OptRel(x, io.U95Rel, io.why) }
	return []analysis.Cell{
		rate(io.IOPS), rate(io.MBPerS), ratio(io.IOPSPerMW), ratio(io.MBPerSPerMW), ratio(io.UJPerIO),
		count(io.Reads), count(io.Writes), count(io.ReadBytes), count(io.WriteBytes),
	}
}

// notes are what a reader of both tables must know.
func notes() []string {
	return []string{
		"IO: what reached the drive by the kernel's counts, over their own window inside that of the power; the ratios' joules are of that very window. MB = 10⁶ B; idle power is not subtracted",
		"±: half-width of the 95 % interval of the long-run value, from scatter, borders, lost samples and the module's accuracy",
	}
}

// Table returns recorded steps as rows: one a rail, and one for all of them, which has
// the IO.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "record", Title: "Recorded",
		Columns: append([]analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "min_w", Head: "Minimum", Unit: "W"},
			{Name: "max_w", Head: "Maximum", Unit: "W"},
			{Name: "p99_w", Head: "99th percentile", Unit: "W"},
			{Name: "energy_j", Head: "Energy", Unit: "J"},
			{Name: "mean_a", Head: "Mean current", Unit: "A"},
			{Name: "mean_v", Head: "Mean voltage", Unit: "V"},
			{Name: "coverage", Head: "Coverage"},
			{Name: "duration_s", Head: "Duration", Unit: "s"},
		}, ioColumns()...),
		Notes: notes(),
	}
	for _, r := range results {
		for rail := range quarch.ByRail(r.Rails) {
			t.Rows = append(t.Rows, r.row(string(rail), r.Rails[rail], nil))
		}
		t.Rows = append(t.Rows, r.row("total", r.Total, r.IO))
		for _, w := range r.Warnings {
			t.Notes = append(t.Notes, w.Text)
		}
	}
	return t
}

func (r *Result) row(rail string, f *Figures, io *IO) analysis.Row {
	return analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: append([]analysis.Cell{
		analysis.Word(r.Name), analysis.Word(rail), analysis.OptU(f.MeanW, f.U95W, r.why),
		analysis.Opt(f.MinW, r.why), analysis.Opt(f.MaxW, r.why), analysis.Opt(f.P99W, r.why), energy(f.EnergyJ, f.MeanW, f.U95W, r.why),
		analysis.OptU(f.MeanA, f.U95A, r.why), analysis.OptU(f.MeanV, f.U95V, r.why), analysis.Val(r.Coverage), analysis.Val(r.DurationS),
	}, io.cells()...)}
}

// energy has the relative ± of the mean power.
func energy(j, meanW, u95W *float64, why string) analysis.Cell {
	c := analysis.Opt(j, why)
	if c.Valid && meanW != nil && u95W != nil && *meanW > 0 {
		c.U95 = c.Value * *u95W / *meanW
	}
	return c
}

// MarksTable returns marked windows as rows.
func MarksTable(marks []*Mark) *analysis.Table {
	t := &analysis.Table{
		Name: "marks", Title: "Marked windows",
		Columns: append([]analysis.Column{
			{Name: "name", Head: "Name", Kind: analysis.Key},
			{Name: "duration_s", Head: "Duration", Unit: "s"},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "max_w", Head: "Maximum", Unit: "W"},
			{Name: "energy_j", Head: "Energy", Unit: "J"},
			{Name: "count", Head: "Count", Kind: analysis.Count},
			{Name: "unit", Head: "Unit", Kind: analysis.Key},
			{Name: "per_joule", Head: "Count per joule", Unit: "1/J"},
			{Name: "per_s", Head: "Count per second", Unit: "1/s"},
			{Name: "coverage", Head: "Coverage"},
		}, ioColumns()...),
		Notes: append(notes(), "Count: what the marks' user says was done; taken as exact, and so is the time between two marks of this host: a count per second has no ± then"),
	}
	for _, m := range marks {
		t.Rows = append(t.Rows, m.row())
		t.Notes = append(t.Notes, m.far()...)
	}
	return t
}

func (m *Mark) row() analysis.Row {
	counted := func(x, u95 *float64) analysis.Cell {
		if m.Count == nil {
			return analysis.Cell{}
		}
		return analysis.OptU(x, u95, m.why)
	}
	var count *float64
	if m.Count != nil {
		count = analysis.Some(float64(*m.Count))
	}
	return analysis.Row{StartNs: m.StartMonoNs, EndNs: m.EndMonoNs, Cells: append([]analysis.Cell{
		analysis.Word(m.Name), analysis.Val(m.DurationS), analysis.OptU(m.MeanW, m.U95W, m.why), analysis.Opt(m.MaxW, m.why),
		energy(m.EnergyJ, m.MeanW, m.U95W, m.why), analysis.Opt(count, ""), analysis.Word(m.Unit),
		counted(m.PerJoule, m.PerJouleU95), counted(m.PerS, m.PerSU95), analysis.Val(m.Coverage),
	}, m.IO.cells()...)}
}
