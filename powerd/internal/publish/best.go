package publish

import (
	"fmt"
	"math"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/powerd/internal/report"
)

// best is the cell that gives most of something, and which others its ± does not tell
// from it: of those none is the best.
func best(cells []*efficiency.Cell, label, unit string, of func(*efficiency.Cell) *float64) []report.Line {
	var top *efficiency.Cell
	for _, c := range cells {
		if v := of(c); v != nil && (top == nil || *v > *of(top)) {
			top = c
		}
	}
	if top == nil {
		return nil
	}
	var alike, unknown []string
	for _, c := range cells {
		v := of(c)
		switch {
		case c == top || v == nil:
		case top.U95ScatterRel == nil || c.U95ScatterRel == nil:
			unknown = append(unknown, c.Step)
		// One module measured both: its gain is in both.
		case *of(top)-*v <= math.Hypot(*of(top)**top.U95ScatterRel, *v**c.U95ScatterRel):
			alike = append(alike, c.Step)
		}
	}
	note := top.Step
	if len(alike) > 0 {
		note += ", not distinguishable from " + some(alike)
	}
	if len(unknown) > 0 {
		note += "; without a ± it is not known whether it differs from " + some(unknown)
	}
	return []report.Line{{Label: label, Figure: analysis.OptRel(of(top), top.U95Rel, ""), Unit: unit, Note: note}}
}

// some names three of many.
func some(names []string) string {
	const few = 3
	if n := len(names); n > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), n-few)
	}
	return strings.Join(names, ", ")
}
