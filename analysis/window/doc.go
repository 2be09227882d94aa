// Package window cuts blocks into named half-open windows of host time and sums
// what lies in each: the one place where joules and coverage come from.
//
// # The problem
//
// A figure speaks of an interval of host time; samples come in stripes of a
// module's clock, with gaps, and a window's edge falls inside a stripe. Time
// that has no samples must stay unknown, and the joules of neighbouring windows
// must add up to those of both.
//
// # Terms
//
//	span      a window as an interval of stripe indices, by a TimeMap
//	edge      the part of a stripe that a window's border leaves inside: its
//	          volts, amperes and watts count with the share of it
//	coverage  samples over what the window holds; what was lost or missing is
//	          not covered, and energy is of the covered time only
//	total     the watts of the rails in use added stripe by stripe, so that its minimum,
//	          maximum and spread are of the sum and not sums of extremes
//	step      how much the power changes across a window's border, taken from
//	          the trace: what a misplaced border costs
//	type A    U95 of a mean from its own scatter, by blocking: cells of about
//	          1 ms are joined in pairs, again and again, and the largest standard
//	          error of a level with at least 16 values counts. Correlated noise
//	          makes the plain s/√n several times too small
//	quantile  from a histogram with 256 steps an octave: right to 0.4 % of the value
//
// Energies are Σ P̄·T with T the period in host time, never a trapezoid: an
// averaged stripe is an integral already. A polled reading is a point sample: it
// stands for the time to the middle between it and its neighbours, and the time
// between two readings more than three typical spacings apart is unknown.
//
// # Errors
//
// A window that ends before it starts, and blocks that fail to be read, are
// errors. A rail that the module does not give is in NotMeasured; a window
// without samples has coverage 0 and NaN where a figure would be.
package window
