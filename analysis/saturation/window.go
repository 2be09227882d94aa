package saturation

import (
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

// Window is some rounds in a row, added up.
type Window struct {
	State       string   `json:"state"`
	FirstRound  int      `json:"first_round"`
	LastRound   int      `json:"last_round"`
	StartMonoNs int64    `json:"start_mono_ns"` // of the first of them
	EndMonoNs   int64    `json:"end_mono_ns"`   // of the last of them; the time between rounds is in no sum
	DurationS   float64  `json:"duration_s"`    // of the rounds
	Coverage    *float64 `json:"coverage,omitempty"`
	IOs         uint64   `json:"ios"`
	Bytes       uint64   `json:"bytes"`
	IOPS        *float64 `json:"iops,omitempty"`
	MBPerS      *float64 `json:"mb_per_s,omitempty"`
	IOPSU95Rel  *float64 `json:"iops_u95_rel,omitempty"`
	MeanW       *float64 `json:"mean_w,omitempty"`
	MeanU95W    *float64 `json:"mean_u95_w,omitempty"`
	EnergyJ     *float64 `json:"energy_j,omitempty"`
	IOPSPerMW   *float64 `json:"iops_per_mw,omitempty"`
	IOPSPerW    *float64 `json:"iops_per_w,omitempty"`

	U95Rel        *float64 `json:"u95_rel,omitempty"`         // of IOPS/mW and IOPS/W
	U95ScatterRel *float64 `json:"u95_scatter_rel,omitempty"` // without the module's accuracy

	scatterW float64                 // U95 of MeanW, without the module's accuracy
	moduleW  map[quarch.Rail]float64 // U95 of each rail's mean power that the module brings
}

// window adds rounds up. A figure that one of them lacks the window lacks too.
func (r *Result) window(name string, cells []*efficiency.Cell, spec accuracy.Spec) *Window {
	sum := efficiency.Add(name, cells, spec)
	for _, figure := range []string{"iops", "mean_w", "iops_per_mw"} {
		if why := sum.Reason(figure); why != "" {
			r.withhold(name+"."+figure, why)
		}
	}
	return &Window{
		State: sum.State, FirstRound: sum.FirstRound, LastRound: sum.Round, StartMonoNs: sum.StartMonoNs, EndMonoNs: sum.EndMonoNs,
		DurationS: *sum.DurationS, Coverage: sum.Coverage, IOs: sum.IOs, Bytes: sum.Bytes,
		IOPS: sum.IOPS, MBPerS: sum.MBPerS, IOPSU95Rel: sum.IOPSU95Rel, MeanW: sum.MeanW, MeanU95W: sum.MeanU95W, EnergyJ: sum.EnergyJ,
		IOPSPerMW: sum.IOPSPerMW, IOPSPerW: sum.IOPSPerW, U95Rel: sum.U95Rel, U95ScatterRel: sum.U95ScatterRel,
		scatterW: sum.ScatterW, moduleW: sum.ModuleW,
	}
}
