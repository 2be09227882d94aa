package demand

import (
	"fmt"

	"powerd/analysis"
	"powerd/analysis/efficiency"
)

// MetShare is the share of a demand from which on it counts as met.
const MetShare = 0.98

// Result is a ramp, with the JSON keys of results.json.
type Result struct {
	Step      string   `json:"step"` // of the suite
	RW        string   `json:"rw"`
	BSBytes   int64    `json:"bs_bytes"`
	ReadPct   int      `json:"read_pct"`
	QD        int      `json:"qd"`
	Jobs      int      `json:"jobs"`
	LimitIOPS *int     `json:"limit_iops,omitempty"` // largest demand that was met
	NextIOPS  *int     `json:"next_iops,omitempty"`  // smallest above it that was not
	MostIOPS  *float64 `json:"most_iops,omitempty"`  // that any step did
	Steps     []*Step  `json:"steps"`

	Withheld []analysis.Withheld `json:"-"`
	Warnings []analysis.Warning  `json:"-"`
}

// Step is one demand of a ramp. The whole cell stands under efficiency.
type Step struct {
	Step          string   `json:"step"`
	DemandIOPS    int      `json:"demand_iops"`
	IOPS          *float64 `json:"iops,omitempty"` // that the engine did
	Met           *bool    `json:"met,omitempty"`  // absent = its IOPS are not known
	LatencyMeanUs *float64 `json:"latency_mean_us,omitempty"`
	LatencyMaxUs  *float64 `json:"latency_max_us,omitempty"`
	MeanW         *float64 `json:"mean_w,omitempty"`
	MeanU95W      *float64 `json:"mean_u95_w,omitempty"`
	IOPSPerMW     *float64 `json:"iops_per_mw,omitempty"`

	startNs, endNs int64
	iopsU95        float64
}

// Judge returns the ramp whose cells are given, in the order in which they were done; step
// names it. A cell that was interrupted is left out.
func Judge(step string, cells []*efficiency.Cell) *Result {
	r := &Result{Step: step, Steps: []*Step{}}
	for _, c := range cells {
		if c.Interrupted {
			continue
		}
		r.RW, r.BSBytes, r.ReadPct, r.QD, r.Jobs = c.RW, c.BSBytes, c.ReadPct, c.QD, c.Jobs
		r.Steps = append(r.Steps, stepOf(c))
	}
	r.limits()
	return r
}

func stepOf(c *efficiency.Cell) *Step {
	s := &Step{
		Step: c.Step, DemandIOPS: c.DemandIOPS, IOPS: c.IOPS, MeanW: c.MeanW, MeanU95W: c.MeanU95W, IOPSPerMW: c.IOPSPerMW,
		startNs: c.StartMonoNs, endNs: c.EndMonoNs,
	}
	if c.Latency != nil {
		s.LatencyMeanUs, s.LatencyMaxUs = c.Latency.Mean, c.Latency.Max
	}
	if c.IOPS != nil {
		met := *c.IOPS >= MetShare*float64(c.DemandIOPS)
		s.Met = &met
		if c.IOPSU95Rel != nil {
			s.iopsU95 = *c.IOPS * *c.IOPSU95Rel
		}
	}
	return s
}

// limits finds the demands between which the drive's own limit lies.
func (r *Result) limits() {
	for _, s := range r.Steps {
		if s.Met == nil {
			continue
		}
		if *s.Met && (r.LimitIOPS == nil || s.DemandIOPS > *r.LimitIOPS) {
			r.LimitIOPS = &s.DemandIOPS
		}
		if r.MostIOPS == nil || *s.IOPS > *r.MostIOPS {
			r.MostIOPS = s.IOPS
		}
	}
	if r.LimitIOPS == nil {
		why := "no demand was met"
		if r.MostIOPS == nil {
			why = "no step of the ramp left a rate"
		}
		r.Withheld = append(r.Withheld, analysis.Withheld{What: "demand." + r.Step + ".limit_iops", Why: why})
		return
	}
	for _, s := range r.Steps {
		switch {
		case s.Met == nil || *s.Met:
		case s.DemandIOPS < *r.LimitIOPS:
			r.Warnings = append(r.Warnings, analysis.Warning{Code: "demand_not_met", Text: fmt.Sprintf(
				"step %s: it did %.5g of %d IOPS, and %d were met: something else disturbed it", s.Step, *s.IOPS, s.DemandIOPS, *r.LimitIOPS)})
		case r.NextIOPS == nil || s.DemandIOPS < *r.NextIOPS:
			r.NextIOPS = &s.DemandIOPS
		}
	}
}

// Limit says where the drive's own limit lies, in words; empty if that is not known.
func (r *Result) Limit() string {
	switch {
	case r.LimitIOPS == nil:
		return ""
	case r.NextIOPS == nil:
		return fmt.Sprintf("above %d IOPS, the highest demand of the ramp", *r.LimitIOPS)
	}
	return fmt.Sprintf("%d IOPS were met, %d were not", *r.LimitIOPS, *r.NextIOPS)
}
