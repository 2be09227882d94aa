package idle

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
)

// Result returns the figures. It is called once, after the last block.
func (a *Analyzer) Result() *Result {
	a.endSecond()
	st := a.cutter.Stats()[0]
	r := &Result{
		Step: a.o.Step, Kind: a.o.Kind,
		StartMonoNs: a.w.StartNs, EndMonoNs: a.w.EndNs, DurationS: a.w.Seconds(),
		Coverage: st.Total.Coverage, NotMeasured: st.NotMeasured, Rails: map[quarch.Rail]*Figures{},
	}
	for i := range st.Rails {
		rail := &st.Rails[i]
		f := figures(rail.Power, rail.TypeAU95W, a.hist[rail.Rail])
		f.MeanA, f.MeanV = analysis.Some(rail.MeanA), analysis.Some(rail.MeanV)
		r.Rails[rail.Rail] = f
		a.judgeCoverage(r, f, "rails."+string(rail.Rail), rail.Coverage)
	}
	r.Total = figures(st.Total, math.Hypot(st.Total.TypeAU95W, st.EdgeU95W()), &a.total)
	a.judgeCoverage(r, r.Total, "total", st.Total.Coverage)
	a.judgeResolution(r, &st)
	a.judgePolling(r, &st)
	a.judgeTotal(r)
	return r
}

func figures(p window.Power, u95 float64, h *histogram) *Figures {
	return &Figures{
		coverage: analysis.Some(p.Coverage),
		MeanW:    analysis.Some(p.MeanW), MinW: analysis.Some(p.MinW), MaxW: analysis.Some(p.MaxW), StdW: analysis.Some(p.StdW),
		P50W: analysis.Some(h.quantile(0.5)), P99W: analysis.Some(h.quantile(0.99)), U95W: analysis.Some(u95),
	}
}

// Given reports whether there is a mean power, of the total or of a rail.
func (r *Result) Given() bool {
	for _, f := range r.Rails {
		if f.MeanW != nil {
			return true
		}
	}
	return r.Total.MeanW != nil
}

// withhold takes all figures back.
func (r *Result) withhold(f *Figures, what, why string) {
	*f = Figures{why: why, coverage: f.coverage}
	r.Withheld = append(r.Withheld, analysis.Withheld{What: "idle." + r.Step + "." + what, Why: why})
}

func (r *Result) warn(code, text string) {
	r.Warnings = append(r.Warnings, analysis.Warning{Code: code, Text: fmt.Sprintf("idle step %s: %s", r.Step, text)})
}

func (a *Analyzer) judgeCoverage(r *Result, f *Figures, what string, coverage float64) {
	if coverage >= a.o.RequiredCoverage {
		return
	}
	r.withhold(f, what, analysis.Uncovered("window", coverage, a.o.RequiredCoverage))
}

// judgeResolution withholds rails below one step of the module, and the total if
// what they may hide matters to it.
func (a *Analyzer) judgeResolution(r *Result, st *window.Stats) {
	rails, hidden := st.Unresolved(a.o.ResolutionAmps)
	for _, name := range rails {
		f, step := r.Rails[name], a.o.ResolutionAmps[name]
		if f.MeanW != nil {
			r.withhold(f, "rails."+string(name), fmt.Sprintf("below resolution (%.3g mA, %.3g W)", step*1e3, step*st.Rail(name).MeanV))
		}
	}
	if r.Total.MeanW != nil && st.Hides(hidden) {
		r.withhold(r.Total, "total", fmt.Sprintf("a rail is below resolution, which may hide %.3g W of %.3g W", hidden, *r.Total.MeanW))
	}
}

// judgePolling states what a polled link can and cannot say.
func (a *Analyzer) judgePolling(r *Result, st *window.Stats) {
	if !st.Polled {
		return
	}
	rate := 1 / st.SpacingS
	r.ReadingsPerS = analysis.Some(rate)
	r.warn("polled", fmt.Sprintf("polled at %.3g readings/s: extremes and percentiles are of readings, short events are not seen", rate))
	const enough = 100 // for the 99th percentile of readings
	if st.Stripes >= enough {
		return
	}
	for _, f := range r.Rails {
		f.P99W = nil
	}
	r.Total.P99W = nil
	r.Withheld = append(r.Withheld, analysis.Withheld{
		What: "idle." + r.Step + ".p99_w",
		Why:  fmt.Sprintf("%d readings, a 99th percentile needs %d", st.Stripes, enough),
	})
}

// judgeTotal looks for what one mean would hide.
func (a *Analyzer) judgeTotal(r *Result) {
	if len(r.NotMeasured) > 0 {
		r.warn("partial_total", fmt.Sprintf("%v not measured: the total is partial", r.NotMeasured))
	}
	if r.Levels = findLevels(a.seconds); r.Levels != nil {
		x, y := r.Levels[0], r.Levels[1]
		r.warn("two_levels", fmt.Sprintf("two levels, %.3f W for %.0f s and %.3f W for %.0f s: the mean describes neither",
			x.MeanW, x.DurationS, y.MeanW, y.DurationS))
	}
	if r.Total.MeanW != nil && r.Total.U95W == nil {
		r.Withheld = append(r.Withheld, analysis.Withheld{What: "idle." + r.Step + ".total.u95_w", Why: "the window is too short to tell the mean's scatter, or its borders are not placed"})
	}
}
