package report_test

import (
	"powerd/analysis"
	"powerd/powerd/internal/report"
)

// efficiency is a long table of four cells: two mixes at two queue depths, one of
// them withheld. 42,000 IOPS at 6.000 W are 7 IOPS/mW; 110,000 at 6.011 W are 18.3.
func efficiency() *analysis.Table {
	key := func(s string) analysis.Cell { return analysis.Word(s) }
	row := func(step string, read, qd float64, cells ...analysis.Cell) analysis.Row {
		return analysis.Row{
			StartNs: 1_000_000_000, EndNs: 6_000_000_000,
			Cells: append([]analysis.Cell{key(step), analysis.Val(read), analysis.Val(qd)}, cells...),
		}
	}
	why := "coverage 97.1 %, 99 % needed"
	return &analysis.Table{
		Name: "efficiency", Title: "Efficiency",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Count},
			{Name: "qd", Head: "QD", Kind: analysis.Count},
			{Name: "iops", Head: "IOPS", Digits: 6},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "iops_per_mw", Head: "Efficiency", Unit: "IOPS/mW"},
		},
		Rows: []analysis.Row{
			row("r0-qd32", 0, 32, analysis.Val(42000), analysis.ValU(6, 0.031), analysis.ValU(7, 0.036)),
			row("r0-qd8", 0, 8, analysis.Val(41000), analysis.No(why), analysis.No(why)),
			row("r100-qd32", 100, 32, analysis.Val(110000), analysis.ValU(6.011, 0.031), analysis.ValU(18.2998, 0.0944)),
			row("r100-qd8", 100, 8, analysis.Val(60000.5), analysis.ValU(5, 0.03), analysis.ValU(12.0001, 0.0721)),
		},
		Notes: []string{"Ratio of sums over the same window."},
	}
}

func sampleDoc() *report.Doc {
	return &report.Doc{
		Title: "Seagate ST400FM0053, demo", Subtitle: "run r-7f3a", Simulated: true, Scale: "1:4",
		Summary: []report.Line{
			{Label: "Idle power, total", Figure: analysis.ValU(2.981, 0.014), Unit: "W", Verdict: "above datasheet", Note: "at most 2.72 W"},
			{Label: "5 V peak over 100 µs", Figure: analysis.No("needs ≤ 10 µs samples; these are 64 µs"), Unit: "A"},
			{Label: "Best efficiency", Figure: analysis.ValU(18.2998, 0.0944), Unit: "IOPS/mW", Note: "r100-qd32"},
		},
		Conditions: []report.KV{{Key: "Drive", Value: "Seagate ST400FM0053"}, {Key: "Module", Value: "QTL1999-05-001"}},
		Alignment:  "hull + 2 bounds: offset 0.0142 s ± 3.1 ms, status ok.",
		Tables:     []*analysis.Table{efficiency()},
		Withheld:   []analysis.Withheld{{What: "inrush.rails.5v.peaks.100us", Why: "needs ≤ 10 µs samples; these are 64 µs"}},
		Warnings:   []analysis.Warning{{Code: "low_coverage", Text: "97.1 % of samples in r0-qd8"}},
		Footer:     []string{"powerd 0.1.0", "2026-11-30 20:14:05 UTC"},
	}
}
