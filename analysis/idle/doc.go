// Package idle says what a drive draws when nothing is asked of it, and whether
// that figure can be trusted.
//
// # The problem
//
// Idle is where the numbers are small: a meter that is fine at 6 W may have no
// digits left at 0.02 A; a drive may sink to a lower state half-way, and one mean
// over both describes neither; and a mean of correlated samples is less certain
// than their number suggests.
//
// # Terms
//
//	coverage    share of the window with samples of all rails; below the required
//	            one (99 % unless asked otherwise) nothing but it is given
//	resolution  the module's smallest step of current, from its profile; a rail
//	            whose mean lies below one step is withheld
//	two levels  the means of single seconds fall into two groups that lie five
//	            times their own spread apart and come in long runs
//	u95_w       half-width of the mean's 95 % interval from its own scatter (by
//	            blocking, see package window) and, for the total, from where the
//	            window's borders lie. The module's accuracy is not in it
//
// Percentiles are of stripes, from a histogram with 256 steps an octave: right to
// 0.3 % of the value. On a polled link they are of readings.
//
// # Errors
//
// A window that ends before it starts, or blocks that cannot be read. What the
// samples cannot support is in Withheld, with the reason.
package idle
