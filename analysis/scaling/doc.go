// Package scaling says how a drive's power follows its load: what being awake costs,
// what one more IO costs, from which depth on more of it buys latency only, and how near
// the drive comes to drawing nothing where it does nothing.
//
// # The problem
//
// Every drive does most IO per watt at its highest load, since what it draws anyway is
// divided by more IOs. So the best cell of a table is always the last one, and says
// nothing. What helps whoever runs the drive is where its curve bends, and which share of
// its power is there whether it works or not.
//
// # Terms
//
//	series   cells of one pattern, block size, mix, data and range that differ in depth, or in the
//	         IOPS that were demanded, and in nothing else
//	depth    IOs in flight: queue depth × jobs
//	line     P = P0 + e·N by least squares: watts over IOPS. P0 (base_w) is drawn for
//	         being ready, e (uj_per_io) is the energy of one more IO
//	awake    P0 less the idle watts of the same run
//	knee     the depth at which two straight lines meet in the logarithms of latency over
//	         depth: one level, where a deeper queue brings as many more IOs, and one rising with
//	         the depth, where it brings none. Latency is depth ÷ IOPS (Little's law)
//	sweet spot
//	         the first cell at or beyond the knee: about as many IOs as there are to be
//	         had, before they begin to wait for each other
//	dynamic range
//	         (Pmax − Pidle)/Pmax: 1 = nothing is drawn without load
//	proportionality
//	         1 − (area between the curve of power over load and the straight line from
//	         nothing at no load to Pmax at full load) ÷ (area below that line), with
//	         the curve through the idle watts and all cells; 1 = power is in proportion to
//	         load, 0 = it is always Pmax. Load is IOPS ÷ the most of the series
//
// # What ± holds
//
// Of the line: Student's factor times the scatter of the cells about it, or what their own
// ± make of it, whichever is wider; and what the module's accuracy can do to it: all of
// it to P0, to e the difference that it makes to the highest and the lowest power. Of
// shares: the scatter of every power that is in it, and of the module's error, which is the
// same in all, only what does not cancel. A knee has none: the measured depths on either
// side of it stand beside it.
//
// # Errors
//
// None. Fewer than three loads are no series. What the cells cannot support is withheld: a
// knee of fewer than four or outside of the depths that were measured, and a share without
// idle watts, or with a step of load wider than 0.35 of the whole.
package scaling
