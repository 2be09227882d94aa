// Package measure runs one plan on one bench: who starts first, which step comes
// when, and in what order everything stops. It is the only room, beside the web's,
// that starts goroutines which outlive a call.
//
// # The problem
//
// A module streams by its own clock, an engine loads the drive, stores take
// points, a person watches, and any of them may fail or be interrupted at any
// time. Whatever happens, what was measured so far must be on disk, concluded
// from, and reported.
//
// # Order
//
//	start   capture → module's stream → clock readings → step after step
//	step    mark its begin, do it, mark its end, wait until its samples are in,
//	        compute the results again; a step of a round that need not begin is skipped
//	stop    engine → stream → capture → results → report → stores
//
// # Commands
//
// A step may send the drive a command, or erase it. Steps that need one which failed are not
// done. A setting that was made is put back at the end also of a run that fails or is
// interrupted; only a powerd that is killed leaves it.
//
// # Days
//
// What a step has left is on the disk before the next one begins: its samples and marks, and
// what the engine wrote. Results, report and tables are computed after it, unless that
// would cost a tenth of the run's time: `powerd analyze` makes them of what is there, after
// a kill too. A run that was broken off goes on in the same folder, as package resume decides:
// its capture has more streams, its engine's files are in engine/leg-N, and the times of
// another boot are put on the run's axis (results.Leg). The drive is asked for temperature
// and power state before the first step and after the last one alone: one that is asked is
// not idle.
//
// # Beacons
//
// Where the plan loads the drive or switches its power, and stripes are short enough to
// show it, the drive is read from in four bursts of 50 ms now and then, so that the edges
// of its power place the stream: before a load or a power cycle, after a load, and at the
// end, at least once in each stream that comes to one of these. Never inside a step: a
// load must not be disturbed, and the drive of an idle step is let alone from 0.3 s before it
// on, however long it lasts. Nor before an idle step that no load came before, which may be
// there to see how the drive goes to sleep. Never is anything written, and no drive without
// power is asked. A drive that fails a read is not asked again in that run.
//
// # Goroutines
//
// The recorder owns one that reads the module, Run one that ticks once a second
// (clock readings, status, live points) and one that follows what reaches the target. A
// power-up has one that asks the drive until it answers, a load one that watches it; both
// end with their step. All are waited for before Run returns.
// What has to be written after an interrupt runs under a context of its own.
//
// # Errors
//
// A step that failed fails the run, but not its results: outcome and reason
// stand in results.json. The next step is done, or the run ends, as its on_failure says.
// A module whose port has gone costs the step under way; if it comes
// back, the next step is measured. Only a folder that cannot be written stops everything.
package measure
