package scaling

import (
	"cmp"
	"strconv"

	"powerd/analysis"
)

// Table returns the series, one row each.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "scaling", Title: "Power over load",
		Columns: []analysis.Column{
			{Name: "group", Head: "Step", Kind: analysis.Key},
			{Name: "rw", Head: "Pattern", Kind: analysis.Key},
			{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
			{Name: "entropy_pct", Head: "Entropy", Unit: "%", Kind: analysis.Count},
			{Name: "cells", Head: "Loads", Kind: analysis.Count},
			{Name: "base_w", Head: "At no IO", Unit: "W"},
			{Name: "awake_w", Head: "above idle", Unit: "W"},
			{Name: "uj_per_io", Head: "One more IO", Unit: "µJ"},
			{Name: "knee_depth", Head: "Knee at depth", Digits: 2},
			{Name: "sweet_spot", Head: "Sweet spot", Kind: analysis.Key},
			{Name: "sweet_iops", Head: "does", Unit: "IOPS"},
			{Name: "sweet_uj_per_io", Head: "at", Unit: "µJ/IO"},
			{Name: "dynamic_range", Head: "Dynamic range"},
			{Name: "proportionality", Head: "Proportionality"},
		},
		Notes: []string{
			"at no IO and one more IO: the line through the watts over the IOPS of a series; knee: the depth (queue depth × jobs) from which on more of it buys latency and no IOPS; sweet spot: the first load at or beyond it",
			"dynamic range: (highest − idle)/highest power; proportionality: 1 = power in proportion to load, 0 = always the highest",
		},
	}
	for _, r := range results {
		sweet := analysis.Word(r.SweetSpot)
		if r.SweetSpot == "" {
			sweet = analysis.No(cmp.Or(r.why("sweet_spot"), "the IOPS were asked for"))
		}
		var entropy analysis.Cell
		if r.EntropyPct != nil {
			entropy = analysis.Val(float64(*r.EntropyPct))
		}
		t.Rows = append(t.Rows, analysis.Row{Cells: []analysis.Cell{
			analysis.Word(r.Group), analysis.Word(r.RW), analysis.Word(strconv.FormatInt(r.BSBytes, 10)), analysis.Val(float64(r.ReadPct)), entropy, analysis.Val(float64(r.Cells)),
			analysis.OptU(r.BaseW, r.BaseU95W, r.why("base_w")), analysis.OptU(r.AwakeW, r.AwakeU95W, r.why("awake_w")), analysis.OptU(r.UJPerIO, r.UJU95, r.why("uj_per_io")),
			analysis.Opt(r.KneeDepth, r.why("knee_depth")), sweet, analysis.Opt(r.SweetIOPS, ""), analysis.OptRel(r.SweetUJ, r.SweetU95Rel, ""),
			analysis.OptU(r.DynamicRange, r.DynamicRangeU95, r.why("dynamic_range")), analysis.OptU(r.Proportionality, r.ProportionalityU95, r.why("proportionality")),
		}})
	}
	return t
}
