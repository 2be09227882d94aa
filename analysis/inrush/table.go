package inrush

import (
	"strings"

	"powerd/analysis"
	"powerd/quarch"
)

// Table returns the peaks of cycles, one row a rail and window, in the order of
// the cycles.
func Table(cycles []*Cycle) *analysis.Table {
	t := &analysis.Table{
		Name: "inrush", Title: "Start-up peaks",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "cycle", Head: "Cycle", Kind: analysis.Count},
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "window_us", Head: "Window", Unit: "µs", Kind: analysis.Count},
			{Name: "amps", Head: "Peak current", Unit: "A"},
			{Name: "at_s", Head: "at", Unit: "s"},
			{Name: "watts", Head: "Peak power", Unit: "W"},
			{Name: "resolution_us", Head: "Sample period", Unit: "µs", Digits: 1},
		},
		Notes: []string{
			"times are of the window's middle, from the first stripe at 1 % of nominal voltage on any rail; their ±: how well that place is known, not whether another is as high",
			"± of a peak: the module's accuracy, the scatter of one such mean, and by how much the highest of so many lies above the highest true one if that scatter is the module's",
		},
	}
	for n, c := range cycles {
		for r := range quarch.ByRail(c.Rails) {
			for _, p := range c.Rails[r].Peaks {
				t.Rows = append(t.Rows, c.row(n, string(r), p))
			}
		}
		if c.Total != nil {
			for _, p := range c.Total.Peaks {
				t.Rows = append(t.Rows, c.row(n, "total", p))
			}
		}
		for _, w := range c.Withheld {
			t.Notes = append(t.Notes, w.What+": "+w.Why)
		}
	}
	return t
}

func (c *Cycle) row(n int, rail string, p Peak) analysis.Row {
	return analysis.Row{StartNs: c.StartMonoNs, EndNs: c.EndMonoNs, Cells: []analysis.Cell{
		analysis.Word(c.Step), analysis.Val(float64(n + 1)), analysis.Word(rail), analysis.Val(p.WindowUs),
		analysis.OptU(p.Amps, p.U95A, ""), analysis.OptU(p.AtS, p.AtU95S, c.why("peaks", "at_s")),
		analysis.OptU(p.Watts, p.U95W, ""), analysis.Val(c.ResolutionUs),
	}}
}

// StartTable returns what else a start-up tells: one row a rail of each cycle.
func StartTable(cycles []*Cycle) *analysis.Table {
	t := &analysis.Table{
		Name: "start", Title: "Start-up",
		Columns: []analysis.Column{
			{Name: "step", Head: "Step", Kind: analysis.Key},
			{Name: "cycle", Head: "Cycle", Kind: analysis.Count},
			{Name: "rail", Head: "Rail", Kind: analysis.Key},
			{Name: "rise_s", Head: "Rises after", Unit: "s"},
			{Name: "start_v", Head: "Draws current from", Unit: "V"},
			{Name: "droop_v", Head: "Droop", Unit: "V"},
			{Name: "charge_c", Head: "Charge", Unit: "C"},
			{Name: "i2t_a2s", Head: "I²t", Unit: "A²s"},
			{Name: "energy_j", Head: "Energy", Unit: "J"},
			{Name: "time_to_ready_s", Head: "Time to ready", Unit: "s"},
			{Name: "energy_to_ready_j", Head: "Energy to ready", Unit: "J"},
		},
		Notes: []string{
			"± of charge, I²t and energy: the module's accuracy and the scatter of samples, over the time from the rails' rise to the end of the step; of a droop: the module's gain, the scatter of means over 1 ms, and by how much the lowest of so many lies below; of energy to ready: the same as of energy, and what was drawn between the two ends of the time to ready's ±",
		},
	}
	for n, c := range cycles {
		for name := range quarch.ByRail(c.Rails) {
			r := c.Rails[name]
			t.Rows = append(t.Rows, c.startRow(n, string(name),
				analysis.OptU(r.RiseS, r.RiseU95S, c.why(name, "rise_s")), analysis.OptU(r.StartV, r.StartU95V, c.why(name, "start_v")), analysis.OptU(r.DroopV, r.DroopU95V, c.why(name, "droop_v")),
				analysis.OptU(r.ChargeC, r.ChargeU95C, c.why(name, "charge_c")), analysis.OptU(r.I2tA2s, r.I2tU95A2s, c.why(name, "i2t_a2s")), analysis.OptU(r.EnergyJ, r.EnergyU95J, c.why(name, "energy_j")), analysis.Cell{}, analysis.Cell{}))
		}
		if c.Total != nil {
			t.Rows = append(t.Rows, c.startRow(n, "total", analysis.Cell{}, analysis.Cell{}, analysis.Cell{}, analysis.Cell{}, analysis.Cell{}, analysis.OptU(c.Total.EnergyJ, c.Total.EnergyU95J, c.why("total", "energy_j")),
				analysis.OptU(c.TimeToReadyS, c.TimeToReadyU95S, c.whyNotReady()), analysis.OptU(c.EnergyToReadyJ, c.EnergyToReadyU95J, c.whyNotReady())))
		}
	}
	return t
}

func (c *Cycle) startRow(n int, rail string, cells ...analysis.Cell) analysis.Row {
	key := []analysis.Cell{analysis.Word(c.Step), analysis.Val(float64(n + 1)), analysis.Word(rail)}
	return analysis.Row{StartNs: c.StartMonoNs, EndNs: c.EndMonoNs, Cells: append(key, cells...)}
}

// why returns the reason why a figure of a rail is withheld.
func (c *Cycle) why(r quarch.Rail, figure string) string {
	for _, w := range c.Withheld {
		if name := string(r) + "." + figure; len(w.What) >= len(name) && w.What[len(w.What)-len(name):] == name {
			return w.Why
		}
	}
	return ""
}

// whyNotReady returns the reason why it is not known when the drive was ready, or else
// what it drew until then.
func (c *Cycle) whyNotReady() string {
	for _, w := range c.Withheld {
		if strings.HasSuffix(w.What, ".time_to_ready_s") || strings.HasSuffix(w.What, ".energy_to_ready_j") {
			return w.Why
		}
	}
	return "the drive was not asked when it first answers"
}
