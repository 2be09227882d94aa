// Package limits holds a figure against a claim of a datasheet.
//
// # The problem
//
// A figure close to a limit can lie on either side of it. Whoever says "pass"
// there is wrong up to every second time, and a supplier may ask for proof.
//
// # Terms
//
//	claim     what a datasheet says: at most, at least, or typically so much
//	guard     the figure's U95: only a figure that is on one side of the limit
//	          with all of its 95 % interval passes or fails, so a drive exactly at
//	          the limit is falsely accepted in at most 2.5 % of the cases
//	verdict   pass, fail or inconclusive. A typical value is no limit: above it by
//	          more than U95 is said, and is inconclusive
//
// A datasheet speaks of many drives, so "above datasheet" of one is not by itself
// a defect.
//
// # Errors
//
// None: what cannot be judged is inconclusive, with the reason.
package limits
