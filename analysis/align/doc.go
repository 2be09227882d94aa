// Package align places stripes on the host's clock, with a bound. Everything
// that powerd assumes about two clocks is in here.
//
// # The problem
//
// A module counts stripes on its own crystal; the host stamps blocks when it
// has read them, which is some milliseconds late, by an amount that changes all
// the time and is never negative. A mean of those delays is a bias; a first
// arrival and a nominal rate are wrong by a second an hour. What the host itself
// causes shows in the samples, but later, by a lag that is the drive's own.
//
// # Terms
//
//	residual  host time minus nominal stream time (index × nominal period); the
//	          numbers stay small and a clock's drift is a slope
//	arrival   a block was read at a: the end of its last stripe is not later
//	bound     something that the host caused is seen at a stripe: that stripe is
//	          not earlier than the cause
//	event     a bound whose edge was found within a stripe, and of which the host
//	          knows by when it had acted: a read burst, a marker, a job's start
//	floor     the line under the arrivals' residuals in a window of 120 s: the
//	          hull edge above the window's middle
//	shape     the line through the events of a kind around a knot: the truth less
//	          the kind's lag
//	lag       from an event's cause to its edge; between 0 and what arrivals leave
//	bracket   what floor, bounds and shapes leave for a knot; U95 is the distance
//	          from the map to its farther end
//	step      stripes that vanish or come twice without a word
//	drift     ppm, positive where the module's period is long
//
// # How a stripe is placed
//
// Every 10 s is a knot. From above it is held by the floor and by a shape plus the
// largest lag that any arrival of the stream allows; from below by the floor less the
// least distance to a bound, by the floor less the least delay of the link where the
// caller knows one, and by the shape. Between these the map takes the likeliest place
// of whatever leaves least: half the lag for a shape, but no later than when the host
// knew that the event had acted; the middle between floor and bound; nearly the floor
// where the least delay is known.
//
// How long a drive is busy after the last IO of a job differs from job to job: such an end
// is a bound. Starts are events, as good as the engine's stamps; that they are early or late
// by up to 2 ms is in what they leave below, and in the lag that arrivals leave above.
//
// No constant of a drive is in it. A lag of 2 ms makes a bracket of 2 ms, except where a
// known least delay is narrower.
//
// Knots are fixed for good 65 s later, or, in a causal map, before the stream reaches
// them. A map of a stream without end may forget what is long past (Options.Forget). All lines are against CLOCK_MONOTONIC_RAW where readings of the clocks are
// told; a map answers in CLOCK_MONOTONIC. The wall clock has no part in it.
//
// There are two clocks: TimeOf joins with what happened on the host;
// SecondsBetween tells durations by the rate alone, so that no change of an offset
// changes a joule.
//
// # What is assumed
//
// Causality holds without statistics. Beyond it: the least delay of the link stays the
// same, as far as the floor's own scatter tells. A USB adapter's latency timer breaks
// that where its period and the blocks' beat slowly, so the caller names the timer, and
// as much of its period as no block was seen to wait for is added to U95. A crystal's
// rate moves less than 10 ppb a second, which makes the chord over 120 s wrong by less
// than 18 µs. The window is never longer than that: a longer one turns warm-up into an
// error. Lags of one kind of event are alike.
//
// Lost stripes are those that were counted. On a link that counts nothing
// (Options.Uncounted) a step is found where three seconds are late, or early, as a whole.
// In the first half minute, when a link has not shown yet how late it may be, it must be
// larger, by up to 3 ms; one that is made up for within a minute was a slow host, and is
// taken back. One that is too small for that, or hidden by a timer, bends floor and shapes:
// U95 grows by as much as stretches of them stand apart. Map.Recount numbers stripes as if
// what vanished had been counted, so that nobody else need know of it.
//
// A rate comes from the floor where that is better than what is known beforehand: in
// less than a minute a remembered rate wins, without one ± 250 ppm. A remembered one is
// granted 2 ppm for the room it is in, 5 ppm unless the module was warm both times, and 5
// ppm a year.
//
// # What is reached
//
// An hour at up to ± 200 ppm with a warm-up by 5 ppm and a host that stands still for
// 5 to 80 ms, errors against the truth in virtual time (TestMatrix, which prints
// all rows under make align-matrix):
//
//	beacons each 60 s, any of six links, lag 150 µs    p95 below  85 µs, max 115 µs
//	same, lag 20 µs                                    p95 below 120 µs, max 140 µs
//	markers each second, same links                    p95 below  90 µs, max  95 µs
//	arrivals alone, USB, LAN, 1 ms timer               p95 below 115 µs, max 120 µs
//	same, as they come, with a remembered rate         p95 below 125 µs, max 150 µs
//	arrivals alone, 16 ms timer not in step            p95 below 160 µs, max 200 µs
//	10 s, remembered rate, USB and LAN                 p95 below 125 µs
//	10 s, 8 edges, any link, lags 100 and 200 µs       p95 below 115 µs
//	lags of 400 µs and 2 ms                            errors of 0.3 and 1.9 ms, inside U95
//	truth inside U95                                   ≥ 99 % of the seconds in each of 405 rows
//	median U95 over the error's root mean square       2.7 where status is ok
//	start stamp and nominal rate, least of 60, mean    worse by 1,400, 21 and 20 times at least
//	steps of 1 ms and more on USB and LAN              found within 5 s; none in 6 h without one
//
// As they come, the first two minutes are left out of the max: a stripe's time is given
// within a second then, and what a timer of 1 ms hides is only known once the clocks'
// drift has shown it. U95 holds it all the while, and the map says degraded.
//
// In real time (TestAlignmentInRealTime of package results: a pseudo-terminal, a module at
// +137 ppm in a process of its own, fio, beacons between its jobs, 120 s) on two busy cores:
// truth inside U95 at each of 48 edges, U95 of 300 to 500 µs, errors below 300 µs.
//
// A timer in step that nothing shifts leaves U95 as wide as its period, beacons or not:
// no arrival tells how long it waited. The map says degraded then.
//
// # Errors
//
// A map has none: arrivals that cannot carry one give one whose Status is
// "none" and whose Reason says why, with a U95 of +Inf where nothing bounds it.
// FindEdge and Correlate refuse, with ErrNoEdge and ErrNotUnique and the reason, what is
// at no one place.
package align
