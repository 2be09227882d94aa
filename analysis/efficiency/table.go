package efficiency

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"powerd/analysis"
	"powerd/analysis/latency"
	"powerd/quarch"
)

// Table returns cells as rows.
func Table(cells []*Cell) *analysis.Table {
	rails := railsOf(cells)
	t := &analysis.Table{
		Name: "efficiency", Title: "Efficiency",
		Columns: slices.Concat([]analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "rw", Head: "Pattern", Kind: analysis.Key},
			{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
			{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
			{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
			{Name: "entropy_pct", Head: "Entropy", Unit: "%", Kind: analysis.Key},
			{Name: "range", Head: "Range", Kind: analysis.Key},
			{Name: "state", Head: "State", Kind: analysis.Key},
			{Name: "first_round", Head: "First round", Kind: analysis.Count},
			{Name: "round", Head: "Round", Kind: analysis.Count},
			{Name: "iops", Head: "IOPS", Unit: "IOPS"},
			{Name: "mb_per_s", Head: "Throughput", Unit: "MB/s"},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
		}, railColumns(rails), []analysis.Column{
			{Name: "iops_per_mw", Head: "IOPS/mW", Unit: "IOPS/mW"},
			{Name: "mb_per_s_per_mw", Head: "MB/s/mW", Unit: "MB/s/mW"},
			{Name: "iops_per_w", Head: "IOPS/W", Unit: "IOPS/W"},
			{Name: "mb_per_s_per_w", Head: "MB/s/W", Unit: "MB/s/W"},
			{Name: "uj_per_io", Head: "Energy per IO", Unit: "µJ"},
			{Name: "u95_rel", Head: "Relative U95", Digits: 2},
			{Name: "u95_scatter_rel", Head: "Relative U95 without the module's", Digits: 2},
			{Name: "energy_j", Head: "Energy", Unit: "J"},
			{Name: "coverage", Head: "Coverage"},
			{Name: "duration_s", Head: "Duration", Unit: "s"},
			{Name: "ios", Head: "IOs", Kind: analysis.Count},
			{Name: "bytes", Head: "Bytes", Unit: "B", Kind: analysis.Count},
			{Name: "latency_mean_us", Head: "Mean latency", Unit: "µs"},
			{Name: "latency_p99_us", Head: "99th percentile latency", Unit: "µs"},
		}),
		Notes: []string{
			"MB = 10⁶ B; ratios are sums over sums of the same window, nothing is subtracted, neither idle power nor a zero",
			"±: half-width of the 95 % interval of the long-run value of the state that the window shows, as far as it tells: scatter of IOs and power together, borders, lost samples, and the module's accuracy, which is the same in all cells of a run: u95_scatter_rel leaves it out, for comparisons on one module. Changes slower than the window are not in it",
		},
	}
	for _, c := range cells {
		t.Rows = append(t.Rows, c.row(rails))
		for _, w := range c.Warnings {
			t.Notes = append(t.Notes, w.Text)
		}
	}
	return t
}

// railsOf returns the rails that any cell has, or should have.
func railsOf(cells []*Cell) []quarch.Rail {
	var out []quarch.Rail
	for _, c := range cells {
		out = slices.AppendSeq(append(out, c.NotMeasured...), maps.Keys(c.Rails))
	}
	slices.SortFunc(out, quarch.CompareRails)
	return slices.Compact(out)
}

func railColumns(rails []quarch.Rail) []analysis.Column {
	out := make([]analysis.Column, len(rails))
	for i, r := range rails {
		out[i] = analysis.Column{Name: string(r) + "_w", Head: analysis.RailLabel(r) + " power", Unit: "W"}
	}
	return out
}

func (c *Cell) row(rails []quarch.Rail) analysis.Row {
	whole := func(n int) analysis.Cell { return analysis.Word(strconv.Itoa(n)) }
	rate := func(x *float64) analysis.Cell { return analysis.OptRel(x, c.IOPSU95Rel, c.why) }
	ratio := func(x *float64) analysis.Cell { return analysis.OptRel(x, c.U95Rel, c.why) }
	var l latency.Figures
	if c.Latency != nil {
		l = *c.Latency
	}
	powers := make([]analysis.Cell, len(rails))
	for i, r := range rails {
		powers[i] = c.rail(r)
	}
	return analysis.Row{StartNs: c.StartMonoNs, EndNs: c.EndMonoNs, Cells: slices.Concat([]analysis.Cell{
		analysis.Word(c.Step), analysis.Word(c.RW), analysis.Word(strconv.FormatInt(c.BSBytes, 10)), whole(c.ReadPct),
		whole(c.QD), whole(c.Jobs), c.entropy(), analysis.Word(c.text()), analysis.Word(c.State), analysis.Val(float64(cmp.Or(c.FirstRound, c.Round))), analysis.Val(float64(c.Round)),
		rate(c.IOPS), rate(c.MBPerS), analysis.OptU(c.MeanW, c.MeanU95W, c.why),
	}, powers, []analysis.Cell{
		ratio(c.IOPSPerMW), ratio(c.MBPerSPerMW), ratio(c.IOPSPerW), ratio(c.MBPerSPerW), ratio(c.UJPerIO),
		analysis.Opt(c.U95Rel, cmp.Or(c.why, c.Reason("u95_rel"))), analysis.Opt(c.U95ScatterRel, cmp.Or(c.why, c.Reason("u95_rel"))), c.energy(), analysis.Opt(c.Coverage, c.why), analysis.Opt(c.DurationS, c.why),
		analysis.Val(float64(c.IOs)), analysis.Val(float64(c.Bytes)), analysis.OptU(l.Mean, l.MeanU95, ""), analysis.Opt(l.P99, l.Reason("p99")),
	})}
}

func (c *Cell) entropy() analysis.Cell {
	if c.EntropyPct == nil {
		return analysis.Word("")
	}
	return analysis.Word(strconv.Itoa(*c.EntropyPct))
}

// energy has the relative ± of the mean power.
func (c *Cell) energy() analysis.Cell {
	x := analysis.Opt(c.EnergyJ, c.why)
	if x.Valid && c.MeanW != nil && c.MeanU95W != nil && *c.MeanW > 0 {
		x.U95 = x.Value * *c.MeanU95W / *c.MeanW
	}
	return x
}

func (c *Cell) rail(r quarch.Rail) analysis.Cell {
	if x := c.Rails[r]; x != nil {
		return analysis.OptU(x.MeanW, x.U95W, c.why)
	}
	if slices.Contains(c.NotMeasured, r) {
		return analysis.No(analysis.RailName(r) + " not measured")
	}
	return analysis.No(c.why)
}

// Reason returns why a figure is withheld, by its name without the cell's: "mean_w". It
// is empty for one that is not.
func (c *Cell) Reason(what string) string {
	for _, w := range c.Withheld {
		if w.What == "efficiency."+c.Step+"."+what {
			return w.Why
		}
	}
	return ""
}
