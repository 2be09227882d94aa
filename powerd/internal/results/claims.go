package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/limits"
	"powerd/engine"
	"powerd/quarch"
)

// judge holds the run against the claims of its drive file.
func (d *Document) judge() {
	if d.sheet == nil {
		return
	}
	for _, c := range d.sheet.Claims {
		if q, _ := limits.QuantityOf(c.Quantity); q.Planning {
			continue
		}
		d.Limits = append(d.Limits, limits.Judge(c, d.figures(c)...))
	}
}

// Broken names the claims that the drive surely breaks.
func (d *Document) Broken() []string {
	var out []string
	for _, v := range d.Limits {
		if v.Verdict == limits.Fail {
			out = append(out, v.Name)
		}
	}
	return out
}

// figures returns what was measured that answers a claim. A total of fewer rails than the
// datasheet speaks of is shown, and nothing is concluded from it.
func (d *Document) figures(c limits.Claim) []limits.Figure {
	out := d.measured(c)
	if c.Rail != limits.RailTotal {
		return out
	}
	if why := d.partial(); why != "" {
		for i := range out {
			out[i].Why = cmp.Or(out[i].Why, why)
		}
	}
	return out
}

// partial returns why the run's total is not that of the drive file; empty if it is.
func (d *Document) partial() string {
	uses := d.Bench.RailsUsed
	if len(uses) == 0 {
		uses = d.Module.Rails
	}
	left := slices.DeleteFunc(slices.Clone(d.sheet.Rails), func(r quarch.Rail) bool { return slices.Contains(uses, r) })
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("the total is without %s, which the drive file says the drive has; is it the right drive file, or does the bench leave a rail out?", analysis.RailNames(left))
}

func (d *Document) measured(c limits.Claim) []limits.Figure {
	switch c.Quantity {
	case limits.StartCurrent, limits.StartPower:
		return d.peakFigures(c)
	case limits.IdlePower, limits.IdleCurrent:
		return d.idleFigure(c, func(r *idle.Result) bool { return r.Kind != idle.KindSleep }, "no idle step was measured")
	case limits.SleepPower:
		return d.idleFigure(c, func(r *idle.Result) bool { return r.Kind == idle.KindSleep }, "no step in which the drive sleeps was measured")
	}
	return d.loadFigure(c)
}

func no(why string) []limits.Figure { return []limits.Figure{{Why: why}} }

// peakFigures returns the highest peak of all power-ups over each window.
func (d *Document) peakFigures(c limits.Claim) []limits.Figure {
	if d.Inrush == nil {
		return no("no power-up was measured")
	}
	var out []limits.Figure
	for n, cycle := range d.Inrush.Cycles {
		why := d.cut(cycle)
		for _, p := range peaksOf(cycle, c.Rail) {
			f := limits.Figure{Value: p.Amps, U95: p.U95A, WindowUs: p.WindowUs, Raw: p.WindowUs == cycle.ResolutionUs, Why: why, Of: cycle.Step}
			if c.Quantity == limits.StartPower {
				f.Value, f.U95 = p.Watts, p.U95W
			}
			if len(d.Inrush.Cycles) > 1 {
				f.Of = fmt.Sprintf("%s, cycle %d", cycle.Step, n+1)
			}
			out = worst(out, f, c.Kind)
		}
	}
	if len(out) == 0 {
		return no(d.whyNoPeak(c))
	}
	if c.WindowUs != 0 && !slices.ContainsFunc(out, func(f limits.Figure) bool { return f.WindowUs == c.WindowUs }) {
		out = append(out, limits.Figure{WindowUs: c.WindowUs, Why: d.whyNoPeak(c)})
	}
	return out
}

// worst puts f among the figures, in place of a milder one over the same window.
func worst(all []limits.Figure, f limits.Figure, kind string) []limits.Figure {
	i := slices.IndexFunc(all, func(o limits.Figure) bool { return o.WindowUs == f.WindowUs })
	switch {
	case i < 0:
		return append(all, f)
	case f.Value == nil:
	case all[i].Value == nil, kind != limits.KindMin && *f.Value > *all[i].Value, kind == limits.KindMin && *f.Value < *all[i].Value:
		f.Why = cmp.Or(f.Why, all[i].Why)
		all[i] = f
	default:
		all[i].Why = cmp.Or(all[i].Why, f.Why)
	}
	return all
}

