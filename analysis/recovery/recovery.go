package recovery

import (
	"fmt"
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

// Result is a load with pauses, with the JSON keys of results.json. What is nil was not
// measured or is in Withheld.
type Result struct {
	Step        string  `json:"step"`
	Group       string  `json:"group"` // the suite's step
	RW          string  `json:"rw"`
	BSBytes     int64   `json:"bs_bytes"`
	ReadPct     int     `json:"read_pct"`
	QD          int     `json:"qd"`
	Jobs        int     `json:"jobs"`
	PauseS      float64 `json:"pause_s"` // that was asked for
	LoadS       float64 `json:"load_s"`  // the same
	StartMonoNs int64   `json:"start_mono_ns,omitempty"`
	EndMonoNs   int64   `json:"end_mono_ns,omitempty"`

	After        *Figures `json:"after,omitempty"`
	Pause        *Figures `json:"pause,omitempty"` // no IOs
	BeforeIOPS   *float64 `json:"before_iops,omitempty"`
	BeforeMeanW  *float64 `json:"before_mean_w,omitempty"`
	ThenIOPS     *float64 `json:"then_iops,omitempty"`
	FreshIOPS    *float64 `json:"fresh_iops,omitempty"`
	Gain         *float64 `json:"gain,omitempty"`
	GainU95      *float64 `json:"gain_u95,omitempty"`
	Share        *float64 `json:"recovery_share,omitempty"`
	Bursts       []Single `json:"bursts"`
	SeenPauseS   *float64 `json:"seen_pause_s,omitempty"`     // mean of those between bursts
	SeenPauseU95 *float64 `json:"seen_pause_u95_s,omitempty"` // of any of them

	Withheld []analysis.Withheld `json:"-"`
	Warnings []analysis.Warning  `json:"-"`
}

// Figures are windows added up.
type Figures struct {
	Count      int      `json:"count"` // windows
	DurationS  float64  `json:"duration_s"`
	IOs        uint64   `json:"ios,omitempty"`
	Bytes      uint64   `json:"bytes,omitempty"`
	IOPS       *float64 `json:"iops,omitempty"`
	IOPSU95    *float64 `json:"iops_u95,omitempty"`
	MBPerS     *float64 `json:"mb_per_s,omitempty"`
	MeanW      *float64 `json:"mean_w,omitempty"`
	MeanU95W   *float64 `json:"mean_u95_w,omitempty"`
	EnergyJ    *float64 `json:"energy_j,omitempty"`
	IOPSPerMW  *float64 `json:"iops_per_mw,omitempty"`
	UJPerIO    *float64 `json:"uj_per_io,omitempty"`
	Coverage   *float64 `json:"coverage,omitempty"` // of the window that has least
	scatterRel float64  // U95 of IOPS, relative
}

// Single is one burst.
type Single struct {
	StartMonoNs int64    `json:"start_mono_ns"`
	EndMonoNs   int64    `json:"end_mono_ns"`
	IOs         uint64   `json:"ios"`
	IOPS        float64  `json:"iops"`
	MeanW       *float64 `json:"mean_w,omitempty"`
}

// Input is what a result is made of.
type Input struct {
	Job      engine.Job
	Group    string
	Window   analysis.Window // of the engine's IO
	Bursts   []Burst
	Power    []window.Stats // of Windows(Bursts); nil = no samples
	Why      string         // why there are no bursts; empty if the load simply had none
	Accuracy accuracy.Spec
	NoRails  []quarch.Rail
}

// leastBursts is how many bursts tell anything: of one nobody knows how it scatters.
const leastBursts = 2

// Judge returns what the pauses of a load gave, without what it is compared with.
func Judge(in Input) *Result {
	j := &in.Job
	r := &Result{
		Step: j.Step, Group: in.Group, RW: j.RW, BSBytes: j.BlockBytes, ReadPct: engine.ReadShare(j.RW, j.ReadPct), QD: j.QueueDepth, Jobs: j.Jobs,
		PauseS: j.Pause.Seconds(), LoadS: j.PauseEvery.Seconds(), StartMonoNs: in.Window.StartNs, EndMonoNs: in.Window.EndNs, Bursts: []Single{},
	}
	if len(in.Bursts) < leastBursts {
		why := in.Why
		if why == "" {
			why = fmt.Sprintf("%d whole loads after a pause were seen, and %d are needed", len(in.Bursts), leastBursts)
		}
		r.withhold("after", why)
		return r
	}
	r.seen(in.Bursts)
	r.add(&in)
	return r
}

func (r *Result) withhold(what, why string) {
	r.Withheld = append(r.Withheld, analysis.Withheld{What: "recovery." + r.Step + "." + what, Why: why})
}

// seen says how long the pauses really were, and warns where they are not what was asked.
func (r *Result) seen(bursts []Burst) {
	sum, border := 0.0, 0.0
	for i := 1; i < len(bursts); i++ {
		sum += float64(bursts[i].StartNs-bursts[i-1].EndNs) * 1e-9
		border = max(border, math.Sqrt2*float64(bursts[i].U95Ns)*1e-9)
	}
	mean := sum / float64(len(bursts)-1)
	r.SeenPauseS, r.SeenPauseU95 = &mean, &border
	const tolerated = 0.1 // s
	if math.Abs(mean-r.PauseS) > tolerated+border/math.Sqrt(float64(len(bursts)-1)) {
		r.Warnings = append(r.Warnings, analysis.Warning{Code: "pause", Text: fmt.Sprintf("step %s: its pauses lasted %.2f s, and %g s were asked for", r.Step, mean, r.PauseS)})
	}
}

// add adds the bursts up, and the pauses.
func (r *Result) add(in *Input) {
	after, pause := &tally{}, &tally{}
	for i := range in.Bursts {
		b := &in.Bursts[i]
		one := Single{StartMonoNs: b.StartNs, EndMonoNs: b.EndNs, IOs: b.IOs, IOPS: float64(b.IOs) / b.Seconds()}
		after.count(b)
		for k := 2 * i; k < min(2*i+2, len(in.Power)); k++ {
			into := after
			if k > 2*i {
				into = pause
			}
			if why := into.power(&in.Power[k], in.NoRails); why == "" && k == 2*i {
				one.MeanW = analysis.Some(in.Power[k].Total.MeanW)
			}
		}
		r.Bursts = append(r.Bursts, one)
	}
	if len(in.Power) == 0 {
		after.why, pause.why = "there are no samples of this time", "there are no samples of this time"
	}
	r.After, r.Pause = after.figures(in.Accuracy), pause.figures(in.Accuracy)
	for _, f := range []struct {
		name string
		why  string
	}{{"after.mean_w", after.why}, {"pause.mean_w", pause.why}} {
		if f.why != "" {
			r.withhold(f.name, f.why)
		}
	}
}

// Compare holds the bursts against loads without pauses; nil = it was not measured.
func (r *Result) Compare(before, then, fresh *efficiency.Cell) {
	iops := func(c *efficiency.Cell) *float64 {
		if c == nil || c.Interrupted {
			return nil
		}
		return c.IOPS
	}
	r.BeforeIOPS, r.ThenIOPS, r.FreshIOPS = iops(before), iops(then), iops(fresh)
	if before != nil {
		r.BeforeMeanW = before.MeanW
	}
	switch {
	case r.After == nil || r.After.IOPS == nil:
		return
	case r.BeforeIOPS == nil || *r.BeforeIOPS == 0:
		r.withhold("gain", "the load before the pauses left no IOPS")
		return
	}
	gain := *r.After.IOPS / *r.BeforeIOPS
	r.Gain = &gain
	if before.IOPSU95Rel != nil {
		r.GainU95 = analysis.Some(gain * math.Hypot(r.After.scatterRel, *before.IOPSU95Rel))
	}
	const least = 0.05 // of the fresh drive's IOPS, that are to be lost for a share of them to say anything
	switch {
	case r.FreshIOPS == nil:
		r.withhold("recovery_share", "no load of the fresh drive is known: name one with `fresh`")
	case *r.FreshIOPS-*r.BeforeIOPS < least**r.FreshIOPS:
		r.withhold("recovery_share", fmt.Sprintf("the load before the pauses did %.4g IOPS, and the fresh drive %.4g: nothing was lost that could come back", *r.BeforeIOPS, *r.FreshIOPS))
	case gain <= 1:
		r.withhold("recovery_share", "the drive did no more after the pauses than before: nothing came back, or the load before was not steady")
	default:
		r.Share = analysis.Some((*r.After.IOPS - *r.BeforeIOPS) / (*r.FreshIOPS - *r.BeforeIOPS))
	}
}
