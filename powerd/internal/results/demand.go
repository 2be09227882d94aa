package results

import (
	"slices"

	"powerd/analysis/demand"
	"powerd/analysis/efficiency"
	"powerd/powerd/internal/suite"
)

// judgeDemands finds the limit of each demand ramp.
func (d *Document) judgeDemands() {
	var ramps []string
	cells := map[string][]*efficiency.Cell{}
	for _, s := range d.folder.steps {
		if s.mark.Within != suite.Demand {
			continue
		}
		if !slices.Contains(ramps, s.mark.Group) {
			ramps = append(ramps, s.mark.Group)
		}
		k := slices.IndexFunc(d.Efficiency, func(c *efficiency.Cell) bool { return c.Step == s.mark.Step })
		if k >= 0 && s.end.Outcome == Completed {
			cells[s.mark.Group] = append(cells[s.mark.Group], d.Efficiency[k])
		}
	}
	for _, name := range ramps {
		r := demand.Judge(name, cells[name])
		d.Demand = append(d.Demand, r)
		d.keep(r.Withheld, r.Warnings)
	}
}

// expected reports whether an engine's warning only says what a step was for: a demand ramp
// goes on to what the drive does not do.
func (s *step) expected(code string) bool {
	return s.mark.Within == suite.Demand && code == "demand-not-met"
}
