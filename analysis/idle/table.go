package idle

import (
	"slices"
	"strconv"

	"powerd/analysis"
	"powerd/quarch"
)

// Table returns the results as rows, one a rail and one for the total. Gross, zero and
// net have columns of their own where a zero is known.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "idle", Title: "Idle power",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "kind", Head: "Kind", Kind: analysis.Key},
			{Name: "level", Head: "Level", Kind: analysis.Key},
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "min_w", Head: "Minimum", Unit: "W"},
			{Name: "max_w", Head: "Maximum", Unit: "W"},
			{Name: "std_w", Head: "Std. deviation", Unit: "W", Digits: 3},
			{Name: "p50_w", Head: "Median", Unit: "W"},
			{Name: "p99_w", Head: "99th percentile", Unit: "W"},
			{Name: "mean_a", Head: "Mean current", Unit: "A"},
			{Name: "mean_v", Head: "Mean voltage", Unit: "V"},
			{Name: "coverage", Head: "Coverage"},
			{Name: "duration_s", Head: "Duration", Unit: "s"},
			{Name: "settled_after_s", Head: "Settled after", Unit: "s"},
		},
		Notes: []string{"± of the mean power: its own scatter, for the total the window's borders, and the module's accuracy as far as it is known; nothing is subtracted from it. Mean current and voltage have theirs; a median, a percentile, an extreme and a standard deviation have none"},
	}
	zeroed := slices.ContainsFunc(results, func(r *Result) bool { return r.zeroed() })
	if zeroed {
		t.Columns[t.Col("mean_w")].Head = "Mean power, gross"
		t.Columns = append(t.Columns,
			analysis.Column{Name: "gross_w", Head: "Gross", Unit: "W"},
			analysis.Column{Name: "zero_w", Head: "Zero (module and fixture)", Unit: "W"},
			analysis.Column{Name: "net_w", Head: "Net", Unit: "W"})
		t.Notes = append(t.Notes, "gross: as measured; zero: what module and fixture read without a drive, at the rail's present volts; net: gross less zero, which claims of a datasheet are held against")
	}
	for _, r := range results {
		for _, row := range r.rows() {
			if zeroed {
				row.Cells = append(row.Cells, row.figures.split()...)
			}
			t.Rows = append(t.Rows, row.Row)
		}
		t.Notes = append(t.Notes, r.sentence())
		for _, w := range r.Warnings {
			t.Notes = append(t.Notes, w.Text)
		}
	}
	return t
}

// row is a row of the table and what it shows.
type row struct {
	analysis.Row
	figures *Figures
}

func (r *Result) zeroed() bool {
	for _, f := range r.Rails {
		if f.ZeroW != nil {
			return true
		}
	}
	return false
}

// sentence says how far the result can be trusted.
func (r *Result) sentence() string {
	if r.Trust == nil {
		return "idle step " + r.Step + ": nothing is known of how far to trust it"
	}
	level := ""
	if r.Level > 0 {
		level = ", level " + strconv.Itoa(r.Level)
	}
	link := ""
	if r.LinkPower != "" {
		link = ", with " + r.LinkPower
	}
	return "idle step " + r.Step + level + link + ": " + r.Trust.Text()
}

func (r *Result) rows() []row {
	var out []row
	for rail := range quarch.ByRail(r.Rails) {
		out = append(out, r.row(string(rail), r.Rails[rail]))
	}
	for _, rail := range r.NotMeasured {
		out = append(out, r.row(string(rail), &Figures{why: analysis.RailName(rail) + " not measured"}))
	}
	for _, rail := range r.NoRails {
		if r.Rails[rail] == nil {
			out = append(out, r.row(string(rail), &Figures{why: analysis.RailName(rail) + ": the drive has none"}))
		}
	}
	return append(out, r.row("total", r.Total))
}

func (r *Result) row(rail string, f *Figures) row {
	level := ""
	if r.Level > 0 {
		level = strconv.Itoa(r.Level)
	}
	return row{figures: f, Row: analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(r.Kind), analysis.Word(level), analysis.Word(rail),
		analysis.OptU(f.MeanW, f.U95W, f.why),
		analysis.Opt(f.MinW, f.why), analysis.Opt(f.MaxW, f.why), analysis.Opt(f.StdW, f.why),
		analysis.Opt(f.P50W, f.why), analysis.Opt(f.P99W, f.why),
		analysis.OptU(f.MeanA, f.U95A, f.why), analysis.OptU(f.MeanV, f.U95V, f.why),
		analysis.Opt(f.coverage, f.why), analysis.Val(r.DurationS), analysis.Opt(r.SettledAfterS, r.unsettledWhy()),
	}}}
}

// unsettledWhy returns why nobody knows when the drive settled.
func (r *Result) unsettledWhy() string {
	for _, w := range r.Withheld {
		if w.What == r.name()+".settled_after_s" {
			return w.Why
		}
	}
	return ""
}

// split returns gross, zero and net.
func (f *Figures) split() []analysis.Cell {
	why := f.why
	if why == "" {
		why = "no zero of this rail is known"
	}
	return []analysis.Cell{analysis.OptU(f.MeanW, f.U95W, f.why), analysis.OptU(f.ZeroW, f.ZeroU95W, why), analysis.OptU(f.NetW, f.NetU95W, why)}
}
