// Package compare holds drives against one another: what was measured of two runs or
// more under the same conditions, side by side, with the ratio and whether it says
// anything.
//
// # The problem
//
// Two reviews print 18.3 and 17.2 IOPS/mW, and a reader concludes that one drive is
// better. Whether it is depends on what ± the two figures have, on whether they are of
// the same workload in the same state, and on which module read them. So figures are
// matched by what was done and not by what a step was called, what has no counterpart is
// named, and a ratio whose ± is not known is not judged.
//
// # Terms
//
//	run         one of those compared, called A, B, C … in the order given. Ratios are over
//	            the first: B ÷ A
//	cell        a workload: pattern, block size, share of reads, queue depth, jobs, entropy,
//	            range, demand, and the drive's state. A range or an entropy that results do
//	            not tell (older ones do not) is taken for the whole drive, and for random
//	            data; a mix of 100 or 0 % reads is the pattern that it is
//	window      fresh or last: of a load in rounds before and after the write cliff
//	standing    the cells that stand for a run: of rounds that a rule called steady their
//	            sums, of others the last round, of a saturation its two windows; nothing
//	            that was interrupted
//	match       a thing that two runs or more have. Where a run has the same workload in
//	            several steps, the steps' names must agree too
//	missing     what one run only has, or lacks; with the reason
//	verdict     higher, lower, no difference, or not judged
//
// # What ± means
//
// That of a difference is √(U₁² + U₂²) of what the results state, that of a ratio the
// same of the relative ones, times the ratio. "No difference" is said where |Δ| is not
// above it: the runs do not show one, which does not show that there is none. Of many
// cells without any difference one in twenty comes out as higher or lower by chance.
//
// The module's part (its gain and its offsets) is in U₁ and in U₂. Of two modules it is
// independent, and the root of squares is right. Of one module it is common, and most of
// it drops out of a ratio: the root of squares is then too wide, and never too narrow,
// since what is common pulls both figures the same way. It is what is done unless
// Options.OneModule says that one module with one calibration read all runs. Then, of
// each rail's volts and amperes, what is left of gain g and offset o is
//
//	Δ      2/√3 · (g·|G₁ − G₂| + o·|O₁ − O₂|)
//	ratio  the same, with G and O over the figure that they are of
//
// where G and O are what a unit of either does to the figure (for the watts of a rail
// and its amperes G = V·I, O = V), and only the rest of U₁ and U₂ adds up as squares. It
// needs that the module did not drift between the runs. Where results do not say what of
// a ± is the module's (peaks, the windows of a saturation), all of it is counted.
//
// # Errors
//
// None but of what was asked for: a duty that names no cell, or that is not whole.
package compare
