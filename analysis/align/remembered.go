package align

import "time"

const (
	roomPPM   = 2 // what a room's temperature does to a crystal from one day to another
	warmUpPPM = 5 // and its own warm-up, which fades with 600 s
	yearlyPPM = 5 // and a year of age, in its first one
	year      = 365 * 24 * time.Hour

	// WarmAfter is when a module's warm-up is over: after three times 600 s less than
	// 5 % of it is left.
	WarmAfter = 30 * time.Minute
)

// Remembered is the rate that a module had once.
type Remembered struct {
	PPM    float64 // positive = its period is long
	U95PPM float64 // half-width of its 95 % interval, then
	Warm   bool    // its warm-up was over
}

// Now returns the half-width of what the rate may be after an age; warm says that the
// module's warm-up is over now. A wall clock that went back says nothing of the age: its
// distance counts.
func (r Remembered) Now(age time.Duration, warm bool) (u95PPM float64) {
	u95PPM = r.U95PPM + roomPPM + yearlyPPM*age.Abs().Seconds()/year.Seconds()
	if !r.Warm || !warm {
		u95PPM += warmUpPPM
	}
	return u95PPM
}
