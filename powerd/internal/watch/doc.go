// Package watch shows a run to a person in another shell.
//
// # The problem
//
// A run may take 20 hours. Whoever comes by wants to see where it stands, what the
// drive draws now and drew in the last minutes, and whether something is wrong,
// without touching the run: only its files are read, and a run that died must not
// look like one that goes on.
//
// # Terms
//
//	word    a status that differs from the one before it
//	silent  the run's powerd is at work, but has had no word for a while
//	gone    it is not at work any more, and left the run unfinished
//	screen  what a terminal shows: rails, a graph of watts, steps, warnings
//
// # Errors
//
// A status that cannot be read is an error on the first look; later it counts as
// silence, as the file is being replaced. A value that is not known is a dash, a
// second without samples a gap in the graph. Text of the run is shown without its
// control characters.
package watch
