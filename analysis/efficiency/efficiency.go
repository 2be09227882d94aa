package efficiency

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/latency"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
	"powerd/quarch/units"
)

// minReadings is how many readings a polled link must give in a window: with
// fewer, blocking has no two levels to compare and a mean no stated error.
const minReadings = 30

// minRateS is the shortest window of which rates are given: in less, a drive's queue
// and the engine's borders are most of what is seen.
const minRateS = 0.1

// minPartCoverage is what samples must cover of a part for it to tell the scatter;
// its joules are its mean power's over all of it.
const minPartCoverage = 0.9

// Input is what a cell is made of.
type Input struct {
	Job    engine.Job
	Result *engine.Result
	Power  *window.Stats  // over the very window of Result; nil = no samples
	Parts  []window.Stats // over each of Parts(Result); without them the ratios have no ±

	Round            int
	State            string                  // empty stands for not_judged
	Truncated        string                  // why the sample stream ended inside the window; empty if it did not
	RequiredCoverage float64                 // 0 … 1; 0 stands for analysis.RequiredCoverage
	ResolutionAmps   map[quarch.Rail]float64 // the module's step of current; absent = not known
	Accuracy         accuracy.Spec           // the module's
	NoRails          []quarch.Rail           // that the drive has none of: they need not be measured
}

// Judge returns the cell.
func Judge(in Input) *Cell {
	if in.RequiredCoverage == 0 {
		in.RequiredCoverage = analysis.RequiredCoverage
	}
	if in.State == "" {
		in.State = StateNotJudged
	}
	r := in.Result
	c := &Cell{
		Step: in.Job.Step, Engine: r.Engine, RW: in.Job.RW, BSBytes: in.Job.BlockBytes, ReadPct: engine.ReadShare(in.Job.RW, in.Job.ReadPct),
		QD: in.Job.QueueDepth, Jobs: in.Job.Jobs, Region: region(&in.Job), DemandIOPS: in.Job.RateIOPS, Round: in.Round, State: in.State,
		IOs: r.IOs(), Bytes: r.Bytes(), Interrupted: r.Interrupted,
	}
	c.latencies(latency.Join(r.Read.Latency, r.Write.Latency))
	if r.Interrupted {
		c.warn("interrupted", "the job was stopped before its time; figures are of what was done")
	}
	if c.rates(r) {
		c.latencyScatter()
		c.power(in)
		c.ratios(in)
	}
	return c
}

func (c *Cell) withhold(what, why string) {
	c.Withheld = append(c.Withheld, analysis.Withheld{What: "efficiency." + c.Step + "." + what, Why: why})
}

func (c *Cell) warn(code, text string) {
	c.Warnings = append(c.Warnings, analysis.Warning{Code: code, Text: "step " + c.Step + ": " + text})
}

// refuse withholds the ratios.
func (c *Cell) refuse(why string) {
	c.why = why
	c.withhold("iops_per_mw", why)
}

// IOPS returns what an engine did in a second of its window; nil if that is too short.
func IOPS(r *engine.Result) *float64 {
	seconds := float64(r.EndNs-r.StartNs) * 1e-9
	if seconds < minRateS {
		return nil
	}
	return analysis.Some(float64(r.IOs()) / seconds)
}

// rates gives the engine's own figures. It reports whether there is a window.
func (c *Cell) rates(r *engine.Result) bool {
	if r.EndNs <= r.StartNs {
		c.withhold("iops", "the engine's window is not known")
		c.refuse("the engine's window is not known")
		return false
	}
	c.StartMonoNs, c.EndMonoNs = r.StartNs, r.EndNs
	seconds := float64(r.EndNs-r.StartNs) * 1e-9
	c.DurationS = &seconds
	if c.IOPS = IOPS(r); c.IOPS == nil {
		why := fmt.Sprintf("the window lasts %.3g ms, rates need %.0f ms", seconds*1e3, minRateS*1e3)
		c.withhold("iops", why)
		c.refuse(why)
		return true
	}
	c.MBPerS = analysis.Some(float64(c.Bytes) * 1e-6 / seconds)
	if c.IOs == 0 {
		return true
	}
	parts := Parts(r)
	u := wider(parts, func(_ int, p Part) (float64, bool) { return p.Seconds(), true })
	if c.IOPSU95Rel = analysis.Some(math.Hypot(u, relEngineEdges(r))); c.IOPSU95Rel == nil {
		c.withhold("iops_u95_rel", noScatter(parts))
	}
	return true
}

