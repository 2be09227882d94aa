package publish

import (
	"fmt"
	"maps"
	"slices"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/limits"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// summary is what a reader looks for first.
func summary(d *results.Document) []report.Line {
	var out []report.Line
	if d.Idle != nil {
		out = append(out, idleLines(d)...)
	}
	if d.Inrush != nil {
		out = append(out, peakLines(d)...)
	}
	out = append(out, shareLines(d)...)
	out = append(out, best(d.Efficiency, "Best IOPS per milliwatt", "IOPS/mW", func(c *efficiency.Cell) *float64 { return c.IOPSPerMW })...)
	return append(out, best(d.Efficiency, "Best MB/s per milliwatt", "MB/s/mW", func(c *efficiency.Cell) *float64 { return c.MBPerSPerMW })...)
}

// peakLines are the highest currents of the first power-up, each with its window.
func peakLines(d *results.Document) []report.Line {
	var out []report.Line
	c := d.Inrush.Cycles[0]
	for _, r := range slices.SortedFunc(maps.Keys(c.Rails), quarch.CompareRails) {
		for _, p := range c.Rails[r].Peaks {
			if p.Amps == nil || (p.WindowUs != c.ResolutionUs && p.WindowUs != 1000) {
				continue
			}
			line := report.Line{
				Label: fmt.Sprintf("Start-up peak, %s, over %s", analysis.RailLabel(r), span(p.WindowUs)), Figure: analysis.OptU(p.Amps, p.U95A, ""), Unit: "A", Digits: 3,
			}
			if p.AtS != nil {
				line.Note = fmt.Sprintf("at %.0f ms", *p.AtS*1e3)
			}
			judged(d, &line, limits.StartCurrent, string(r), p.WindowUs)
			out = append(out, line)
		}
	}
	return out
}

// span writes a length of time as people do.
func span(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%g s", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%g ms", us/1e3)
	}
	return fmt.Sprintf("%g µs", us)
}
