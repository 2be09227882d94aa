// Package zero measures what a module reads without a drive, so that an idle figure can
// be given without it.
//
// # The problem
//
// A module is off by milliamperes, and an adapter between module and drive draws as many
// of its own: together more than a drive that sleeps. Both can be measured, once, with
// the outputs on and the drive removed. But a zero that was taken with the drive still
// there would make every later figure too small by that drive's idle power, and look no
// different. So the reading is refused where it looks like a drive.
//
// # Terms
//
//	zero     mean current of each rail with its output on and no drive; it may be
//	         negative
//	a drive  what draws 50 mA or more on a rail, comes in regular pulses, or changes
//	         between levels
//
// # Errors
//
// ErrDrive marks a reading that looks like a drive; it stands beside the reading, for
// whoever knows better. A module whose outputs are off, or whose samples are lost, gives
// none.
package zero
