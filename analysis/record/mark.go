package record

import (
	"powerd/analysis"
)

// Mark is one marked window, with the JSON keys of results.json. What is nil was not
// measured or is withheld.
type Mark struct {
	Name        string   `json:"name"`
	StartMonoNs int64    `json:"start_mono_ns"`
	EndMonoNs   int64    `json:"end_mono_ns"`
	DurationS   float64  `json:"duration_s"`
	Coverage    float64  `json:"coverage"`
	MeanW       *float64 `json:"mean_w,omitempty"`
	U95W        *float64 `json:"u95_w,omitempty"`
	MaxW        *float64 `json:"max_w,omitempty"`
	EnergyJ     *float64 `json:"energy_j,omitempty"` // of the covered part
	Count       *uint64  `json:"count,omitempty"`    // what its user says was done
	Unit        string   `json:"unit,omitempty"`
	PerJoule    *float64 `json:"per_joule,omitempty"`
	PerJouleU95 *float64 `json:"per_joule_u95,omitempty"`
	PerS        *float64 `json:"per_s,omitempty"`
	PerSU95     *float64 `json:"per_s_u95,omitempty"` // of marks that another host made
	IOPS        *float64 `json:"iops,omitempty"`
	MBPerS      *float64 `json:"mb_per_s,omitempty"`
	IO          *IO      `json:"io,omitempty"` // what reached the drive, where it was followed

	Start *Remote `json:"start_from,omitempty"` // of marks that another host made
	End   *Remote `json:"end_from,omitempty"`

	why string // why there is no power, or nothing is divided by it
}

// Marked makes a marked window of its figures. count is what was done in it, in a unit;
// nil = nobody said.
func Marked(r *Result, count *uint64, unit string) *Mark {
	m := &Mark{
		Name: r.Name, StartMonoNs: r.StartMonoNs, EndMonoNs: r.EndMonoNs, DurationS: r.DurationS, Coverage: r.Coverage,
		MeanW: r.Total.MeanW, U95W: r.Total.U95W, MaxW: r.Total.MaxW, EnergyJ: r.Total.EnergyJ,
		Count: count, Unit: unit, IO: r.IO, why: r.why,
	}
	if m.IO != nil {
		m.IOPS, m.MBPerS = m.IO.IOPS, m.IO.MBPerS
	}
	if count == nil {
		return m
	}
	n := float64(*count)
	m.PerS = analysis.Some(n / m.DurationS)
	if r.apart != "" {
		m.why = r.apart
	}
	if m.MeanW == nil || *m.MeanW <= 0 || r.apart != "" {
		return m
	}
	// Not over energy_j, which lacks what lost samples held: the count does not.
	m.PerJoule = analysis.Some(n / (*m.MeanW * m.DurationS))
	if m.U95W != nil {
		m.PerJouleU95 = analysis.Some(*m.PerJoule * *m.U95W / *m.MeanW)
	}
	return m
}
