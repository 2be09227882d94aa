// Package accuracy says how wrong a module's reading may be.
//
// # The problem
//
// A long mean averages noise away, but not the module's own error: its gain and
// its offset are the same in every sample. On a lightly loaded rail the offset is
// the larger part.
//
// # Terms
//
//	gain      half-width of what a reading may be off in proportion, in per cent
//	offset    half-width of what it may be off at any reading, in A or V
//	U95       2·u, u = (gain·|x| + offset)/√3: the error lies anywhere between the
//	          two ends with equal probability (GUM 4.3.7), of a reading or of a mean
//	          alike
//
// Volts and amperes of a rail, and rails among each other, are taken as
// independent. Gain is the same in all cells of a run, so it drops out where two
// figures of one module are compared.
//
// # Errors
//
// None. The zero Spec is a module without error.
package accuracy

import "math"

// Spec is a module's accuracy.
type Spec struct {
	GainPct     float64 `json:"gain_pct"` // of volts and of amperes
	OffsetAmps  float64 `json:"offset_a"`
	OffsetVolts float64 `json:"offset_v"`
}

const coverageFactor = 2 // of 95 %

func u95(gainPct, x, offset float64) float64 {
	return coverageFactor * (gainPct/100*math.Abs(x) + offset) / math.Sqrt(3)
}

// U95Amps returns the half-width of the 95 % interval of a current of a amperes.
func (s Spec) U95Amps(a float64) float64 { return u95(s.GainPct, a, s.OffsetAmps) }

// U95Volts returns the half-width of the 95 % interval of a voltage of v volts.
func (s Spec) U95Volts(v float64) float64 { return u95(s.GainPct, v, s.OffsetVolts) }

// U95Watts returns the half-width of the 95 % interval of a rail's power, at v
// volts and a amperes: √((V·U(I))² + (I·U(V))²).
func (s Spec) U95Watts(v, a float64) float64 {
	return math.Hypot(v*s.U95Amps(a), a*s.U95Volts(v))
}

// U95WattsChange returns the half-width of the 95 % interval of the step from a rail's
// power at v1 volts and a1 amperes to that at v2 and a2, both read by one module: its
// gain is in proportion to the step, and of its offsets there is left what the other
// quantity changed by.
func (s Spec) U95WattsChange(v1, a1, v2, a2 float64) float64 {
	step := v2*a2 - v1*a1
	return math.Hypot(u95(s.GainPct, step, s.OffsetAmps*math.Abs(v2-v1)), u95(s.GainPct, step, s.OffsetVolts*math.Abs(a2-a1)))
}

// U95Of returns the half-width of the 95 % interval of a figure that the module's gain moves
// by gained (per 100 % of it), and its offset by offset, both in the figure's unit.
func (s Spec) U95Of(gained, offset float64) float64 { return u95(s.GainPct, gained, offset) }
