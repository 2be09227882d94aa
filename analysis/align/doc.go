// Package align places stripes on the host's clock, with a bound. Everything
// that powerd assumes about two clocks is in here.
//
// # The problem
//
// A module counts stripes on its own crystal; the host stamps blocks when it
// has read them, which is some milliseconds late, by an amount that changes all
// the time and is never negative. A mean of those delays is a bias; a first
// arrival and a nominal rate are wrong by a second an hour.
//
// # Terms
//
//	residual  host time minus nominal stream time (index × nominal period); the
//	          numbers stay small and a clock's drift is a slope
//	arrival   a block was read at a: the end of its last stripe is not later
//	bound     something that the host caused is seen at a stripe: that stripe is
//	          not earlier than the cause
//	floor     the line under the arrivals' residuals in a window of 120 s: the
//	          hull edge above the window's middle
//	bracket   [floor − D, floor], D the narrowest distance from the floor down to
//	          a bound; the map is its middle, U95 at least its half-width
//	drift     ppm, positive where the module's period is long
//
// # What is assumed
//
// Causality holds without statistics. Two things are assumed beyond it. The
// least delay of the link stays the same, as far as the floor's own scatter tells;
// a USB adapter's latency timer breaks that where its period and the blocks' beat
// slowly, so the caller names the timer and its period is added to U95 when the
// delays do not spread over it. And a crystal's rate moves less than 10 ppb a
// second, which makes the chord over 120 s wrong by less than 18 µs. The
// window is never longer than that: a longer one turns warm-up into an error.
//
// Lost stripes are those that were counted. A loss that nobody counted bends the
// floor: its scatter grows, U95 with it, and the status becomes degraded.
//
// A rate comes from the floor where that is better than what is known
// beforehand: in short streams a remembered rate, or none (± 250 ppm), wins.
//
// # Errors
//
// There are none: arrivals that cannot carry a map give one whose Status is
// "none" and whose Reason says why, with a U95 of +Inf where nothing bounds it.
package align
