package analysis

import "math"

// Some returns a figure as JSON wants it: nil, which is left out, where x is NaN
// or infinite.
func Some(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Opt returns the cell of a figure that may be absent, and why it is if so.
func Opt(x *float64, why string) Cell {
	if x == nil {
		return No(why)
	}
	return Val(*x)
}

// OptU is Opt with the half-width of the 95 % interval, where there is one.
func OptU(x, u95 *float64, why string) Cell {
	if x == nil || u95 == nil {
		return Opt(x, why)
	}
	return ValU(*x, *u95)
}

// OptRel is Opt with a ± that is relative to the figure; nil = not known.
func OptRel(x, u95Rel *float64, why string) Cell {
	if x == nil || u95Rel == nil {
		return Opt(x, why)
	}
	return ValU(*x, *x**u95Rel)
}
