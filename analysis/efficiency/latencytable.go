package efficiency

import (
	"strconv"

	"powerd/analysis"
	"powerd/analysis/latency"
)

// LatencyTable returns what is known of the latencies of cells, a row each; cells of which
// the engine timed no IO have none.
func LatencyTable(cells []*Cell) *analysis.Table {
	us := func(name, head string) analysis.Column {
		return analysis.Column{Name: name + "_us", Head: head, Unit: "µs"}
	}
	t := &analysis.Table{
		Name: "latency", Title: "Latency",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "rw", Head: "Pattern", Kind: analysis.Key},
			{Name: "bs", Head: "Block size", Unit: "B", Kind: analysis.Key},
			{Name: "read_pct", Head: "Reads", Unit: "%", Kind: analysis.Key},
			{Name: "qd", Head: "Queue depth", Kind: analysis.Key},
			{Name: "jobs", Head: "Jobs", Kind: analysis.Key},
			{Name: "state", Head: "State", Kind: analysis.Key},
			{Name: "iops", Head: "IOPS", Unit: "IOPS"},
			us("mean", "Mean"), us("std", "Standard deviation"), us("p50", "50 %"), us("p99", "99 %"), us("p999", "99.9 %"),
			us("p9999", "99.99 %"), us("p99999", "99.999 %"), us("max", "Maximum"),
		},
		Notes: []string{
			"completion latency, reads and writes together; percentiles are of all their IOs, from histograms that were added up over jobs, directions and rounds, and never averaged. Bins are at most 1/64 of their latency wide, so that a percentile is right to 0.8 %; mean, standard deviation and maximum are exact",
			"a percentile needs ten IOs beyond it: 99.99 % takes 100 000 of them, 99.999 % a million",
		},
	}
	for _, c := range cells {
		if c.Latency != nil {
			t.Rows = append(t.Rows, c.latencyRow(c.Latency))
		}
	}
	return t
}

func (c *Cell) latencyRow(l *latency.Figures) analysis.Row {
	whole := func(n int) analysis.Cell { return analysis.Word(strconv.Itoa(n)) }
	return analysis.Row{StartNs: c.StartMonoNs, EndNs: c.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(c.Step), analysis.Word(c.RW), analysis.Word(strconv.FormatInt(c.BSBytes, 10)), whole(c.ReadPct),
		whole(c.QD), whole(c.Jobs), analysis.Word(c.State), analysis.OptRel(c.IOPS, c.IOPSU95Rel, c.why),
		analysis.OptU(l.Mean, l.MeanU95, ""), analysis.Opt(l.Std, ""), analysis.Opt(l.P50, l.Reason("p50")), analysis.Opt(l.P99, l.Reason("p99")),
		analysis.Opt(l.P999, l.Reason("p999")), analysis.Opt(l.P9999, l.Reason("p9999")), analysis.Opt(l.P99999, l.Reason("p99999")), analysis.Opt(l.Max, ""),
	}}
}
