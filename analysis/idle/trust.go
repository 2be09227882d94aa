package idle

import (
	"fmt"
	"math"
	"strings"

	"powerd/analysis"
	"powerd/engine"
)

// Trust says how far an idle figure can be trusted. What is nil is not known.
type Trust struct {
	HalvesDiffW    *float64 `json:"halves_diff_w,omitempty"` // mean of the second half less that of the first
	HalvesU95W     *float64 `json:"halves_diff_u95_w,omitempty"`
	HostIOs        *uint64  `json:"host_ios,omitempty"` // that the host asked of the drive inside the window
	Pulses         *Pulses  `json:"pulses,omitempty"`   // nil = none found
	PulsesWhy      string   `json:"pulses_why,omitempty"`
	Coverage       float64  `json:"coverage"`
	ZeroSubtracted bool     `json:"zero_subtracted"` // in net_w; mean_w never is
	U95W           *float64 `json:"u95_w,omitempty"`
}

// judgeTrust fills in what is known, and warns of what speaks against the figure.
func (a *Analyzer) judgeTrust(r *Result, s scatter) {
	t := &Trust{Coverage: r.Coverage, U95W: r.Total.U95W, Pulses: s.pulses, ZeroSubtracted: r.Total.NetW != nil}
	r.Trust = t
	if r.Total.MeanW != nil {
		t.HalvesDiffW, t.HalvesU95W = analysis.Some(s.diffW), analysis.Some(s.diffU95W)
	}
	if a.polled {
		t.PulsesWhy = "a polled link is too slow for them"
	}
	if t.HostIOs = hostIOs(a.o.HostIO, r.windows()); t.HostIOs != nil && *t.HostIOs > 0 {
		r.warn("host_io", fmt.Sprintf("the host asked %d IOs of the drive inside the window: it was not idle", *t.HostIOs))
	}
	if r.halvesDiffer() {
		more := "more"
		if *t.HalvesDiffW < 0 {
			more = "less"
		}
		r.warn("halves_differ", fmt.Sprintf("its second half draws %s W %s than its first: the mean depends on when it was taken", analysis.FormatValue(math.Abs(*t.HalvesDiffW), *t.HalvesU95W, 0), more))
	}
}

// Drifts reports whether the mean depends on when it was taken: halves differ, or the power
// changes right beside a border.
func (r *Result) Drifts() bool { return r.changes || r.halvesDiffer() }

// halvesDiffer reports whether the halves of the window differ by more than their ± and by
// more than 1 %.
func (r *Result) halvesDiffer() bool {
	if r.Trust == nil || r.Trust.HalvesDiffW == nil || r.Trust.HalvesU95W == nil || r.Total.MeanW == nil {
		return false
	}
	d := math.Abs(*r.Trust.HalvesDiffW)
	return d > *r.Trust.HalvesU95W && d > 0.01*math.Abs(*r.Total.MeanW)
}

// windows returns those that the figures speak of.
func (r *Result) windows() []Window {
	if r.Windows != nil {
		return r.Windows
	}
	return []Window{{r.StartMonoNs, r.EndMonoNs}}
}

// hostIOs counts what the host asked for in windows, by intervals that lie wholly
// inside: those at a border may be of the time beside it. nil if nobody watched nearly
// all of them.
func hostIOs(intervals []engine.Interval, windows []Window) *uint64 {
	const watched = 0.95
	var n uint64
	var covered, length float64
	for _, w := range windows {
		length += float64(w.EndMonoNs - w.StartMonoNs)
		for _, v := range intervals {
			covered += max(0, float64(min(v.EndNs, w.EndMonoNs)-max(v.StartNs, w.StartMonoNs)))
			if v.StartNs >= w.StartMonoNs && v.EndNs <= w.EndMonoNs {
				n += v.Reads + v.Writes
			}
		}
	}
	if covered < watched*length {
		return nil
	}
	return &n
}

// Text says it in one sentence.
func (t *Trust) Text() string {
	var parts []string
	switch {
	case t.HalvesDiffW == nil:
		parts = append(parts, "halves cannot be compared")
	case t.HalvesU95W == nil:
		parts = append(parts, "halves differ by "+milliwatts(*t.HalvesDiffW, 0))
	default:
		parts = append(parts, "halves differ by "+milliwatts(*t.HalvesDiffW, *t.HalvesU95W))
	}
	if t.HostIOs == nil {
		parts = append(parts, "host IO not watched")
	} else {
		parts = append(parts, fmt.Sprintf("%d host IOs", *t.HostIOs))
	}
	switch {
	case t.Pulses != nil:
		parts = append(parts, t.Pulses.Text())
	case t.PulsesWhy != "":
		parts = append(parts, "pulses not looked for ("+t.PulsesWhy+")")
	default:
		parts = append(parts, "no regular pulses")
	}
	parts = append(parts, fmt.Sprintf("coverage %.4g %%", 100*t.Coverage))
	if t.ZeroSubtracted {
		parts = append(parts, "zero subtracted in the net figure only")
	} else {
		parts = append(parts, "zero not subtracted")
	}
	if t.U95W == nil {
		parts = append(parts, "± not known")
	} else {
		parts = append(parts, "± "+milliwatts(*t.U95W, 0))
	}
	return "trust: " + strings.Join(parts, "; ")
}

func milliwatts(w, u95 float64) string { return analysis.FormatValue(1e3*w, 1e3*u95, 2) + " mW" }

// Text says what was found, and not who it is.
func (p *Pulses) Text() string {
	length := fmt.Sprintf("%.3g ms", p.LengthS*1e3)
	if p.LengthS >= 1 {
		length = fmt.Sprintf("%.3g s", p.LengthS)
	}
	return fmt.Sprintf("pulses of %.3g mA on %s to %.3g W for %s every %s s, %d of them (the drive's own, or somebody polls it)",
		p.HeightA*1e3, analysis.RailName(p.Rail), p.PeakW, length, analysis.FormatValue(p.PeriodS, 0, 4), p.Count)
}

// judgeSettled says when the drive settled, and warns if that was not before the window.
func (a *Analyzer) judgeSettled(r *Result) {
	after, ok := a.settler.Settled()
	if !ok {
		why := a.settler.Why()
		r.lacks("settled_after_s", why)
		if a.settler.Seconds() < a.settler.r.For.Seconds() {
			return // nobody can tell
		}
		r.unsettled(why)
		return
	}
	r.SettledAfterS = &after
	const grid = 1 // s, of the settler
	before := float64(a.w.StartNs-a.o.SinceNs)*1e-9 + grid
	if after > before {
		r.unsettled(fmt.Sprintf("it settled %.0f s into the window only", after-before+grid))
		return
	}
	settled := true
	r.Settled = &settled
}

func (r *Result) unsettled(why string) {
	settled := false
	r.Settled, r.UnsettledWhy = &settled, why
	r.warn("not_settled", "not settled: "+why)
}
