package idle

import (
	"fmt"
	"maps"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// Table returns the results as rows, one a rail, one for the total, and one for
// each of two levels.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "idle", Title: "Idle power",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "kind", Head: "Kind", Kind: analysis.Key},
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
		},
		Notes: []string{"± of the mean power: its own scatter, and for the total the window's borders; the module's accuracy is not in it"},
	}
	for _, r := range results {
		for _, rail := range slices.SortedFunc(maps.Keys(r.Rails), quarch.CompareRails) {
			t.Rows = append(t.Rows, r.row(string(rail), r.Rails[rail]))
		}
		for _, rail := range r.NotMeasured {
			t.Rows = append(t.Rows, r.row(string(rail), &Figures{why: string(rail) + " not measured"}))
		}
		t.Rows = append(t.Rows, r.row("total", r.Total))
		for i, l := range r.Levels {
			t.Rows = append(t.Rows, r.levelRow(i, l, len(t.Columns)))
		}
		for _, w := range r.Warnings {
			t.Notes = append(t.Notes, w.Text)
		}
	}
	return t
}

func (r *Result) row(rail string, f *Figures) analysis.Row {
	return analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(r.Kind), analysis.Word(rail),
		analysis.OptU(f.MeanW, f.U95W, f.why),
		analysis.Opt(f.MinW, f.why), analysis.Opt(f.MaxW, f.why), analysis.Opt(f.StdW, f.why),
		analysis.Opt(f.P50W, f.why), analysis.Opt(f.P99W, f.why),
		analysis.Opt(f.MeanA, f.why), analysis.Opt(f.MeanV, f.why),
		analysis.Opt(f.coverage, f.why), analysis.Val(r.DurationS),
	}}
}

// levelRow returns a level's row: the total's mean power and seconds, no more.
func (r *Result) levelRow(i int, l Level, columns int) analysis.Row {
	row := analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: make([]analysis.Cell, columns)}
	row.Cells[0], row.Cells[1] = analysis.Word(r.Step), analysis.Word(r.Kind)
	row.Cells[2] = analysis.Word(fmt.Sprintf("total_level_%d", i+1))
	row.Cells[3], row.Cells[columns-1] = analysis.Val(l.MeanW), analysis.Val(l.DurationS)
	return row
}
