package record

import (
	"powerd/analysis"
	"powerd/analysis/efficiency"
	"powerd/analysis/window"
	"powerd/quarch"
)

// Result is one recorded step, with the JSON keys of results.json. What is nil was not
// measured or is in Withheld.
type Result struct {
	Name        string                   `json:"step"`
	StartMonoNs int64                    `json:"start_mono_ns"`
	EndMonoNs   int64                    `json:"end_mono_ns"`
	DurationS   float64                  `json:"duration_s"`
	Coverage    float64                  `json:"coverage"`
	Rails       map[quarch.Rail]*Figures `json:"rails"`
	NotMeasured []quarch.Rail            `json:"not_measured,omitempty"` // rails in use without samples: there is no total
	Total       *Figures                 `json:"total"`
	IO          *IO                      `json:"io,omitempty"`
	Withheld    []analysis.Withheld      `json:"-"`
	Warnings    []analysis.Warning       `json:"-"`

	what  string // what its figures are called
	why   string // why there is no power
	apart string // why what was done is not divided by the power
}

// Apart withholds what divides work by power: why says why the power may be another
// drive's.
func (r *Result) Apart(why string) {
	r.apart = why
	if r.IO != nil && r.IO.IOPSPerMW != nil {
		r.IO.Ratios, r.IO.why = efficiency.Ratios{}, why
		r.withhold("io.iops_per_mw", why)
	}
}

// Figures are one rail's, or all rails' together. U95W is that of MeanW.
type Figures struct {
	MeanW   *float64 `json:"mean_w,omitempty"`
	U95W    *float64 `json:"u95_w,omitempty"`
	MinW    *float64 `json:"min_w,omitempty"`
	MaxW    *float64 `json:"max_w,omitempty"`
	P99W    *float64 `json:"p99_w,omitempty"`
	MeanA   *float64 `json:"mean_a,omitempty"`
	U95A    *float64 `json:"u95_a,omitempty"`
	MeanV   *float64 `json:"mean_v,omitempty"`
	U95V    *float64 `json:"u95_v,omitempty"`
	EnergyJ *float64 `json:"energy_j,omitempty"` // of the covered part
}

// IO is what reached the drive, in its own window inside that of the result.
type IO struct {
	Engine      string  `json:"engine"` // who counted it
	StartMonoNs int64   `json:"start_mono_ns"`
	EndMonoNs   int64   `json:"end_mono_ns"`
	DurationS   float64 `json:"duration_s"`
	Reads       uint64  `json:"reads"`
	Writes      uint64  `json:"writes"`
	ReadBytes   uint64  `json:"read_bytes"`
	WriteBytes  uint64  `json:"write_bytes"`
	efficiency.Rates
	MeanW *float64 `json:"mean_w,omitempty"`
	efficiency.Ratios

	why string // why the ratios are withheld
}

func (r *Result) withhold(what, why string) {
	r.Withheld = append(r.Withheld, analysis.Withheld{What: r.what + "." + what, Why: why})
}

// polled states what a polled link can and cannot say.
func (r *Result) polled(st *window.Stats) {
	r.Warnings = append(r.Warnings, analysis.Warning{Code: "polled", Text: r.Name + ": " + st.PollingNote()})
	why := st.NoP99()
	if why == "" {
		return
	}
	for _, f := range r.Rails {
		f.P99W = nil
	}
	r.Total.P99W = nil
	r.withhold("p99_w", why)
}
