package publish

import (
	"fmt"

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
	out = append(out, demandLines(d)...)
	out = append(out, recoveryLines(d)...)
	out = append(out, best(d.Measured(), "Best IOPS per milliwatt", "IOPS/mW", func(c *efficiency.Cell) *float64 { return c.IOPSPerMW })...)
	return append(out, best(d.Measured(), "Best MB/s per milliwatt", "MB/s/mW", func(c *efficiency.Cell) *float64 { return c.MBPerSPerMW })...)
}

// peakLines are the highest currents of the first power-up, each with its window.
func peakLines(d *results.Document) []report.Line {
	var out []report.Line
	c := d.Inrush.Cycles[0]
	for r := range quarch.ByRail(c.Rails) {
		for _, p := range c.Rails[r].Peaks {
			if p.Amps == nil || (p.WindowUs != c.ResolutionUs && p.WindowUs != 1000) {
				continue
			}
			line := report.Line{
				Label: fmt.Sprintf("Start-up peak, %s, over %s", analysis.RailLabel(r), span(p.WindowUs)), Figure: analysis.OptU(p.Amps, p.U95A, ""), Unit: "A", Digits: 3,
			}
			if p.AtS != nil {
				line.Note = "at " + millis(*p.AtS, p.AtU95S)
			}
			judged(d, &line, limits.StartCurrent, string(r), p.WindowUs)
			out = append(out, line)
		}
	}
	return out
}

// millis writes a time to the millisecond, with its ± where that shows.
func millis(s float64, u95S *float64) string {
	const shows = 0.5e-3
	if u95S == nil || *u95S < shows {
		return fmt.Sprintf("%.0f ms", s*1e3)
	}
	return analysis.FormatValue(s*1e3, *u95S*1e3, 0) + " ms"
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
