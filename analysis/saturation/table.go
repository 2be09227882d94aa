package saturation

import (
	"fmt"
	"strconv"

	"powerd/analysis"
)

// keys are the columns that name a row of either table.
func keys() []analysis.Column {
	return []analysis.Column{
		{Name: "step", Head: "Step", Kind: analysis.Key},
		{Name: "rw", Head: "Pattern", Kind: analysis.Key},
		{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
		{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
		{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
		{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
	}
}

func (r *Result) keys() []analysis.Cell {
	whole := func(n int) analysis.Cell { return analysis.Word(strconv.Itoa(n)) }
	return []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(r.RW), analysis.Word(strconv.FormatInt(r.BSBytes, 10)),
		whole(r.ReadPct), whole(r.QD), whole(r.Jobs),
	}
}

// Table returns the windows as rows.
func Table(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "saturation", Title: "Write saturation",
		Columns: append(keys(),
			analysis.Column{Name: "window", Head: "Window", Kind: analysis.Key},
			analysis.Column{Name: "state", Head: "State", Kind: analysis.Key},
			analysis.Column{Name: "rounds", Head: "Rounds", Kind: analysis.Text},
			analysis.Column{Name: "iops", Head: "IOPS", Unit: "IOPS"},
			analysis.Column{Name: "mb_per_s", Head: "Throughput", Unit: "MB/s"},
			analysis.Column{Name: "mean_w", Head: "Mean power", Unit: "W"},
			analysis.Column{Name: "iops_per_mw", Head: "IOPS/mW", Unit: "IOPS/mW"},
			analysis.Column{Name: "iops_per_w", Head: "IOPS/W", Unit: "IOPS/W"},
			analysis.Column{Name: "u95_rel", Head: "Relative U95", Digits: 2},
			analysis.Column{Name: "u95_scatter_rel", Head: "Relative U95 without the module's", Digits: 2},
			analysis.Column{Name: "energy_j", Head: "Energy", Unit: "J"},
			analysis.Column{Name: "coverage", Head: "Coverage"},
			analysis.Column{Name: "duration_s", Head: "Duration", Unit: "s"},
			analysis.Column{Name: "ios", Head: "IOs", Kind: analysis.Count},
			analysis.Column{Name: "bytes", Head: "Bytes", Unit: "B", Kind: analysis.Count},
		),
		Notes: []string{
			"figures are sums over sums of the very same rounds; the time between rounds is in none. Coverage is that of the round that has least",
			"state: no steady-state rule judged the last rounds, and nothing shows that the drive was purged before the fresh ones",
		},
	}
	for _, r := range results {
		for _, w := range []struct {
			name string
			*Window
		}{{"fresh", r.Fresh}, {"last", r.Last}} {
			if w.Window != nil {
				t.Rows = append(t.Rows, r.row(w.name, w.Window))
			}
		}
	}
	return t
}

func (r *Result) row(name string, w *Window) analysis.Row {
	why := func(figure string) string { return r.why(name + "." + figure) }
	noU := "the rounds are too short to tell their scatter"
	rounds := fmt.Sprintf("%d to %d", w.FirstRound, w.LastRound)
	if w.FirstRound == w.LastRound {
		rounds = strconv.Itoa(w.FirstRound)
	}
	ratios := why("iops_per_mw")
	if w.MeanW == nil {
		ratios = why("mean_w")
	}
	return analysis.Row{StartNs: w.StartMonoNs, EndNs: w.EndMonoNs, Cells: append(r.keys(),
		analysis.Word(name), analysis.Word(w.State), analysis.Word(rounds),
		analysis.OptRel(w.IOPS, w.IOPSU95Rel, why("iops")), analysis.OptRel(w.MBPerS, w.IOPSU95Rel, why("iops")),
		analysis.OptU(w.MeanW, w.MeanU95W, why("mean_w")),
		analysis.OptRel(w.IOPSPerMW, w.U95Rel, ratios), analysis.OptRel(w.IOPSPerW, w.U95Rel, ratios),
		analysis.Opt(w.U95Rel, noU), analysis.Opt(w.U95ScatterRel, noU),
		analysis.Opt(w.EnergyJ, why("mean_w")), analysis.Opt(w.Coverage, "no samples"), analysis.Val(w.DurationS),
		analysis.Val(float64(w.IOs)), analysis.Val(float64(w.Bytes)),
	)}
}

// ShareTable returns the comparisons as rows.
func ShareTable(results []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "housekeeping", Title: "Housekeeping share",
		Columns: append(keys(),
			analysis.Column{Name: "rounds", Head: "Rounds", Kind: analysis.Count},
			analysis.Column{Name: "bytes", Head: "Moved", Unit: "B", Kind: analysis.Count},
			analysis.Column{Name: "cliff_round", Head: "Cliff from round", Kind: analysis.Count},
			analysis.Column{Name: "iops_ratio", Head: "IOPS fresh/last"},
			analysis.Column{Name: "power_change_w", Head: "Power change", Unit: "W"},
			analysis.Column{Name: "power_change_rel", Head: "Relative power change"},
			analysis.Column{Name: "housekeeping_share_iops", Head: "Share, IOPS form"},
			analysis.Column{Name: "housekeeping_share_efficiency", Head: "Share, efficiency form"},
		),
		Notes: []string{
			"IOPS form: (fresh − last)/fresh of the IOPS, a share of the work at equal power only, so the change of power from the fresh to the last rounds stands beside it, and may be 10 % at most",
			"efficiency form: 1 − (IOPS/mW last)/(IOPS/mW fresh), at any power",
			"cliff: the round from which on all lie below 90 % of the fresh rounds' IOPS",
		},
	}
	for _, r := range results {
		if r.Fresh == nil {
			t.Notes = append(t.Notes, r.Step+": "+r.why(""))
			continue
		}
		cliff := analysis.No("none stands out")
		if r.CliffRound > 0 {
			cliff = analysis.Val(float64(r.CliffRound))
		}
		t.Rows = append(t.Rows, analysis.Row{StartNs: r.Fresh.StartMonoNs, EndNs: r.Last.EndMonoNs, Cells: append(r.keys(),
			analysis.Val(float64(r.Rounds)), analysis.Val(float64(r.Bytes)), cliff,
			analysis.OptU(r.IOPSRatio, r.IOPSRatioU95, r.why("housekeeping_share_iops")),
			analysis.OptU(r.PowerChangeW, r.PowerChangeU95W, r.why("power_change_w")), analysis.Opt(r.PowerChangeRel, r.why("power_change_w")),
			analysis.OptU(r.ShareIOPS, r.ShareIOPSU95, r.why("housekeeping_share_iops")),
			analysis.OptU(r.ShareEfficiency, r.ShareEfficiencyU95, r.why("housekeeping_share_efficiency")),
		)})
	}
	return t
}
