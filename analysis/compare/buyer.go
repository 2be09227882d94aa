package compare

import (
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
)

// Buyer is what a drive comes to for who buys many of them: a row of the buyer's table.
type Buyer struct {
	Run          string  `json:"run"`
	Drive        string  `json:"drive"`
	CapacityTB   float64 `json:"capacity_tb,omitempty"`
	IdleW        Value   `json:"idle_w"`
	IdleNet      bool    `json:"idle_net,omitempty"` // of what module and fixture draw
	IdleWPerTB   Value   `json:"idle_w_per_tb"`
	PeakA        Value   `json:"peak_a"` // of one rail at power-up
	PeakRail     string  `json:"peak_rail,omitempty"`
	PeakWindowUs float64 `json:"peak_window_us,omitempty"`
	IOPSPerW     Value   `json:"best_iops_per_w"`
	IOPSCell     string  `json:"best_iops_per_w_cell,omitempty"`
	MBPerSPerW   Value   `json:"best_mb_per_s_per_w"`
	MBCell       string  `json:"best_mb_per_s_per_w_cell,omitempty"`
	TBPerKWh     Value   `json:"best_tb_per_kwh"`
	DutyW        Value   `json:"duty_w"`
	KWhPerYear   Value   `json:"kwh_per_year"`
	CostPerYear  Value   `json:"cost_per_year"`

	capacity Value
}

// tbPerKWh is of 1 MB/s/W: 1 MB/J, 3.6 MJ/kWh, 10⁶ MB/TB.
const tbPerKWh = 3.6

// Buyers returns a row for each run. The duty was checked before.
func (r *Result) Buyers(e Economics) []*Buyer {
	net := true
	for _, run := range r.runs {
		net = net && run.Idle != nil && run.Idle.Total != nil && run.Idle.Total.NetW != nil
	}
	windowUs := r.peakWindow()
	var out []*Buyer
	for i, run := range r.runs {
		b := &Buyer{Run: run.Label, Drive: run.Drive, IdleNet: net}
		b.idle(run, net)
		b.peak(run, windowUs)
		r.best(i, b)
		b.DutyW = r.dutyWatts(i, e.Duty, b.IdleW)
		b.KWhPerYear, b.CostPerYear = e.year(b.DutyW)
		out = append(out, b)
	}
	return out
}

func (b *Buyer) idle(run *Run, net bool) {
	switch x := run.Idle; {
	case x == nil && len(run.Idles) > 0:
		b.IdleW.Why = "the drive settled in no idle step"
	case x == nil:
		b.IdleW.Why = "there was no idle step"
	case net:
		b.IdleW = Value{Value: x.Total.NetW, U95: x.Total.NetU95W}
	case x.Total == nil || x.Total.MeanW == nil:
		b.IdleW.Why = run.reasonOf("idle."+x.Step, "total")
	default:
		b.IdleW = Value{Value: x.Total.MeanW, U95: x.Total.U95W}
	}
	if run.CapacityBytes <= 0 {
		b.capacity.Why = "the drive's capacity is not known"
		b.IdleWPerTB.Why = b.capacity.Why
		return
	}
	b.CapacityTB = float64(run.CapacityBytes) * 1e-12
	b.capacity.Value = &b.CapacityTB
	b.IdleWPerTB = b.IdleW.times(1 / b.CapacityTB)
}

// peakWindow returns the shortest window over which every run has a peak of a rail; 0 if
// there is none.
func (r *Result) peakWindow() float64 {
	var common []float64
	for i, run := range r.runs {
		own := windowsOf(run)
		if i == 0 {
			common = own
		}
		common = slices.DeleteFunc(common, func(us float64) bool { return !slices.Contains(own, us) })
	}
	if len(common) == 0 {
		return 0
	}
	return slices.Min(common)
}

