package publish

import (
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/limits"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/quarch"
)

// headlines are the sentences that a reader has to see first.
func headlines(d *results.Document) []string {
	out := steadyHeadline(d)
	if len(d.Limits) == 0 {
		return out
	}
	if !anyMeasured(d) {
		return append(out, fmt.Sprintf("Against drive file %s nothing can be said: of its %d claims none was measured in this run.", d.Drive.File, len(d.Limits)))
	}
	names := map[string][]string{}
	for _, v := range d.Limits {
		names[v.Judged] = append(names[v.Judged], v.Name)
	}
	var parts []string
	for _, judged := range []string{limits.JudgedAbove, limits.JudgedBelow, limits.JudgedWithin, limits.Inconclusive} {
		if n := len(names[judged]); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, judged, strings.Join(names[judged], ", ")))
		}
	}
	out = append(out, fmt.Sprintf("Against drive file %s, of %d claims: %s.", d.Drive.File, len(d.Limits), strings.Join(parts, "; ")))
	for _, v := range d.Limits {
		if v.Windows != nil {
			out = append(out, fmt.Sprintf("%s, %s, %s.", strings.ToUpper(v.What[:1])+v.What[1:], v.Claimed(), v.Why))
		}
	}
	return out
}

// anyMeasured reports whether there is a figure for any claim.
func anyMeasured(d *results.Document) bool {
	return slices.ContainsFunc(d.Limits, func(v limits.Verdict) bool { return v.Value != nil || v.Windows != nil })
}

// judged puts onto a headline figure what the claim about it comes to: that of its
// quantity, rail and window, if there is one. Of a claim that names no window it is the
// verdict over all windows, as everywhere else: this one alone is no verdict.
func judged(d *results.Document, l *report.Line, quantity, rail string, windowUs float64) {
	i := slices.IndexFunc(d.Limits, func(v limits.Verdict) bool { return v.Quantity == quantity && v.Rail == rail })
	if i < 0 {
		return
	}
	v := d.Limits[i]
	claimed := "datasheet: " + v.Claimed()
	switch {
	case slices.ContainsFunc(v.Windows, func(w limits.Window) bool { return w.WindowUs == windowUs }):
		why, _, _ := strings.Cut(v.Why, " (") // what is true of the shortest stands below
		claimed += ", " + why
	case len(v.Windows) > 0 || windowUs != 0 && v.WindowUs != windowUs:
		return
	}
	l.Verdict = v.Judged
	if l.Note != "" {
		claimed = l.Note + "; " + claimed
	}
	l.Note = claimed
}

// limitLines are the claims that a picture shows as lines: those of a quantity, of rails
// that were measured, of the total only where there is one.
func limitLines(d *results.Document, quantity string) []analysis.Limit {
	var out []analysis.Limit
	for _, v := range d.Limits {
		lacks := d.NotMeasured()
		noLine := slices.Contains(lacks, quarch.Rail(v.Rail)) || v.Rail == limits.RailTotal && len(lacks) > 0
		if v.Quantity != quantity || noLine {
			continue
		}
		rail := v.Rail
		if rail != limits.RailTotal {
			rail = analysis.RailLabel(quarch.Rail(v.Rail))
		}
		out = append(out, analysis.Limit{
			Label: rail + ": " + v.Claimed() + " (datasheet)", Unit: v.Unit, Value: v.Limit,
		})
	}
	return out
}
