// Package record says what a drive drew in a window that nobody but its user can name:
// while somebody else's engine worked, or between two marks.
//
// # The problem
//
// A database reports transactions, a benchmark points, an fio of another shell IOs. What
// they have in common is a span of time. Joules of that span are exact; how much was
// done for them has to come from whoever did it, or from what the kernel counted on the
// drive.
//
// # Terms
//
//	window    [start, end) of host time; power and joules are of all of it
//	io        what reached the drive by the kernel's counts, where it was followed. It
//	          has a window of its own, from the first reading of the counters inside to
//	          the last, and its ratios take their joules from that very window
//	count     what the user says was done between two marks, in a unit of theirs
//	per_joule count over the joules of the window
//
// # What ± means
//
// That of package efficiency: half-width of the 95 % interval of the long-run value,
// from scatter, borders, lost samples and the module's accuracy. A count of the user's
// is taken as exact.
//
// # Errors
//
// A window that ends before it starts. What the samples cannot support is in Withheld,
// with the reason.
package record
