package engine

import "fmt"

// Share is a part of a drive in percent of its capacity, 0 ≤ from < to ≤ 100. The zero
// value is all of it.
type Share struct{ FromPct, ToPct float64 }

// Whole reports whether it is all of a drive.
func (s Share) Whole() bool { return s == Share{} || s == Share{ToPct: wholePct} }

// WidthPct returns how much of a drive it is.
func (s Share) WidthPct() float64 {
	if s == (Share{}) {
		return wholePct
	}
	return s.ToPct - s.FromPct
}

// String writes it as a suite does: "0-75%".
func (s Share) String() string {
	if s == (Share{}) {
		s.ToPct = wholePct
	}
	return fmt.Sprintf("%g-%g%%", s.FromPct, s.ToPct)
}

const (
	wholePct   = 100
	shareAlign = 1 << 20 // borders of a share lie on it, so that any usual block fits
)

// On returns the job with its region in bytes, of a drive of this capacity: a job that
// loads all of it, or says a size itself, as it is. An error wraps ErrTarget.
func (j Job) On(capacityBytes int64) (Job, error) {
	if j.Share.Whole() {
		return j, nil
	}
	at := func(pct float64) int64 {
		return int64(float64(capacityBytes)*pct/wholePct) / shareAlign * shareAlign
	}
	j.OffsetBytes = at(j.Share.FromPct)
	j.SizeBytes = at(j.Share.ToPct) - j.OffsetBytes
	if j.SizeBytes < j.BlockBytes || j.SizeBytes <= 0 {
		return j, fmt.Errorf("%w: %s of %d bytes is less than a block of %d; is the capacity known?", ErrTarget, j.Share, capacityBytes, j.BlockBytes)
	}
	return j, nil
}
