// Package limits holds what was measured against the claims of a datasheet.
//
// # The problem
//
// A figure close to a limit can lie on either side of it. Whoever says "pass"
// there is wrong up to every second time, and a supplier may ask for proof. And a
// start current without the time it is averaged over has no one value: the same
// drive keeps its limit over 1 s and breaks it over 1 ms.
//
// # Terms
//
//	claim     what a datasheet says: at most, at least, or typically so much
//	figure    what was measured that may answer a claim, with its U95
//	guard     the figure's U95: only a figure that is on one side of the limit
//	          with all of its 95 % interval passes or fails, so a drive exactly at
//	          the limit is falsely accepted in at most 2.5 % of the cases
//	verdict   pass, fail or inconclusive, for programs
//	judged    the same for people: within, above datasheet, below datasheet,
//	          inconclusive
//	p_beyond  probability that the true value breaks the limit, from figure and U95
//	          alone
//	typical   is no limit and is never failed: a figure is within U95 of it (pass), or
//	          above or below it, which is said and is inconclusive
//	window    time that a peak is averaged over. Where a claim names none, the peak
//	          over every window that the samples support is judged, a single sample
//	          too. The verdict is theirs if all agree, and inconclusive if not: nobody
//	          knows which one the maker meant. People then read that it is beyond the
//	          datasheet if it surely is over any, and over which windows
//
// A datasheet speaks of many drives, so "above datasheet" of one is not by itself
// a defect.
//
// # Errors
//
// None: what cannot be judged is inconclusive, with the reason.
package limits
