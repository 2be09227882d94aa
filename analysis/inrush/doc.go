// Package inrush says how high a drive's start-up current is, for how long, and
// at which voltage the drive begins to live.
//
// # The problem
//
// "Peak current" has no meaning without the time it is averaged over: one trace
// gives 3.6 A in 4 µs and 1.7 A in 1 ms. A datasheet's limit, a scope and a
// module disagree for that reason alone. So every peak names its window, and a
// window that the samples cannot resolve has no peak.
//
// # Terms
//
//	cycle      one power-up, in a window that begins with the rails off
//	origin     start of the first stripe in which any rail has 1 % of its nominal
//	           voltage; all times are from there
//	raw peak   the highest single stripe; its window is the stripe's period
//	peak       the highest mean over a sliding window. A window needs stripes no
//	           longer than a tenth of it; where it is no whole number of stripes,
//	           a part of one more counts. Its time is the window's middle
//	above      time in which the mean over 10 ms lies above a limit; breaks of up
//	           to 10 ms are bridged
//	start_v    voltage of a rail when its current, as a mean over 1 ms, first
//	           exceeds by 50 mA what charging the capacitors and leakage take. Both
//	           are fitted to the beginning of the ramp, C·dV/dt + g·V; a ramp too
//	           fast for that has no start_v. Its ± is half of what the rail rises in
//	           that 1 ms, together with the module's accuracy
//	rise       when a rail has 1 % of its nominal voltage: how far apart the rails come
//	I²t        ∫ I² dt over the same time as the charge: what heats a fuse or a switch in
//	           the path. What the current does within a stripe is not in it
//	ramp's end where the mean voltage of 1 ms moves less than 0.1 % of nominal a
//	           millisecond, at 90 % or more of it
//	droop      how far the mean voltage of 1 ms falls after the ramp below what
//	           the supply would give without a load: the line V = V0 − R·I through
//	           the same means, at no current
//
// # What ± of charge, I²t, energy and droop hold
//
// The module's accuracy and the scatter of samples (which adds its square to each of I²); of the energy to readiness also half
// of what was drawn between the two ends of the time to ready's ±; of a droop, which is
// a difference, the module's gain, the scatter σ of means over 1 ms about the line, and
// what the search for the lowest adds, as for peaks below.
//
// # What ± of a peak holds
//
// The module's accuracy at that value; the scatter σ of one mean over the window, told
// from how much neighbouring stripes differ (changes slower than 10 ms are taken for
// the drive's own current); and what the search for the highest adds: of m means that
// all scatter by σ, the highest lies about σ·√(2 ln m) above the highest true one, where
// m is how many windows the cycle is long. That is stated, not subtracted, since
// nobody knows how much of the scatter is the drive's:
//
//	u95 = σ·√(2 ln m) + √(module² + (2σ)²)
//
// # What ± of a time holds
//
// Times count from the origin by the module's clock. Their ± holds its rate's, half a
// stripe at either end, and as much as stripes that vanished in silence, or a clock that
// stood still, moved the arrivals. Where that is more than a tenth of the cycle its times
// are withheld. The ± of a peak's time says how well that place is known, not whether
// another is as high. Times above a limit hold besides what the module's accuracy there
// leaves open, and what a gap may hide; where it may not have been above at all, it has
// no first and no last.
//
// No window reaches over lost stripes. Where samples cover less
// than 99 % of the time after the origin there are no peaks and no sums: the highest
// may lie in what is missing.
//
// # Errors
//
// A window that ends before it starts. What the samples cannot support is in
// Withheld: everything on a polled link, peaks of windows that are too short,
// all of a cycle in which no rail rises.
package inrush
