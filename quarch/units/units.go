// Package units is the vocabulary of quantities that cross package borders:
// SI scalars as float64, so that V·A is a plain product. Counts of a module
// never appear here; they are converted once, in quarch.Block's accessors.
package units

import "time"

// Volts is an electric potential in volts.
type Volts float64

// Amps is a current in amperes, positive into the drive.
type Amps float64

// Watts is a power in watts, positive into the drive.
type Watts float64

// Joules is an energy in joules.
type Joules float64

// Times returns the power of a current at this potential.
func (v Volts) Times(a Amps) Watts { return Watts(float64(v) * float64(a)) }

// Milliwatts returns w in milliwatts, the unit of the IOPS/mW and MB/s/mW
// columns and of nothing else.
func (w Watts) Milliwatts() float64 { return float64(w) * 1e3 }

// For returns the energy of a constant power over d.
func (w Watts) For(d time.Duration) Joules { return Joules(float64(w) * d.Seconds()) }

// Over returns the mean power of an energy spent in d. It is 0 for d <= 0: the
// caller decides whether that figure is to be withheld.
func (j Joules) Over(d time.Duration) Watts {
	if d <= 0 {
		return 0
	}
	return Watts(float64(j) / d.Seconds())
}
