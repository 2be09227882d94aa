package publish

import (
	"slices"

	"powerd/plots"
	"powerd/powerd/internal/results"
)

// timeline names every stretch of a run by what goes on in it: the mark that was begun
// last and has not ended, else the step. What its user never ended goes on to the end.
func timeline(d *results.Document) []plots.Mark {
	spans := make([]results.Span, 0, len(d.Steps))
	for _, s := range d.Steps {
		spans = append(spans, results.Span{Name: s.Step, StartMonoNs: s.StartMonoNs, EndMonoNs: s.EndMonoNs})
	}
	steps := len(spans)
	spans = append(spans, d.UserSpans()...)
	var borders []int64
	for i, s := range spans {
		borders = append(borders, s.StartMonoNs)
		if i >= steps && s.EndMonoNs != 0 { // after a step comes the next one
			borders = append(borders, s.EndMonoNs)
		}
	}
	slices.Sort(borders)
	var out []plots.Mark
	for _, at := range slices.Compact(borders) {
		label := ""
		for i, s := range spans { // later ones lie inside earlier ones
			if s.StartMonoNs <= at && (i < steps || s.EndMonoNs == 0 || at < s.EndMonoNs) {
				label = s.Name
			}
		}
		if label != "" && (len(out) == 0 || out[len(out)-1].Label != label) {
			out = append(out, plots.Mark{AtS: float64(at-d.Run.StartedMonoNs) * 1e-9, Label: label})
		}
	}
	return out
}
