package inrush

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
)

// Result returns the figures. It is called once, after the last block.
func (a *Analyzer) Result() *Cycle {
	c := &Cycle{
		Step: a.o.Step, StartMonoNs: a.w.StartNs, EndMonoNs: a.w.EndNs,
		ResolutionUs: float64(a.periodNs) * 1e-3, LostStripes: a.lost, Rails: map[quarch.Rail]*Rail{},
	}
	switch {
	case a.polled > 1:
		rate := float64(a.polled-1) / (float64(a.atNs[1]-a.atNs[0]) * 1e-9)
		c.withhold("", fmt.Sprintf("not measurable at %.3g readings/s", rate))
		return c
	case !a.seen:
		c.withhold("", "the window has no samples")
		return c
	case !a.risen:
		c.withhold("", "no rail rose in the window")
		return c
	case a.origin == a.first:
		c.withhold("", "a rail was on already when the window began")
		return c
	}
	at, u := a.m.TimeOf(float64(a.origin))
	c.OriginMonoNs, c.OriginU95S = &at, analysis.Some(u*1e-9)
	coverage := min(1, float64(a.taken)/float64(max(1, a.hi-a.origin)))
	c.Coverage = &coverage
	if a.noTimes = a.untimed(); a.noTimes != "" {
		c.withhold("peaks.at_s", a.noTimes)
	}
	for _, r := range a.rails {
		c.Rails[r.rail] = a.rail(c, r)
	}
	c.Total = &Total{}
	c.NotMeasured = a.lacking()
	noTotal := analysis.NoTotal(c.NotMeasured)
	if noTotal != "" {
		c.withhold("total.energy_j", noTotal)
		c.withhold("total.peaks", noTotal)
	} else if c.supports("total", "energy_j", "peaks") {
		c.Total.EnergyJ = analysis.Some(a.joules(a.sum.Float(), a.lsb))
		c.Total.EnergyU95J = analysis.Some(a.totalEnergyU95())
		c.Total.Peaks = a.peaks(c, "total", nil)
	}
	a.readiness(c, at, u, noTotal)
	a.warnings(c)
	return c
}

func (c *Cycle) withhold(what, why string) {
	parts := slices.DeleteFunc([]string{"inrush", c.Step, what}, func(s string) bool { return s == "" })
	c.Withheld = append(c.Withheld, analysis.Withheld{What: strings.Join(parts, "."), Why: why})
}

// supports reports whether enough of the cycle was seen for figures of all of it;
// if not, it withholds those of what.
func (c *Cycle) supports(what string, figures ...string) bool {
	// What is missing may hold the highest peak, and is missing from every sum.
	if *c.Coverage >= analysis.RequiredCoverage {
		return true
	}
	for _, f := range figures {
		c.withhold(what+"."+f, analysis.Uncovered("power-up", *c.Coverage, analysis.RequiredCoverage))
	}
	return false
}

func (c *Cycle) warn(code, text string) {
	c.Warnings = append(c.Warnings, analysis.Warning{Code: code, Text: "power-up " + c.Step + ": " + text})
}

// joules returns the energy of a sum of counts, with the period in host time.
func (a *Analyzer) joules(sum, lsb float64) float64 { return sum * lsb * a.stripeS() }

func (a *Analyzer) rail(c *Cycle, r *railState) *Rail {
	what := "rails." + string(r.rail)
	out := &Rail{DroopV: analysis.Some(r.ramp.droop())}
	if out.DroopV == nil {
		c.withhold(what+".droop_v", "the voltage never came to rest")
	} else {
		out.DroopU95V = analysis.Some(r.ramp.droopU95(*out.DroopV, a.o.Accuracy))
	}
	v, u95, why := r.ramp.start()
	if why != "" {
		c.withhold(what+".start_v", why)
	} else {
		out.StartV, out.StartU95V = &v, analysis.Some(math.Hypot(u95, a.o.Accuracy.U95Volts(v)))
	}
	switch {
	case r.rose == noValue:
		c.withhold(what+".rise_s", "the rail stayed off")
	case a.noTimes != "":
		c.withhold(what+".rise_s", a.noTimes)
	default:
		out.RiseS, out.RiseU95S = a.place(float64(r.rose))
	}
	if !c.supports(what, "charge_c", "i2t_a2s", "energy_j", "peaks", "above") {
		return out
	}
	out.ChargeC = analysis.Some(a.joules(r.charge.Float(), r.lsbA))
	out.EnergyJ = analysis.Some(a.joules(r.energy.Float(), r.lsbW))
	out.ChargeU95C, out.EnergyU95J = a.chargeU95(r), analysis.Some(a.energyU95(r))
	out.I2tA2s, out.I2tU95A2s = a.heat(r)
	out.Peaks = a.peaks(c, what, r)
	a.exceeded(c, what, r, out)
	return out
}

// exceeded times what lies above the limits of a rail.
func (a *Analyzer) exceeded(c *Cycle, what string, r *railState, out *Rail) {
	limits := a.o.LimitsA[r.rail]
	if len(limits) > 0 && len(r.above.limits) == 0 {
		c.withhold(what+".above", fmt.Sprintf("a mean over 10 ms needs ≤ 1 ms samples; these are %s", duration(c.ResolutionUs)))
	}
	if a.noTimes != "" && len(r.above.limits) > 0 {
		c.withhold(what+".above", a.noTimes)
		return
	}
	for i := range r.above.limits {
		b := &r.above.limits[i]
		out.Above = append(out.Above, a.excess(c, fmt.Sprintf("%s.above.%gA", what, b.at.limit), r.above, b))
	}
}