// windowsOf returns the windows over which a rail of the run has a peak current.
func windowsOf(run *Run) []float64 {
	var out []float64
	for _, c := range run.Cycles {
		for _, x := range c.Rails {
			for _, p := range x.Peaks {
				if p.Amps != nil && !slices.Contains(out, p.WindowUs) {
					out = append(out, p.WindowUs)
				}
			}
		}
	}
	return out
}

// peak finds the rail that draws most at power-up, over a window; 0 = the shortest that
// the run has.
func (b *Buyer) peak(run *Run, windowUs float64) {
	if own := windowsOf(run); windowUs == 0 && len(own) > 0 {
		windowUs = slices.Min(own)
	}
	b.PeakA.Why = "the drive was not powered up"
	if len(run.Cycles) > 0 {
		b.PeakA.Why = "no peak current is known"
	}
	for _, c := range run.Cycles {
		for rail, x := range c.Rails {
			for _, p := range x.Peaks {
				if p.WindowUs != windowUs || p.Amps == nil || b.PeakA.Value != nil && (*p.Amps < *b.PeakA.Value || *p.Amps == *b.PeakA.Value && string(rail) > b.PeakRail) {
					continue
				}
				b.PeakA = Value{Value: p.Amps, U95: p.U95A}
				b.PeakRail, b.PeakWindowUs = string(rail), windowUs
			}
		}
	}
}

// best finds the cells in which run i does most for its power: among those that all runs
// have, if there are any; among steady ones, if there are any.
func (r *Result) best(i int, b *Buyer) {
	run := r.runs[i]
	for _, other := range r.runs {
		if other.RatesBy != run.RatesBy {
			why := fmt.Sprintf("the emulated drives' rates are divided by %g in %s and by %g in %s", run.RatesBy, run.Label, other.RatesBy, other.Label)
			b.IOPSPerW.Why, b.MBPerSPerW.Why, b.TBPerKWh.Why = why, why, why
			return
		}
	}
	cells := r.candidates(i)
	find := func(of func(*efficiency.Cell) *float64) (Value, string) {
		v, name := Value{Why: "no cell has it"}, ""
		for _, s := range cells {
			if x := of(s.cell); x != nil && (v.Value == nil || *x > *v.Value) {
				v, name = Value{Value: x}, s.key.Name()
				if s.cell.U95Rel != nil {
					v.U95 = analysis.Some(*x * *s.cell.U95Rel)
				}
			}
		}
		return v, name
	}
	b.IOPSPerW, b.IOPSCell = find(func(c *efficiency.Cell) *float64 { return c.IOPSPerW })
	b.MBPerSPerW, b.MBCell = find(func(c *efficiency.Cell) *float64 { return c.MBPerSPerW })
	b.TBPerKWh = b.MBPerSPerW.times(tbPerKWh)
}

func (r *Result) candidates(i int) []standing {
	own := slices.DeleteFunc(r.runs[i].standing(), func(s standing) bool { return s.key.Window == fresh })
	common := slices.DeleteFunc(slices.Clone(own), func(s standing) bool { return !r.inAll(s) })
	if len(common) > 0 {
		own = common
	}
	steady := slices.DeleteFunc(slices.Clone(own), func(s standing) bool { return s.key.State != efficiency.StateSteady })
	if len(steady) > 0 {
		return steady
	}
	return own
}

// inAll reports whether every run has a cell.
func (r *Result) inAll(s standing) bool {
	for _, m := range r.Cells {
		k := *m.Cell
		if k.Step == s.step {
			k.Step = ""
		}
		if k == s.key && !slices.Contains(m.steps, "") {
			return true
		}
	}
	return false
}

