package inrush

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// sample is a figure over the cycles that have it.
type sample struct {
	values []float64
	worst  int      // cycle of the highest, from 1
	u95    *float64 // of the highest
}

// add takes the figure of cycle k, from 0.
func (s *sample) add(k int, x, u95 *float64) {
	if x == nil {
		return
	}
	if len(s.values) == 0 || *x > slices.Max(s.values) {
		s.worst, s.u95 = k+1, u95
	}
	s.values = append(s.values, *x)
}

// cells returns mean, std (of a single cycle), least and highest, with the highest's ±.
func (s *sample) cells() []analysis.Cell {
	if len(s.values) == 0 {
		return []analysis.Cell{{}, {}, {}, {}}
	}
	n, sum, squares := float64(len(s.values)), 0.0, 0.0
	for _, x := range s.values {
		sum += x
	}
	for _, x := range s.values {
		squares += (x - sum/n) * (x - sum/n)
	}
	std := analysis.No("one cycle has none")
	if n > 1 {
		std = analysis.Val(math.Sqrt(squares / (n - 1)))
	}
	highest := slices.Max(s.values)
	return []analysis.Cell{analysis.Val(sum / n), std, analysis.Val(slices.Min(s.values)), analysis.OptU(&highest, s.u95, "")}
}

func spreadColumns(name, head, unit string) []analysis.Column {
	return []analysis.Column{
		{Name: "mean_" + name, Head: head + ", mean", Unit: unit},
		{Name: "std_" + name, Head: "spread", Unit: unit, Digits: 2},
		{Name: "min_" + name, Head: "lowest", Unit: unit},
		{Name: "max_" + name, Head: "highest", Unit: unit},
	}
}

// SpreadTable returns how the peaks of several cycles lie: one row a rail and window. Of
// one cycle it is empty.
func SpreadTable(cycles []*Cycle) *analysis.Table {
	t := &analysis.Table{
		Name: "inrush_cycles", Title: "Start-up peaks over the cycles",
		Columns: slices.Concat([]analysis.Column{
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "window_us", Head: "Window", Unit: "µs", Kind: analysis.Count},
			{Name: "cycles", Head: "Cycles", Kind: analysis.Count},
		}, spreadColumns("amps", "Peak current", "A"), []analysis.Column{{Name: "worst_cycle", Head: "in cycle", Kind: analysis.Count}},
			spreadColumns("watts", "Peak power", "W")),
		Notes: []string{"spread: standard deviation of one cycle; the ± of the highest is that of its own cycle, and the module's part of it is the same in all"},
	}
	for _, rail := range append(railsOf(cycles), totalRow) {
		for _, us := range windowsOf(cycles, rail) {
			var amps, watts sample
			for k, c := range cycles {
				for _, p := range c.peaksOf(rail) {
					if p.WindowUs == us {
						amps.add(k, p.Amps, p.U95A)
						watts.add(k, p.Watts, p.U95W)
					}
				}
			}
			worst := analysis.Val(float64(cmp.Or(amps.worst, watts.worst)))
			key := []analysis.Cell{analysis.Word(string(rail)), analysis.Val(us), analysis.Val(float64(len(watts.values)))}
			addSpread(t, cycles, slices.Concat(key, amps.cells(), []analysis.Cell{worst}, watts.cells()))
		}
	}
	return t
}

// StartSpreadTable returns how else several cycles start: one row a rail, and one of all.
func StartSpreadTable(cycles []*Cycle) *analysis.Table {
	t := &analysis.Table{
		Name: "start_cycles", Title: "Start-up over the cycles",
		Columns: slices.Concat([]analysis.Column{
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "cycles", Head: "Cycles", Kind: analysis.Count},
		}, spreadColumns("start_v", "Draws current from", "V"), spreadColumns("time_to_ready_s", "Time to ready", "s"), spreadColumns("energy_to_ready_j", "Energy to ready", "J")),
	}
	for _, rail := range railsOf(cycles) {
		var volts sample
		for k, c := range cycles {
			if r := c.Rails[rail]; r != nil {
				volts.add(k, r.StartV, r.StartU95V)
			}
		}
		if n := len(volts.values); n > 0 {
			none := sample{}
			addSpread(t, cycles, slices.Concat([]analysis.Cell{analysis.Word(string(rail)), analysis.Val(float64(n))}, volts.cells(), none.cells(), none.cells()))
		}
	}
	var seconds, joules, none sample
	for k, c := range cycles {
		seconds.add(k, c.TimeToReadyS, c.TimeToReadyU95S)
		joules.add(k, c.EnergyToReadyJ, c.EnergyToReadyU95J)
	}
	if n := len(seconds.values); n > 0 {
		addSpread(t, cycles, slices.Concat([]analysis.Cell{analysis.Word(string(totalRow)), analysis.Val(float64(n))}, none.cells(), seconds.cells(), joules.cells()))
	}
	return t
}

// totalRow stands for all rails together.
const totalRow quarch.Rail = "total"

func addSpread(t *analysis.Table, cycles []*Cycle, cells []analysis.Cell) {
	if len(cycles) > 1 {
		t.Rows = append(t.Rows, analysis.Row{StartNs: cycles[0].StartMonoNs, EndNs: cycles[len(cycles)-1].EndMonoNs, Cells: cells})
	}
}

func (c *Cycle) peaksOf(rail quarch.Rail) []Peak {
	switch r := c.Rails[rail]; {
	case rail == totalRow && c.Total != nil:
		return c.Total.Peaks
	case r != nil:
		return r.Peaks
	}
	return nil
}

func railsOf(cycles []*Cycle) []quarch.Rail {
	seen := map[quarch.Rail]bool{}
	for _, c := range cycles {
		for r := range c.Rails {
			seen[r] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), quarch.CompareRails)
}

func windowsOf(cycles []*Cycle, rail quarch.Rail) []float64 {
	var out []float64
	for _, c := range cycles {
		for _, p := range c.peaksOf(rail) {
			if !slices.Contains(out, p.WindowUs) {
				out = append(out, p.WindowUs)
			}
		}
	}
	slices.Sort(out)
	return out
}
