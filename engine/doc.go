// Package engine is the contract for IO engines: what loads the drive, and what
// it says it did. It holds no engine.
//
// # The problem
//
// An engine reports in its own time and units, late, cumulatively, and not
// always truly: a crashed worker may leave exit code 0, a mistyped target a file
// of that name. What crosses this border is counts over half-open intervals of
// host time, with the reasons where a figure is not to be believed.
//
// # Terms
//
//	job       what one step asks of an engine
//	cell      one point of a matrix of jobs
//	interval  half-open host time with the IOs completed in it: counts, not
//	          rates, since counts can be cut again to other windows
//	window    [StartNs, EndNs) of a job's IO, without its ramp
//
// All times are host CLOCK_MONOTONIC in nanoseconds. MB is 10⁶ bytes.
//
// # Errors
//
// A job that failed is a *JobError: it says which step, what the engine printed
// and what to do; the partial Result beside it is marked. A missing or too old
// engine is ErrUnavailable. Text that an engine prints besides its report is
// kept in Messages and is no error.
package engine
