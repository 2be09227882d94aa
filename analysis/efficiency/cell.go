package efficiency

import (
	"powerd/analysis"
	"powerd/analysis/latency"
	"powerd/engine"
	"powerd/quarch"
)

// States of a cell.
const (
	StateFresh     = "fresh"
	StateSteady    = "steady"
	StateNotJudged = "not_judged"
)

// Cell is one cell of a matrix, with the JSON keys of results.json. What is nil
// was not measured or is in Withheld.
type Cell struct {
	Step    string `json:"step"`
	Engine  string `json:"engine"`
	RW      string `json:"rw"`
	BSBytes int64  `json:"bs_bytes"`
	ReadPct int    `json:"read_pct"`
	QD      int    `json:"qd"`
	Jobs    int    `json:"jobs"`
	Region
	DemandIOPS  int      `json:"demand_iops,omitempty"` // 0 = as fast as it goes
	FirstRound  int      `json:"first_round,omitempty"` // of several rounds added up, the last of which is Round; 0 = it is of one
	Round       int      `json:"round"`
	State       string   `json:"state"`
	StartMonoNs int64    `json:"start_mono_ns,omitempty"`
	EndMonoNs   int64    `json:"end_mono_ns,omitempty"`
	DurationS   *float64 `json:"duration_s,omitempty"`
	Coverage    *float64 `json:"coverage,omitempty"`
	IOs         uint64   `json:"ios"`
	Bytes       uint64   `json:"bytes"`
	Rates
	MeanW       *float64              `json:"mean_w,omitempty"`
	MeanU95W    *float64              `json:"mean_u95_w,omitempty"`
	Rails       map[quarch.Rail]*Rail `json:"rails,omitempty"`
	NotMeasured []quarch.Rail         `json:"not_measured,omitempty"` // rails in use without samples: there is no mean_w
	EnergyJ     *float64              `json:"energy_j,omitempty"`
	Ratios
	Latency     *latency.Figures    `json:"latency_us,omitempty"` // reads and writes together
	Interrupted bool                `json:"interrupted,omitempty"`
	Withheld    []analysis.Withheld `json:"-"`
	Warnings    []analysis.Warning  `json:"-"`

	why string // why the ratios are withheld
}

// Region is where on the drive the IO went, and what was written there. What is nil is not
// known: a job file, or a size in bytes, says it itself.
type Region struct {
	RangePct     *float64 `json:"range_pct,omitempty"`      // share of the drive's capacity
	RangeFromPct float64  `json:"range_from_pct,omitempty"` // where it begins
	EntropyPct   *int     `json:"entropy_pct,omitempty"`    // of data written: 100 = random, 0 = all zeros; nil too where nothing is
}

func region(j *engine.Job) Region {
	var r Region
	if j.JobFile != "" {
		return r
	}
	if j.Share != (engine.Share{}) || j.SizeBytes == 0 {
		r.RangePct, r.RangeFromPct = analysis.Some(j.Share.WidthPct()), j.Share.FromPct
	}
	if j.Writes() {
		entropy := 100 - j.CompressPct
		r.EntropyPct = &entropy
	}
	return r
}

// text writes the share as a suite does, empty if it is not known.
func (r Region) text() string {
	if r.RangePct == nil {
		return ""
	}
	return engine.Share{FromPct: r.RangeFromPct, ToPct: r.RangeFromPct + *r.RangePct}.String()
}

// Rates are what the engine did in a second, MB = 10⁶ B.
type Rates struct {
	IOPS       *float64 `json:"iops,omitempty"`
	MBPerS     *float64 `json:"mb_per_s,omitempty"`
	IOPSU95Rel *float64 `json:"iops_u95_rel,omitempty"` // of both
}

// Ratios are what the engine did for the drive's power.
type Ratios struct {
	IOPSPerMW     *float64 `json:"iops_per_mw,omitempty"`
	MBPerSPerMW   *float64 `json:"mb_per_s_per_mw,omitempty"`
	IOPSPerW      *float64 `json:"iops_per_w,omitempty"`
	MBPerSPerW    *float64 `json:"mb_per_s_per_w,omitempty"`
	UJPerIO       *float64 `json:"uj_per_io,omitempty"`
	U95Rel        *float64 `json:"u95_rel,omitempty"`         // of all of them
	U95ScatterRel *float64 `json:"u95_scatter_rel,omitempty"` // without the module's accuracy: for comparisons on one module
}

// Rail is one rail's part in a cell.
type Rail struct {
	MeanW   *float64 `json:"mean_w,omitempty"`
	U95W    *float64 `json:"u95_w,omitempty"` // of MeanW
	MeanA   *float64 `json:"mean_a,omitempty"`
	U95A    *float64 `json:"u95_a,omitempty"`
	MeanV   *float64 `json:"mean_v,omitempty"`
	U95V    *float64 `json:"u95_v,omitempty"`
	EnergyJ *float64 `json:"energy_j,omitempty"`
}
