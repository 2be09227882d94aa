// Package demand judges a ramp of demands: which rates of IO a drive met, and at what
// latency and power.
//
// # The problem
//
// A drive that is asked for more than it can do runs flat out, and its figures look like
// any others. The demand up to which it follows, and how latency and power rise until
// there, is what a ramp is for.
//
// # Terms
//
//	demand   IOPS that the engine was to keep up, reads and writes together
//	met      the engine did 98 % of its demand or more: below that a drive lags behind by
//	         more than the engine's own pace is unsure by (0.05 % at 100 to 20 000 IOPS)
//	limit    the largest demand that was met
//	next     the smallest demand above the limit that was not met: the drive's own limit
//	         lies between the two. Without one it lies above the ramp
//
// A demand is in no order: a ramp may go down. Where a demand below the limit was not met
// there is a warning, since something else disturbed it.
//
// # Errors
//
// None: a Result is always returned, with what it lacks in Withheld.
package demand