// power gives the module's own figures, where the samples carry them.
func (c *Cell) power(in Input) {
	p := in.Power
	if p == nil {
		c.withhold("mean_w", "no samples")
		return
	}
	c.Coverage = analysis.Some(p.Total.Coverage)
	c.NotMeasured = p.Lacks(in.NoRails)
	if why := unsupported(in); why != "" {
		c.withhold("mean_w", why)
		return
	}
	c.Rails = map[quarch.Rail]*Rail{}
	for i := range p.Rails {
		r := &p.Rails[i]
		if r.Unused {
			continue
		}
		c.Rails[r.Rail] = &Rail{
			MeanW: analysis.Some(r.MeanW), U95W: analysis.Some(railU95W(p, r, in.Accuracy)), MeanA: analysis.Some(r.MeanA),
			MeanV: analysis.Some(r.MeanV), U95A: analysis.Some(railU95A(p, r, in.Accuracy)), U95V: analysis.Some(math.Hypot(r.TypeAU95V, in.Accuracy.U95Volts(r.MeanV))), EnergyJ: analysis.Some(r.EnergyJ),
		}
	}
	for _, text := range p.Strays(in.Accuracy, func(quarch.Rail) float64 { return 0 }) {
		c.warn("unused_rail", text)
	}
	if why := analysis.NoTotal(c.NotMeasured); why != "" {
		c.withhold("mean_w", why)
		c.warn("partial_total", why)
		return
	}
	c.MeanW, c.EnergyJ = analysis.Some(p.Total.MeanW), analysis.Some(p.Total.EnergyJ)
	c.MeanU95W = analysis.Some(math.Hypot(p.Total.MeanW*relPower(p), moduleU95W(p, in.Accuracy)))
}

// unsupported returns why the samples carry no mean power; empty if they do.
func unsupported(in Input) string {
	p := in.Power
	switch {
	case p.Window.StartNs != in.Result.StartNs || p.Window.EndNs != in.Result.EndNs:
		return "power and IO are not of the same window"
	case in.Truncated != "":
		return "the sample stream was cut short: " + in.Truncated
	case p.Polled && p.Stripes < minReadings:
		return fmt.Sprintf("%d readings in the window, %d are needed", p.Stripes, minReadings)
	case !(p.Total.Coverage >= in.RequiredCoverage):
		return analysis.Uncovered("window", p.Total.Coverage, in.RequiredCoverage)
	}
	return ""
}

// ratios divides.
func (c *Cell) ratios(in Input) {
	if c.IOPS == nil {
		return // refused with the rates
	}
	if c.MeanW == nil {
		c.refuse(c.Reason("mean_w"))
		return
	}
	_, hidden := in.Power.Unresolved(in.ResolutionAmps)
	switch watts := *c.MeanW; {
	case c.IOs == 0:
		c.refuse("no IO was completed")
		return
	case watts <= 0:
		c.refuse(fmt.Sprintf("mean power is %.3g W", watts))
		return
	case in.Power.Hides(hidden):
		c.refuse(fmt.Sprintf("power is below resolution (%.3g W of %.3g W)", hidden, watts))
		return
	}
	c.divide(*c.MeanW)
	c.ratioScatter(in)
}

