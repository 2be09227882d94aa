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
//	state      fresh, steady, or not_judged: of rounds those are steady that were added up
//	           over a window that analysis/steady calls so
//	sum        rounds added up: sums over sums of all of them, the time between in none
//	u95_rel    what ± means of the ratios, over the figure itself; see below
//	u95_scatter_rel  the same without the module's accuracy
//	iops_u95_rel  the same of iops and mb_per_s
//	mean_u95_w    the same of mean_w, by itself: its own scatter by blocking
//	parts      the engine's own intervals inside the window: what scatter is told from
//
// # What ± means
//
// It is the half-width of the 95 % interval of the value that the cell would have
// if its state went on for long, as far as this window tells: how much IOs and power
// scattered, together, how well the window's borders are placed, what lost samples may
// hide, and the module's accuracy: gain and offset of volts and amperes, of each rail at
// its means. The last is the same in all cells of a module, so u95_scatter_rel, which
// leaves it out, is what two cells on one module are compared by. No window tells of
// changes slower than itself: where bursts of 1 s come every 5 s, the scatter of a cell
// of 4 s holds the long-run value in about six of ten cells only, that of a minute in
// 93 of 100.
//
// Scatter comes from pairs: an interval's count from the engine, its joules (for
// iops its seconds) from the same half-open interval of host time. With R = ΣN/ΣE
// and the residuals d = N − R·E of n pairs
//
//	scatter = t(n−1) · √(n/(n−1) · Σd²) / ΣN
//
// with Student's t. Where few IOs and many watts come together, as while a drive
// collects garbage, both are in one d: the covariance needs no term of its own.
// Intervals need not be equally long. While neighbours are correlated and five pairs
// or more would be left, they are joined in twos and the largest scatter counts. Of
// IOs and bytes the wider counts. Below four pairs the ± is withheld.
//
// To the scatter are added, as root of squares,
//
//	ratios  steps of power at borders that the alignment may have misplaced: δ·|ΔP|
//	        at each, over the joules
//	ratios  lost stripes, which may have lain anywhere between the window's least and
//	        greatest power
//	both    the engine's borders, which change the seconds that counts are spread
//	        over: √2·δ over the window
//
// An engine's log is coarse: fio cuts stamps to ms and leaves its last row out. A
// row is a rate, so its count is that rate times the very stretch that its joules
// and seconds are cut by: where rates and power are even, a stamp that is off moves
// all alike and leaves no residual; what stays is the rate's own rounding, below
// 1 ms of a row's length. An unwritten last row is left out. Longer silence is no
// rounding: it is a part, with what the engine's total has beyond its rows.
//
// # Errors
//
// None: a Cell is always returned, with what it lacks in Withheld.
package efficiency
