// Package saturation says what a drive's writes cost before and after its write cliff,
// and how large a share of its work goes into housekeeping of its own.
//
// # The problem
//
// A fresh drive writes what it is given; one that has been written through must move
// data about to make room, and what it then does for the host is a part of what it does.
// Both states draw about the same power, so the difference is what housekeeping takes.
// Two numbers read off a curve say nothing of how sure they are, whether the curve had
// come to rest, or whether there was a cliff at all.
//
// # Terms
//
//	round       one pass of a load, a window of its own; the time between rounds is in
//	            no sum
//	fresh, last the first and the last of the rounds that the suite compares. Their
//	            figures are sums over sums of the very same rounds: all IOs ÷ all
//	            seconds, all joules ÷ all seconds, all IOs ÷ all joules
//	cliff       the round from which on all lie below 90 % of the fresh ones' IOPS
//	housekeeping share, IOPS form
//	            (fresh − last)/fresh of the IOPS. It speaks of work only if both windows
//	            draw the same power: their difference stands beside it, and above 10 %
//	            the share is withheld
//	housekeeping share, efficiency form
//	            1 − (IOPS/mW of the last)/(IOPS/mW of the fresh ones)
//
// # What ± holds
//
// Of a window: the scatter inside its rounds, in quadrature, or that of the rounds
// against one another if that is wider (of fewer than four rounds, half of what lies
// between the lowest and the highest); and of watts and ratios to watts the module's
// accuracy, which is the same in all rounds. Of a comparison: both windows' scatter; of
// the module's error only the difference that it makes to the two, rail by rail.
// That the last rounds are the drive's steady state no ± says: no rule judged it.
//
// # Errors
//
// None. What the rounds cannot support is withheld: where there are fewer of them than
// both windows need, where one lacks the figure, and where no cliff stands out of the ±.
package saturation
