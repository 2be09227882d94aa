package publish

import (
	"fmt"
	"slices"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/latency"
	"powerd/plots"
	"powerd/powerd/internal/report"
)

// mostHistograms bounds the pictures of a run: that many cells are drawn by themselves, the
// bins of all are in results.json.
const mostHistograms = 24

// latencies draws the histogram of each cell that stands for what was measured, and of those
// that differ in what is outstanding their latency against their IOPS.
func (a *artist) latencies() {
	var cells []*efficiency.Cell
	for _, c := range a.d.Measured() {
		if c.Latency != nil {
			cells = append(cells, c)
		}
	}
	for i, c := range cells {
		if i == mostHistograms {
			break
		}
		a.histogram(c)
	}
	for len(cells) > 0 {
		first := cells[0]
		of := func(c *efficiency.Cell) bool {
			return c.RW == first.RW && c.ReadPct == first.ReadPct && c.BSBytes == first.BSBytes && c.DemandIOPS == 0
		}
		var group []*efficiency.Cell
		for _, c := range cells {
			if of(c) {
				group = append(group, c)
			}
		}
		a.overIOPS(group)
		cells = slices.DeleteFunc(cells, func(c *efficiency.Cell) bool { return c == first || of(c) })
	}
}

// histogram draws that of one cell.
func (a *artist) histogram(c *efficiency.Cell) {
	var bins []plots.LatencyBin
	for _, b := range c.Latency.Histogram() {
		high := float64(b.HighNs) * 1e-3
		if b.Open() {
			high = *c.Latency.Max
		}
		bins = append(bins, plots.LatencyBin{LowUs: float64(b.LowNs) * 1e-3, HighUs: high, IOs: b.IOs})
	}
	if len(bins) == 0 {
		return
	}
	var marks []plots.Mark
	for _, m := range percentileMarks(c.Latency) {
		if m.us != nil {
			marks = append(marks, plots.Mark{AtS: *m.us, Label: m.label + ": " + analysis.FormatValue(*m.us, 0, 3) + " µs"})
		}
	}
	a.save(c.Step+"-latency", "Latency of "+c.Step, "How many IOs took how long (left axis, logarithmic), reads and writes together, and the share that took no longer (right axis).",
		func() (*plots.Picture, error) {
			return plots.LatencyHistogram(bins, marks, cellText(c), a.with(c.Step, ""))
		})
}

type percentileMark struct {
	us    *float64
	label string
}

func percentileMarks(l *latency.Figures) []percentileMark {
	return []percentileMark{{l.P50, "50 %"}, {l.P99, "99 %"}, {l.P999, "99.9 %"}, {l.P9999, "99.99 %"}, {l.P99999, "99.999 %"}}
}

// cellText names a workload: "randrw, 4 KiB, 70 % reads, queue depth 32, jobs 1".
func cellText(c *efficiency.Cell) string {
	return fmt.Sprintf("%s, queue depth %d, jobs %d", mixText(c), c.QD, c.Jobs)
}

func mixText(c *efficiency.Cell) string {
	return fmt.Sprintf("%s, %s, %d %% reads", c.RW, report.BlockSize(float64(c.BSBytes)), c.ReadPct)
}

// overIOPS draws cells of one mix and block size that differ in queue depth or jobs: with one
// number of jobs all latencies in one panel, else a panel each and a line a number of jobs.
func (a *artist) overIOPS(cells []*efficiency.Cell) {
	jobs := map[int][]*efficiency.Cell{}
	var order []int
	depths := map[int]bool{}
	for _, c := range cells {
		if c.IOPS == nil {
			continue
		}
		if len(jobs[c.Jobs]) == 0 {
			order = append(order, c.Jobs)
		}
		jobs[c.Jobs] = append(jobs[c.Jobs], c)
		depths[c.QD] = true
	}
	if len(depths) < 2 {
		return
	}
	kinds := []struct {
		label string
		of    func(*latency.Figures) *float64
	}{
		{"mean", func(l *latency.Figures) *float64 { return l.Mean }},
		{"99 %", func(l *latency.Figures) *float64 { return l.P99 }},
		{"99.9 %", func(l *latency.Figures) *float64 { return l.P999 }},
		{"99.99 %", func(l *latency.Figures) *float64 { return l.P9999 }},
	}
	var panels []plots.LatencyPanel
	if len(order) == 1 {
		panel := plots.LatencyPanel{Label: "Latency (µs)"}
		for _, k := range kinds {
			panel.Lines = append(panel.Lines, latencyLine(k.label, jobs[order[0]], k.of))
		}
		panels = append(panels, panel)
	} else {
		for _, k := range kinds {
			panel := plots.LatencyPanel{Label: k.label + " latency (µs)"}
			for _, n := range order {
				panel.Lines = append(panel.Lines, latencyLine(fmt.Sprintf("jobs %d", n), jobs[n], k.of))
			}
			panels = append(panels, panel)
		}
	}
	first := cells[0]
	mix := mixText(first)
	name := fmt.Sprintf("latency-%s-r%d-%d-vs-iops", first.RW, first.ReadPct, first.BSBytes)
	a.save(name, "Latency against IOPS: "+mix, "One dot a cell, in the order of the queue depths; percentiles of all IOs of the cell. "+cellsState(cells),
		func() (*plots.Picture, error) { return plots.LatencyOverIOPS(panels, mix, a.footer) })
}

// latencyLine is one latency of cells over their IOPS, by queue depth.
func latencyLine(label string, cells []*efficiency.Cell, of func(*latency.Figures) *float64) plots.Line {
	l := plots.Line{Label: label}
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, b *efficiency.Cell) int { return a.QD - b.QD })
	for _, c := range sorted {
		if us := of(c.Latency); us != nil {
			l.X, l.Y = append(l.X, *c.IOPS), append(l.Y, *us)
		}
	}
	return l
}

// cellsState says of which state cells are.
func cellsState(cells []*efficiency.Cell) string { return stateText(efficiency.Table(cells)) }