// cut returns why a power-up may hide a higher peak; empty if it may not.
func (d *Document) cut(c *inrush.Cycle) string {
	if c.LostStripes > 0 {
		return fmt.Sprintf("%d samples were lost in %s, which may hide a higher peak", c.LostStripes, c.Step)
	}
	i := slices.IndexFunc(d.Steps, func(s StepResult) bool { return s.Step == c.Step })
	if i >= 0 && d.Steps[i].Outcome != Completed {
		return fmt.Sprintf("step %s was cut short", c.Step)
	}
	return ""
}

func peaksOf(c *inrush.Cycle, rail string) []inrush.Peak {
	switch r := c.Rails[quarch.Rail(rail)]; {
	case rail == limits.RailTotal && c.Total != nil:
		return c.Total.Peaks
	case r != nil:
		return r.Peaks
	}
	return nil
}

// whyNoPeak looks up why a power-up has no peak of a claim's rail and window.
func (d *Document) whyNoPeak(c limits.Claim) string {
	for _, cycle := range d.Inrush.Cycles {
		for _, w := range cycle.Withheld {
			window := fmt.Sprintf("%s.peaks.%gus", c.Rail, c.WindowUs)
			if c.WindowUs >= 1e3 {
				window = fmt.Sprintf("%s.peaks.%gms", c.Rail, c.WindowUs/1e3)
			}
			if w.What == "inrush."+cycle.Step || strings.HasSuffix(w.What, c.Rail+".peaks") || strings.HasSuffix(w.What, window) {
				return w.Why
			}
		}
	}
	return analysis.RailName(quarch.Rail(c.Rail)) + " not measured"
}

// NetOfZero is what a claim about idle power is held against where a zero is known.
const NetOfZero = "net of the zero"

// idleFigure returns the mean of the first idle step of a kind.
func (d *Document) idleFigure(c limits.Claim, kind func(*idle.Result) bool, none string) []limits.Figure {
	i := slices.IndexFunc(d.Idles, kind)
	if i < 0 {
		return no(none)
	}
	r := d.Idles[i]
	figures := r.Rails[quarch.Rail(c.Rail)]
	if c.Rail == limits.RailTotal {
		figures = r.Total
	}
	if figures == nil {
		return no(analysis.RailName(quarch.Rail(c.Rail)) + " not measured")
	}
	f := limits.Figure{Value: figures.MeanW, U95: figures.U95W, Of: r.Step, Why: unfit(c, r)}
	if figures.NetW != nil {
		f.Value, f.U95, f.As = figures.NetW, figures.NetU95W, NetOfZero
	}
	if c.Quantity == limits.IdleCurrent {
		f.Value, f.U95 = idleAmps(figures, f.U95)
	}
	if f.Value == nil && f.Why == "" {
		f.Why = d.reason("idle." + r.Step + ".")
	}
	return []limits.Figure{f}
}

// idleAmps returns a rail's mean current, net of the zero where its watts are, and the ±
// that those have: a little more than the current's own.
func idleAmps(f *idle.Figures, u95W *float64) (amps, u95 *float64) {
	if f.MeanA == nil || f.MeanV == nil || !(*f.MeanV > 0) {
		return f.MeanA, nil
	}
	x := *f.MeanA
	if f.NetW != nil {
		x -= *f.ZeroW / *f.MeanV
	}
	if u95W != nil {
		u95 = analysis.Some(*u95W / *f.MeanV)
	}
	return &x, u95
}

// unfit returns why an idle step does not answer a claim; empty if it does.
func unfit(c limits.Claim, r *idle.Result) string {
	switch {
	case r.Level > 0:
		return "the drive idles at several levels, and which of them the claim is of is not said"
	case r.Settled != nil && !*r.Settled:
		return "not settled: " + r.UnsettledWhy
	case r.Trust != nil && r.Trust.HostIOs != nil && *r.Trust.HostIOs > 0:
		return fmt.Sprintf("the host asked %d IOs of the drive meanwhile: it was not idle", *r.Trust.HostIOs)
	case r.Settled == nil && r.Drifts():
		return "its power changes within the step, which is too short to tell whether the drive had settled"
	case c.Rail == limits.RailTotal && len(r.NotMeasured) > 0:
		return analysis.NoTotal(r.NotMeasured)
	case c.WindowUs > r.DurationS*1e6:
		return fmt.Sprintf("the claim is of a mean over %g s, the step lasted %.3g s", c.WindowUs*1e-6, r.DurationS)
	case c.WindowUs > 0 && c.Kind != limits.KindTypical:
		return fmt.Sprintf("the mean of the whole step; the highest over %g s was not looked for", c.WindowUs*1e-6)
	}
	return ""
}

