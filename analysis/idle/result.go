package idle

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
)

// Result is one idle window, or one of several levels in it, with the JSON keys of
// results.json. What is nil was not measured or is in Withheld.
type Result struct {
	Step          string                   `json:"step"`
	Kind          string                   `json:"kind"`
	Level         int                      `json:"level,omitempty"` // 1, 2, … in order of appearance; 0 = the window has one only
	StartMonoNs   int64                    `json:"start_mono_ns"`
	EndMonoNs     int64                    `json:"end_mono_ns"`
	Windows       []Window                 `json:"windows,omitempty"` // of a level that the drive came back to
	DurationS     float64                  `json:"duration_s"`        // of all windows
	Coverage      float64                  `json:"coverage"`
	SettledAfterS *float64                 `json:"settled_after_s,omitempty"` // from the step's start; see Rule
	Settled       *bool                    `json:"settled,omitempty"`         // before the window; nil = cannot be told
	UnsettledWhy  string                   `json:"unsettled_why,omitempty"`
	Trust         *Trust                   `json:"trust,omitempty"`
	Rails         map[quarch.Rail]*Figures `json:"rails"`
	Total         *Figures                 `json:"total"`
	NotMeasured   []quarch.Rail            `json:"not_measured,omitempty"`   // rails in use without samples: there is no total
	NoRails       []quarch.Rail            `json:"no_rails,omitempty"`       // rails in use, it is said, that the drive has none of
	LinkPower     string                   `json:"link_power,omitempty"`     // how the host lets the link to it save power
	ReadingsPerS  *float64                 `json:"readings_per_s,omitempty"` // polled links only
	Withheld      []analysis.Withheld      `json:"-"`
	Warnings      []analysis.Warning       `json:"-"`

	changes bool // at a border of the window
}

// Window is a half-open interval of host time.
type Window struct {
	StartMonoNs int64 `json:"start_mono_ns"`
	EndMonoNs   int64 `json:"end_mono_ns"`
}

// Figures are those of one rail or of the total; the total has no volts and
// amperes. MeanW is gross: as measured, nothing subtracted.
type Figures struct {
	MeanW     *float64 `json:"mean_w,omitempty"`
	MinW      *float64 `json:"min_w,omitempty"`
	MaxW      *float64 `json:"max_w,omitempty"`
	StdW      *float64 `json:"std_w,omitempty"`
	P50W      *float64 `json:"p50_w,omitempty"`
	P99W      *float64 `json:"p99_w,omitempty"`
	MeanA     *float64 `json:"mean_a,omitempty"`
	U95A      *float64 `json:"u95_a,omitempty"`
	MeanV     *float64 `json:"mean_v,omitempty"`
	U95V      *float64 `json:"u95_v,omitempty"`
	U95W      *float64 `json:"u95_w,omitempty"`       // of MeanW: noise and the module's accuracy
	U95NoiseW *float64 `json:"u95_noise_w,omitempty"` // scatter, pulses and borders alone
	ZeroW     *float64 `json:"zero_w,omitempty"`      // what module and fixture draw at these volts
	ZeroU95W  *float64 `json:"zero_u95_w,omitempty"`
	NetW      *float64 `json:"net_w,omitempty"` // MeanW − ZeroW
	NetU95W   *float64 `json:"net_u95_w,omitempty"`

	why      string // why MeanW is withheld
	coverage *float64
}

// Results returns the figures: of the window, or of each level where it has several.
// It is called once, after the last block.
func (a *Analyzer) Results() []*Result {
	a.settling.end()
	a.settler.End()
	st := a.cutter.Stats()[0]
	if levels := findLevels(a.seconds.means()); levels != nil {
		return a.levels(levels, &st)
	}
	r := a.result(&st)
	s := a.scatter(nil)
	r.Coverage = st.Total.Coverage
	for k, name := range a.rails {
		rail := st.Rail(name)
		f := figures(rail.Power, a.hist[name])
		f.MeanA, f.MeanV = analysis.Some(rail.MeanA), analysis.Some(rail.MeanV)
		r.Rails[name] = f
		a.uncertain(f, k, s)
		a.judgeCoverage(r, f, "rails."+string(name), rail.Coverage)
	}
	r.Total = figures(st.Total, &a.total)
	a.uncertainTotal(r, math.Hypot(s.total, st.EdgeU95W()))
	a.judgeCoverage(r, r.Total, "total", st.Total.Coverage)
	a.judge(r, &st, s)
	a.judgeBorder(r)
	a.judgeSettled(r)
	return []*Result{r}
}

// result returns a Result without figures.
func (a *Analyzer) result(st *window.Stats) *Result {
	none := slices.DeleteFunc(slices.Clone(a.o.NoRails), func(r quarch.Rail) bool { return !analysis.Uses(a.o.Rails, r) })
	return &Result{
		Step: a.o.Step, Kind: a.o.Kind, StartMonoNs: a.w.StartNs, EndMonoNs: a.w.EndNs, DurationS: a.w.Seconds(),
		Rails: map[quarch.Rail]*Figures{}, NotMeasured: st.Lacks(a.o.NoRails), NoRails: none, LinkPower: a.o.LinkPower,
	}
}

func figures(p window.Power, h *window.Histogram) *Figures {
	return &Figures{
		coverage: analysis.Some(p.Coverage),
		MeanW:    analysis.Some(p.MeanW), MinW: analysis.Some(p.MinW), MaxW: analysis.Some(p.MaxW), StdW: analysis.Some(p.StdW),
		P50W: analysis.Some(h.Quantile(0.5)), P99W: analysis.Some(h.Quantile(0.99)),
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

// name is what the result's figures are called by.
func (r *Result) name() string {
	if r.Level > 0 {
		return fmt.Sprintf("idle.%s.level_%d", r.Step, r.Level)
	}
	return "idle." + r.Step
}

// withhold takes all figures back.
func (r *Result) withhold(f *Figures, what, why string) {
	*f = Figures{why: why, coverage: f.coverage}
	r.lacks(what, why)
}

func (r *Result) lacks(what, why string) {
	r.Withheld = append(r.Withheld, analysis.Withheld{What: r.name() + "." + what, Why: why})
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

// judge looks for what a figure would hide, and says how far it can be trusted.
func (a *Analyzer) judge(r *Result, st *window.Stats, s scatter) {
	a.judgeResolution(r, st)
	a.judgePolling(r, st)
	a.judgeOtherRails(r, st)
	if why := analysis.NoTotal(r.NotMeasured); why != "" {
		r.withhold(r.Total, "total", why)
		r.warn("partial_total", why)
	}
	if r.Total.MeanW != nil && r.Total.U95W == nil {
		r.lacks("total.u95_w", "the window is too short to tell the mean's scatter, or its borders are not placed")
	}
	a.net(r)
	a.judgeTrust(r, s)
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
	r.ReadingsPerS = analysis.Some(st.ReadingsPerS())
	r.warn("polled", st.PollingNote())
	why := st.NoP99()
	if why == "" {
		return
	}
	for _, f := range r.Rails {
		f.P99W = nil
	}
	r.Total.P99W = nil
	r.lacks("p99_w", why)
}

// judgeOtherRails warns of current on a rail that the drive is said not to use.
func (a *Analyzer) judgeOtherRails(r *Result, st *window.Stats) {
	for _, text := range st.Strays(a.o.Accuracy, func(rail quarch.Rail) float64 { return a.o.Zero[rail].Amps }) {
		r.warn("unused_rail", text)
	}
}