// BuyersTable returns the rows as a table.
func (r *Result) BuyersTable(buyers []*Buyer, e Economics) *analysis.Table {
	t := &analysis.Table{
		Name: "compare_buyer", Title: "For who buys them",
		Columns: []analysis.Column{
			{Name: "run", Head: "Run", Kind: analysis.Key},
			{Name: "drive", Head: "Drive", Kind: analysis.Key},
			{Name: "capacity_tb", Head: "Capacity", Unit: "TB", Digits: 3},
			{Name: "idle_w", Head: "Idle", Unit: "W"},
			{Name: "idle_w_per_tb", Head: "Idle a TB", Unit: "W/TB"},
			{Name: "peak_a", Head: "Peak at start", Unit: "A"},
			{Name: "peak_at", Head: "on, over", Kind: analysis.Text},
			{Name: "best_iops_per_w", Head: "Best IOPS/W", Unit: "IOPS/W"},
			{Name: "best_iops_per_w_cell", Head: "in", Kind: analysis.Text},
			{Name: "best_mb_per_s_per_w", Head: "Best MB/s/W", Unit: "MB/s/W"},
			{Name: "best_mb_per_s_per_w_cell", Head: "in", Kind: analysis.Text},
			{Name: "best_tb_per_kwh", Head: "Best TB/kWh", Unit: "TB/kWh"},
		},
		Notes: []string{
			"the best cells are among those that all runs have, if there are any, among steady ones, if there are any, and not of fresh windows; the best of many is high by chance",
			"TB/kWh: of data moved at the drive's own power, 3.6 × MB/s/W",
		},
	}
	if len(buyers) > 0 && buyers[0].IdleNet {
		t.Notes = append(t.Notes, "idle is net of what module and fixture draw")
	}
	if e.Asked() {
		t.Columns = append(t.Columns,
			analysis.Column{Name: "duty_w", Head: "Mean over the duty", Unit: "W"},
			analysis.Column{Name: "kwh_per_year", Head: "Energy a year", Unit: "kWh"},
			analysis.Column{Name: "cost_per_year", Head: "Cost a year", Unit: e.Currency})
		t.Notes = append(t.Notes, e.Text())
	} else {
		t.Notes = append(t.Notes, "kWh and cost a year need a duty, a PUE, the efficiency of the power supply and a price: --duty, --pue, --supply-efficiency, --price")
	}
	for _, b := range buyers {
		t.Rows = append(t.Rows, b.row(e.Asked()))
	}
	return t
}

func (b *Buyer) row(asked bool) analysis.Row {
	at := ""
	if b.PeakA.Value != nil {
		at = railLabel(b.PeakRail) + ", " + micros(b.PeakWindowUs)
	}
	cells := []analysis.Cell{
		analysis.Word(b.Run), analysis.Word(b.Drive), b.capacity.cell(), b.IdleW.cell(), b.IdleWPerTB.cell(), b.PeakA.cell(), analysis.Word(at),
		b.IOPSPerW.cell(), analysis.Word(b.IOPSCell), b.MBPerSPerW.cell(), analysis.Word(b.MBCell), b.TBPerKWh.cell(),
	}
	if asked {
		cells = append(cells, b.DutyW.cell(), b.KWhPerYear.cell(), b.CostPerYear.cell())
	}
	return analysis.Row{Cells: cells}
}

// Text says what was given, for print.
func (e *Economics) Text() string {
	var words []string
	if len(e.Duty) > 0 {
		var shares []string
		for _, s := range e.Duty {
			shares = append(shares, fmt.Sprintf("%g %% %s", s.Pct, s.Of))
		}
		words = append(words, "duty "+strings.Join(shares, ", "))
	}
	if e.PUE != nil {
		words = append(words, fmt.Sprintf("PUE %g", *e.PUE))
	}
	if e.SupplyEfficiencyPct != nil {
		words = append(words, fmt.Sprintf("power supply %g %% efficient", *e.SupplyEfficiencyPct))
	}
	if e.PricePerKWh != nil {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%g %s", *e.PricePerKWh, e.Currency))+" a kWh")
	}
	return "a year of 8760 h at " + strings.Join(words, "; ") + ": mean watts × 8.76 × PUE ÷ efficiency; the ± is the drive's alone"
}