// divide gives the ratios of the rates to a power.
func (c *Cell) divide(watts float64) {
	mW := units.Watts(watts).Milliwatts()
	c.IOPSPerW, c.MBPerSPerW = analysis.Some(*c.IOPS/watts), analysis.Some(*c.MBPerS/watts)
	c.IOPSPerMW, c.MBPerSPerMW = analysis.Some(*c.IOPS/mW), analysis.Some(*c.MBPerS/mW)
	c.UJPerIO = analysis.Some(watts / *c.IOPS * 1e6)
}

// ratioScatter gives the ratios their ±.
func (c *Cell) ratioScatter(in Input) {
	parts := Parts(in.Result)
	u := math.NaN()
	if len(parts) == len(in.Parts) {
		u = wider(parts, func(i int, p Part) (float64, bool) {
			watts := &in.Parts[i].Total
			return watts.MeanW * p.Seconds(), watts.Coverage >= minPartCoverage
		})
	}
	borders := math.Hypot(relBorders(in.Power), relEngineEdges(in.Result))
	switch c.U95ScatterRel = analysis.Some(math.Hypot(u, borders)); {
	case math.IsNaN(u):
		c.withhold("u95_rel", noScatter(parts))
	case c.U95ScatterRel == nil:
		c.withhold("u95_rel", "the window's borders are not placed in the trace")
	default:
		c.U95Rel = analysis.Some(math.Hypot(*c.U95ScatterRel, moduleU95W(in.Power, in.Accuracy)/in.Power.Total.MeanW))
	}
}

// railU95W returns the U95 of a rail's mean power. Its borders and lost samples cost it
// at most what they cost the total.
func railU95W(p *window.Stats, r *window.RailStats, spec accuracy.Spec) float64 {
	return math.Hypot(math.Hypot(r.TypeAU95W, relBorders(p)*p.Total.MeanW), spec.U95Watts(r.MeanV, r.MeanA))
}

// railU95A returns that of its mean current: what the power's borders cost, over its
// volts.
func railU95A(p *window.Stats, r *window.RailStats, spec accuracy.Spec) float64 {
	return math.Hypot(math.Hypot(r.TypeAU95A, relBorders(p)*p.Total.MeanW/r.MeanV), spec.U95Amps(r.MeanA))
}

// moduleU95W returns the U95 of the mean power that the module's own error brings,
// rails being independent.
func moduleU95W(p *window.Stats, spec accuracy.Spec) float64 {
	u := 0.0
	for i := range p.Rails {
		if r := &p.Rails[i]; !r.Unused {
			u = math.Hypot(u, spec.U95Watts(r.MeanV, r.MeanA))
		}
	}
	return u
}

// wider returns the scatter of IOs or of bytes, whichever is wider, over what per
// gives for a part; parts for which it gives nothing are left out.
func wider(parts []Part, per func(i int, p Part) (float64, bool)) float64 {
	var ios, bytes []pair
	for i, p := range parts {
		if x, ok := per(i, p); ok {
			ios, bytes = append(ios, pair{p.IOs, x}), append(bytes, pair{p.Bytes, x})
		}
	}
	u := scatter(ios)
	if b := scatter(bytes); b > u {
		return b
	}
	return u
}

// relEngineEdges returns the relative U95 of a rate that comes from the engine's two
// borders: they change the seconds that its counts are spread over.
func relEngineEdges(r *engine.Result) float64 {
	return math.Sqrt2 * float64(r.EdgeU95Ns) / float64(r.EndNs-r.StartNs)
}

// relPower returns the relative U95 of the mean power: its own scatter, borders, and
// what lost stripes may have held. NaN if it cannot be told.
func relPower(p *window.Stats) float64 {
	return math.Hypot(p.Total.TypeAU95W/p.Total.MeanW, relBorders(p))
}

// relBorders is relPower without the scatter.
func relBorders(p *window.Stats) float64 {
	unseen := 0.0
	if lack := 1 - p.Total.Coverage; lack > 0 {
		unseen = lack * (p.Total.MaxW - p.Total.MinW)
	}
	return math.Hypot(p.EdgeU95W(), unseen) / p.Total.MeanW
}
