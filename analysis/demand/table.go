package demand

import (
	"fmt"
	"strconv"

	"powerd/analysis"
)

// Table returns the demands of ramps as rows.
func Table(ramps []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "demand", Title: "Demand ramps",
		Columns: []analysis.Column{
			{Name: "ramp", Head: "Ramp", Kind: analysis.Key},
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "demand_iops", Head: "Demand", Unit: "IOPS", Kind: analysis.Count},
			{Name: "iops", Head: "IOPS", Unit: "IOPS"},
			{Name: "met", Head: "Met", Kind: analysis.Text},
			{Name: "latency_mean_us", Head: "Mean latency", Unit: "µs"},
			{Name: "latency_max_us", Head: "Maximum latency", Unit: "µs"},
			{Name: "mean_w", Head: "Mean power", Unit: "W"},
			{Name: "iops_per_mw", Head: "IOPS/mW", Unit: "IOPS/mW"},
		},
		Notes: []string{fmt.Sprintf("met: the engine did %g %% of the demand or more", 100*MetShare)},
	}
	for _, r := range ramps {
		for _, s := range r.Steps {
			t.Rows = append(t.Rows, r.row(s))
		}
		if limit := r.Limit(); limit != "" {
			t.Notes = append(t.Notes, r.Step+": "+limit)
		}
	}
	return t
}

func (r *Result) row(s *Step) analysis.Row {
	const seeCell = "see the step's row of the table Efficiency"
	iops, met := analysis.Opt(s.IOPS, seeCell), analysis.No("its IOPS are not known")
	iops.U95 = s.iopsU95
	if s.Met != nil {
		met = analysis.Word(map[bool]string{true: "yes", false: "no"}[*s.Met])
	}
	return analysis.Row{StartNs: s.startNs, EndNs: s.endNs, Cells: []analysis.Cell{
		analysis.Word(r.Step), analysis.Word(s.Step), analysis.Val(float64(s.DemandIOPS)), iops, met,
		analysis.Opt(s.LatencyMeanUs, "the engine gave none"), analysis.Opt(s.LatencyMaxUs, "the engine gave none"),
		analysis.OptU(s.MeanW, s.MeanU95W, seeCell), analysis.Opt(s.IOPSPerMW, seeCell),
	}}
}

// LimitTable returns the limits of ramps as rows.
func LimitTable(ramps []*Result) *analysis.Table {
	t := &analysis.Table{
		Name: "demand_limits", Title: "Demand limits",
		Columns: []analysis.Column{
			{Name: "ramp", Head: "Ramp", Kind: analysis.Key},
			{Name: "rw", Head: "Pattern", Kind: analysis.Key},
			{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
			{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
			{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
			{Name: "limit_iops", Head: "Largest demand met", Unit: "IOPS", Kind: analysis.Count},
			{Name: "next_iops", Head: "Smallest above it not met", Unit: "IOPS", Kind: analysis.Count},
			{Name: "most_iops", Head: "Most that any step did", Unit: "IOPS"},
		},
	}
	count := func(n *int, why string) analysis.Cell {
		if n == nil {
			return analysis.No(why)
		}
		return analysis.Val(float64(*n))
	}
	for _, r := range ramps {
		why := ""
		if len(r.Withheld) > 0 {
			why = r.Withheld[0].Why
		}
		if len(r.Steps) == 0 {
			continue
		}
		t.Rows = append(t.Rows, analysis.Row{StartNs: r.Steps[0].startNs, EndNs: r.Steps[len(r.Steps)-1].endNs, Cells: []analysis.Cell{
			analysis.Word(r.Step), analysis.Word(r.RW), analysis.Word(strconv.FormatInt(r.BSBytes, 10)), analysis.Word(strconv.Itoa(r.ReadPct)),
			analysis.Word(strconv.Itoa(r.QD)), analysis.Word(strconv.Itoa(r.Jobs)),
			count(r.LimitIOPS, why), count(r.NextIOPS, "all were met"), analysis.Opt(r.MostIOPS, why),
		}})
	}
	return t
}