// peaks lists the peaks of a rail, or of the total (nil), which has no amperes.
func (a *Analyzer) peaks(c *Cycle, what string, r *railState) []Peak {
	var out []Peak
	supported := 0
	watts := a.total
	if r != nil {
		watts = r.watts
	}
	for i, us := range append([]float64{c.ResolutionUs}, a.o.windowsUs()...) {
		name := fmt.Sprintf("%s.peaks.%s", what, key(us))
		if i > 0 && us*1e3/float64(a.periodNs) < perSlide {
			if us != c.ResolutionUs {
				c.withhold(name, fmt.Sprintf("peak over %s needs ≤ %s samples; these are %s", duration(us), duration(us/perSlide), duration(c.ResolutionUs)))
			}
			continue
		}
		if watts.windows[supported].found {
			out = append(out, a.peak(us, r, supported))
		} else {
			c.withhold(name, fmt.Sprintf("no unbroken stretch of samples is %s long", duration(us)))
		}
		supported++
	}
	return out
}

// peak returns the peak over the i-th of the supported windows.
func (a *Analyzer) peak(us float64, r *railState, i int) Peak {
	if r == nil {
		w := &a.total.windows[i]
		p := Peak{WindowUs: us, Watts: analysis.Some(w.mean() * a.lsb), U95W: a.peakU95(a.total, i, a.lsb, a.moduleTotalW(i))}
		p.AtS, p.AtU95S = a.place(w.at)
		return p
	}
	x, w := &r.amps.windows[i], &r.watts.windows[i]
	amps := x.mean() * r.lsbA
	p := Peak{
		WindowUs: us, Amps: &amps, Watts: analysis.Some(w.mean() * r.lsbW),
		U95A: a.peakU95(r.amps, i, r.lsbA, a.o.Accuracy.U95Amps(amps)), U95W: a.peakU95(r.watts, i, r.lsbW, a.moduleW(r, i)),
	}
	p.AtS, p.AtU95S = a.place(x.at)
	p.WattsAtS, p.WattsAtU95S = a.place(w.at)
	return p
}

// readiness joins the host's first answered command with the trace.
func (a *Analyzer) readiness(c *Cycle, originNs, u95Ns float64, noTotal string) {
	if a.o.ReadyNs == 0 {
		if a.o.ReadyWhy != "" {
			c.withhold("time_to_ready_s", a.o.ReadyWhy)
		}
		return
	}
	after := (float64(a.o.ReadyNs) - originNs) * 1e-9
	switch {
	case after < 0:
		c.withhold("time_to_ready_s", fmt.Sprintf("the drive answered %.3f s before its rails rose", -after))
		return
	case math.IsInf(u95Ns, 1):
		c.withhold("time_to_ready_s", "the trace is not placed on the host's clock")
		return
	}
	c.TimeToReadyS = &after
	c.TimeToReadyU95S = analysis.Some(math.Hypot(u95Ns, float64(a.o.ReadyU95Ns)) * 1e-9)
	if noTotal != "" {
		c.withhold("energy_to_ready_j", noTotal)
		return
	}
	if a.late.end > float64(a.hi) || a.lost > 0 {
		c.withhold("energy_to_ready_j", "the samples do not reach from the rails' rise to readiness without a gap")
		return
	}
	c.EnergyToReadyJ, c.EnergyToReadyU95J = analysis.Some(a.joules(a.ready.sum, a.lsb)), analysis.Some(a.readyU95())
}

func (a *Analyzer) warnings(c *Cycle) {
	if a.lost > 0 {
		c.warn("lost_in_inrush", fmt.Sprintf("%d stripes were lost: no peak reaches over them, and charge and energy leave them out", a.lost))
	}
	if why := analysis.NoTotal(c.NotMeasured); why != "" {
		c.warn("partial_total", why)
	}
	for _, o := range a.others {
		if text := window.Stray(o.rail, o.sum.Float()/o.n*o.lsbA, 0, a.o.Accuracy); text != "" {
			c.warn("unused_rail", text)
		}
	}
}

// lacking returns the rails without which there is no total.
func (a *Analyzer) lacking() []quarch.Rail {
	var measured []quarch.Rail
	for _, r := range a.rails {
		measured = append(measured, r.rail)
	}
	return analysis.Lacking(a.o.Rails, measured, a.o.NoRails)
}

// key names a window in a path: "100us", "1ms".
func key(us float64) string {
	if us >= 1e3 {
		return strconv.FormatFloat(us/1e3, 'g', -1, 64) + "ms"
	}
	return strconv.FormatFloat(us, 'g', -1, 64) + "us"
}

// duration writes a duration for people: "100 µs", "1.024 ms".
func duration(us float64) string {
	if us >= 1e3 {
		return strconv.FormatFloat(us/1e3, 'g', -1, 64) + " ms"
	}
	return strconv.FormatFloat(us, 'g', -1, 64) + " µs"
}