// reason returns the first reason why a figure under a path is withheld.
func (d *Document) reason(under string) string {
	for _, w := range d.Withheld {
		if strings.HasPrefix(w.What, under) {
			return w.Why
		}
	}
	return ""
}

// loadFigure returns the best of the loads that run a claim's workload; of power, the
// highest.
func (d *Document) loadFigure(c limits.Claim) []limits.Figure {
	q, _ := limits.QuantityOf(c.Quantity)
	best := limits.Figure{Why: "no load of " + workload(c) + " was measured"}
	for _, cell := range d.Measured() {
		if cell.Interrupted || !runs(cell, c.Workload) {
			continue
		}
		f := cellFigure(c, cell)
		if f.Value == nil {
			if best.Value == nil {
				best.Why = d.reason("efficiency." + cell.Step)
			}
			continue
		}
		if best.Value == nil || better(c.Quantity, f, best) {
			best = f
		}
	}
	if q.IO && best.Value != nil && best.Why == "" && d.Drive.TwinScale > 1 {
		return no(fmt.Sprintf("the emulated drive does 1/%g of the IO that the real one does", d.Drive.TwinScale))
	}
	return []limits.Figure{best}
}

func workload(c limits.Claim) string {
	if c.Workload == nil {
		return "any kind"
	}
	return c.Workload.Text()
}

// better tells which of two figures answers a claim better: one that may be judged,
// then the lower latency or whatever else is higher.
func better(quantity string, a, b limits.Figure) bool {
	switch {
	case (a.Why == "") != (b.Why == ""):
		return a.Why == ""
	case quantity == limits.LatencyMean:
		return *a.Value < *b.Value
	}
	return *a.Value > *b.Value
}

// runs reports whether a cell runs a workload, whatever its state.
func runs(cell *efficiency.Cell, w *limits.Workload) bool {
	if w == nil {
		return true
	}
	rw, wanted := engine.Unmixed(cell.RW, cell.ReadPct), engine.Unmixed(w.RW, w.ReadPct)
	mixed := engine.Mixed(wanted)
	return rw == wanted && cell.BSBytes == w.BlockBytes && (!mixed || cell.ReadPct == w.ReadPct) && (w.QD == 0 || cell.QD*cell.Jobs == w.QD)
}

// easier says what makes a load lighter than what a datasheet speaks of; empty if nothing.
func easier(r *efficiency.Region) string {
	switch {
	case r.RangePct != nil && *r.RangePct < 100:
		return fmt.Sprintf("the claim is of all of the drive, this load went over %g %% of it", *r.RangePct)
	case r.EntropyPct != nil && *r.EntropyPct < 100:
		return fmt.Sprintf("the claim is of random data, this load's has an entropy of %d %%", *r.EntropyPct)
	}
	return ""
}

func cellFigure(c limits.Claim, cell *efficiency.Cell) limits.Figure {
	state := strings.ReplaceAll(cell.State, "_", " ")
	f := limits.Figure{Of: cell.Step + ", state " + state}
	if w := c.Workload; w != nil && w.State != "" && w.State != cell.State {
		f.Why = fmt.Sprintf("the claim is of the %s state, this one's is %s", w.State, state)
	}
	if c.Workload != nil {
		f.Why = cmp.Or(f.Why, easier(&cell.Region))
	}
	relative := func(x *float64) {
		f.Value = x
		if x != nil && cell.IOPSU95Rel != nil {
			u := *x * *cell.IOPSU95Rel
			f.U95 = &u
		}
	}
	switch {
	case c.Quantity == limits.IOPS:
		relative(cell.IOPS)
	case c.Quantity == limits.Throughput:
		relative(cell.MBPerS)
	case c.Quantity == limits.LatencyMean:
		if cell.Latency != nil {
			f.Value, f.U95 = cell.Latency.Mean, cell.Latency.MeanU95
		}
	case c.Rail == limits.RailTotal:
		f.Value, f.U95 = cell.MeanW, cell.MeanU95W
	case cell.Rails[quarch.Rail(c.Rail)] != nil:
		r := cell.Rails[quarch.Rail(c.Rail)]
		f.Value, f.U95 = r.MeanW, r.U95W
	}
	return f
}
