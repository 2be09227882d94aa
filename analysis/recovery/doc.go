// Package recovery says what a pause gives back to a drive that has been written to for
// long: its IOPS and watts after pauses, beside those without.
//
// # The problem
//
// A drive that collects garbage while it is left alone does more afterwards. The mean of a
// load with pauses hides that, pauses being counted as slowness. The engine's own log does
// not tell: it has no rows in a pause, and one row at its end of which nobody knows which
// time it stands for. What reached the drive does, as the kernel counted it each 100 ms.
//
// # Terms
//
//	burst     the load between two pauses. One that follows no pause, the first, is left out,
//	          and so is one that was cut short
//	after     all bursts added up: IOs over seconds, joules over seconds, sums over sums
//	pause     the time between two bursts; its watts are what recovery costs
//	before    the same load without pauses, done before any
//	then      the same load without pauses, done right after these
//	gain      IOPS after ÷ IOPS before
//	share     (after − before) ÷ (fresh − before): how much of what the drive had lost since
//	          it was fresh a pause gives back; fresh is a load that the suite names
//
// # Where a burst begins and ends
//
// In the first interval with IO it began so long before the interval's end as its IOs take
// at the rate of the next interval, and ended likewise; ± half an interval. IOs are counted
// from the middle of a pause to that of the next, so that no border costs any.
//
// The ± of IOPS and watts is the scatter of the bursts against one another, with the borders'
// part and, of watts, the module's accuracy.
//
// # Errors
//
// None: a Result is always returned, with what it lacks in Withheld.
package recovery
