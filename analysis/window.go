package analysis

// Window is a named half-open interval of host CLOCK_MONOTONIC.
type Window struct {
	Name           string
	StartNs, EndNs int64
}

// Seconds returns the length of w.
func (w Window) Seconds() float64 { return float64(w.EndNs-w.StartNs) * 1e-9 }

// RequiredCoverage is the share of a window that needs samples for figures of all of
// it.
const RequiredCoverage = 0.99

// Withheld is a figure that is not given, and why.
type Withheld struct {
	What string `json:"what"` // "inrush.rails.5v.peaks.100us"
	Why  string `json:"why"`
}

// Warning is something that a reader of the results should know.
type Warning struct {
	Code string `json:"code"` // "low_coverage"
	Text string `json:"text"`
}

// TimeMap places stripes on host time; align.Map is one.
type TimeMap interface {
	// TimeOf returns the host time of the start of stripe k, which may lie
	// between two stripes, and the half-width of its 95 % interval.
	TimeOf(k float64) (ns float64, u95Ns float64)
	// IndexAt is the inverse of TimeOf.
	IndexAt(ns float64) float64
}
