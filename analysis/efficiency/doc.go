// Package efficiency joins what an engine did with what the drive drew: IOPS
// and MB/s per milliwatt, one cell of a matrix at a time.
//
// # The problem
//
// Power averaged over another span than the IO, a mean of ratios instead of a
// ratio of sums, half of a meter's samples, or none at all: each gives a number
// that looks like the others. So both sides are of the very same window, and a
// cell that its samples cannot support has a reason in the number's place.
//
// # Terms
//
//	window     [start, end) of the engine's IO, ramp excluded, in host time
//	iops       all IOs of the window, reads and writes, over its seconds
//	mb_per_s   all bytes over its seconds; MB = 10⁶ B
//	mean_w     mean power of all rails over the covered part of the window
//	ratios     ios ÷ (mean_w × seconds) and so on: sums over sums, never a mean of
//	           ratios. Idle power is never subtracted
//	energy_j   joules of the covered part
//	state      fresh, steady, or not_judged
//	u95_rel    relative half-width of the ratios' 95 % interval, four parts
//	           combined as root of squares: the power's own scatter by blocking;
//	           steps of power at borders that the alignment may have misplaced;
//	           the engine's two borders, which change the seconds that the IOs
//	           are spread over; and what lost stripes may have held, between the
//	           window's least and greatest power. The module's accuracy is not in it
//
// # Errors
//
// None: a Cell is always returned, with what it lacks in Withheld.
package efficiency
