package results

import (
	"slices"

	"powerd/analysis/efficiency"
	"powerd/analysis/saturation"
)

// compareRounds holds the last rounds of loads against the fresh ones, where the suite
// asks for that.
func (d *Document) compareRounds() {
	var all []*saturation.Input
	for _, s := range d.folder.steps {
		m := &s.mark
		if m.FreshRounds == 0 || m.LastRounds == 0 {
			continue
		}
		i := slices.IndexFunc(all, func(in *saturation.Input) bool { return in.Step == m.Cell })
		if i < 0 {
			i = len(all)
			all = append(all, &saturation.Input{
				Step: m.Cell, Planned: m.Rounds, Fresh: m.FreshRounds, Last: m.LastRounds, Accuracy: d.Module.Calibration.Spec(),
			})
		}
		k := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == m.Step })
		if k >= 0 && s.end.Outcome == Completed {
			all[i].Cells = append(all[i].Cells, d.Efficiency[k])
		}
	}
	for _, in := range all {
		r := saturation.Judge(*in)
		d.Saturation = append(d.Saturation, r)
		d.keep(r.Withheld, nil)
	}
}

// Rounds returns the cells of a load's rounds, by the load's name or its cell's, in order.
func (d *Document) Rounds(step string) []*efficiency.Cell {
	var out []*efficiency.Cell
	for _, s := range d.folder.steps {
		if s.mark.Cell != step {
			continue
		}
		if k := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == s.mark.Step }); k >= 0 {
			out = append(out, d.Efficiency[k])
		}
	}
	return out
}
