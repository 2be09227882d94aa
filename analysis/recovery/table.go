package recovery

import (
	"strconv"

	"powerd/analysis"
)

// Table returns loads with pauses as rows.
func Table(all []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "recovery", Title: "Recovery by pause",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "rw", Head: "Pattern", Kind: analysis.Key},
			{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
			{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
			{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
			{Name: "pause_s", Head: "Pause", Unit: "s"},
			{Name: "load_s", Head: "Load between", Unit: "s"},
			{Name: "bursts", Head: "Loads after a pause", Kind: analysis.Count},
			{Name: "seen_pause_s", Head: "Pause as seen", Unit: "s"},
			{Name: "before_iops", Head: "IOPS before", Unit: "IOPS"},
			{Name: "iops", Head: "IOPS after", Unit: "IOPS"},
			{Name: "mb_per_s", Head: "Throughput after", Unit: "MB/s"},
			{Name: "then_iops", Head: "IOPS then, without pauses", Unit: "IOPS"},
			{Name: "gain", Head: "After ÷ before"},
			{Name: "recovery_share", Head: "Share of what was lost"},
			{Name: "before_mean_w", Head: "Power before", Unit: "W"},
			{Name: "pause_mean_w", Head: "Power in the pause", Unit: "W"},
			{Name: "mean_w", Head: "Power after", Unit: "W"},
			{Name: "iops_per_mw", Head: "IOPS/mW after", Unit: "IOPS/mW"},
		},
		Notes: []string{
			"after: all loads that follow a pause, added up; the first load, which follows none, is left out",
			"share of what was lost: (after − before) ÷ (fresh − before) of the IOPS",
		},
	}
	for _, r := range all {
		t.Rows = append(t.Rows, r.row())
	}
	return t
}

func (r *Result) row() analysis.Row {
	whole := func(n int) analysis.Cell { return analysis.Word(strconv.Itoa(n)) }
	after, pause := r.After, r.Pause
	if after == nil {
		after = &Figures{}
	}
	if pause == nil {
		pause = &Figures{}
	}
	seen := analysis.OptU(r.SeenPauseS, r.SeenPauseU95, r.reason("after"))
	before := analysis.Opt(r.BeforeIOPS, "the load before the pauses left none")
	return analysis.Row{StartNs: r.StartMonoNs, EndNs: r.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(r.RW), analysis.Word(strconv.FormatInt(r.BSBytes, 10)), whole(r.ReadPct), whole(r.QD), whole(r.Jobs),
		analysis.Val(r.PauseS), analysis.Val(r.LoadS), analysis.Val(float64(len(r.Bursts))), seen, before,
		analysis.OptU(after.IOPS, after.IOPSU95, r.reason("after")), analysis.Opt(after.MBPerS, r.reason("after")),
		analysis.Opt(r.ThenIOPS, "the load after the pauses left none"),
		analysis.OptU(r.Gain, r.GainU95, r.reason("gain")), analysis.Opt(r.Share, r.reason("recovery_share")),
		analysis.Opt(r.BeforeMeanW, "the load before the pauses left none"),
		analysis.OptU(pause.MeanW, pause.MeanU95W, r.reason("pause.mean_w")), analysis.OptU(after.MeanW, after.MeanU95W, r.reason("after.mean_w")),
		analysis.Opt(after.IOPSPerMW, r.reason("after.mean_w")),
	}}
}

// reason returns why a figure is withheld; where all are, that.
func (r *Result) reason(what string) string {
	for _, w := range r.Withheld {
		if w.What == "recovery."+r.Step+"."+what || w.What == "recovery."+r.Step+".after" {
			return w.Why
		}
	}
	return ""
}
