package window

import (
	"math"

	"powerd/analysis"
	"powerd/quarch"
)

// Stats is what the samples of one window say. Figures are NaN where no sample
// supports them.
type Stats struct {
	Window      analysis.Window
	Rails       []RailStats   // in the blocks' order, only rails with samples in the stream, used or not
	NotMeasured []quarch.Rail // rails in use that the module does not give: Total is of the others alone
	Total       Power         // rails in use added stripe by stripe
	Stripes     uint64        // whole stripes or readings inside
	Lost        uint64        // stripes known to be lost inside
	Edges       [2]Edge       // of start and end, of the total power

	Polled   bool
	SpacingS float64 // polled links: typical distance of two readings in s
}

// Power is the power of one rail or of all.
type Power struct {
	MeanW, MinW, MaxW, StdW float64
	EnergyJ                 float64 // of the covered time
	Coverage                float64 // 0 … 1
	TypeAU95W               float64 // U95 of MeanW from scatter alone; NaN below 16 cells
}

// RailStats is one rail in one window.
type RailStats struct {
	Rail   quarch.Rail
	Unused bool // by the drive: it is no part of the total
	Power
	MeanA, MeanV float64
	TypeAU95A    float64            // U95 of MeanA from scatter alone; NaN below 16 cells
	TypeAU95V    float64            // of MeanV
	Summary      quarch.RailSummary // of the whole stripes; of a polled link, empty
}

// Edge is a border of a window.
type Edge struct {
	U95Ns float64 // of its place in the trace
	StepW float64 // size of the step of power across it; NaN where one side has no samples
}

// Rail returns the stats of a rail, or nil if it was not measured.
func (s *Stats) Rail(r quarch.Rail) *RailStats {
	for i := range s.Rails {
		if s.Rails[i].Rail == r {
			return &s.Rails[i]
		}
	}
	return nil
}

// CoveredS returns the seconds of the window that have samples of all rails.
func (s *Stats) CoveredS() float64 { return s.Total.Coverage * s.Window.Seconds() }

// UnknownS returns the seconds of the window that have none.
func (s *Stats) UnknownS() float64 { return s.Window.Seconds() - s.CoveredS() }

// EdgeU95W returns the part of the total mean power's U95 that comes from where
// the borders were placed: δ·|ΔP|/W at each, added, since one clock moves both.
// Where a step is not known it is taken to be the whole mean power.
func (s *Stats) EdgeU95W() float64 {
	var joules float64
	for _, e := range s.Edges {
		step := e.StepW
		if math.IsNaN(step) {
			step = math.Abs(s.Total.MeanW)
		}
		if step != 0 { // an unplaced border in a flat trace costs nothing
			joules += e.U95Ns * 1e-9 * step
		}
	}
	return joules / s.Window.Seconds()
}

// Lacks returns the rails without which the total is partial: those in use that were not
// measured, except those that the drive has none of.
func (s *Stats) Lacks(noRails []quarch.Rail) []quarch.Rail {
	return analysis.Lacking(s.NotMeasured, nil, noRails)
}

// fineAmps is the finest step that can be in the way of a figure: with a finer one
// 0.000 A is true to its last digit.
const fineAmps = 0.5e-3

// Unresolved returns the rails in use whose mean current is below one step of the
// module, and the watts that may hide there. steps are in amperes; a rail without
// one is taken to be resolved.
func (s *Stats) Unresolved(steps map[quarch.Rail]float64) (rails []quarch.Rail, hiddenW float64) {
	for i := range s.Rails {
		r := &s.Rails[i]
		if step := steps[r.Rail]; !r.Unused && step > fineAmps && math.Abs(r.MeanA) < step {
			rails, hiddenW = append(rails, r.Rail), hiddenW+step*r.MeanV
		}
	}
	return rails, hiddenW
}

// Hides reports whether watts below resolution matter to the total: more than
// 5 % of it.
func (s *Stats) Hides(hiddenW float64) bool {
	const matters = 0.05
	return hiddenW > matters*math.Abs(s.Total.MeanW)
}
