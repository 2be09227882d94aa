// Package fio runs fio as powerd's IO engine and reads what it leaves behind.
//
// # The problem
//
// fio's exit code, its JSON and its logs each tell a part, and each is at times
// wrong: a crashed worker leaves exit code 0, a mistyped target becomes a file
// of that name, intermediate reports are cumulative and stand in the same file
// as the final one, log rows are rates whose spacing is not what was asked, and
// nothing in a report of fio 3.33 says when the first IO was sent. Power that is
// averaged over anything but the IO itself makes an efficiency figure wrong by
// up to a tenth.
//
// So this package starts fio in a way that closes those holes, takes every
// figure from the source that is exact, and cross-checks the sources.
//
//	ios, bytes, latency   the last JSON document of the process
//	window                first log stamps and the runtime of the JSON
//	series (Intervals)    iops and bw logs, as counts
//	preview (Progress)    differences of the JSON documents along the way
//
// Wait and Load share one path: a result is computed from the files in the job's
// folder alone, so that it can be computed again years later.
//
// # Terms
//
//	document   one JSON value in fio's output; the output is a sequence of them
//	entry      an element of a document's "jobs": one job, or a group of clones
//	clone      one of the numjobs workers of a job; each has logs of its own
//	epoch      when a clone's measured part began; log stamps count from there
//	time base  what a log's stamps count from: the epoch, 1970, or boot
//	row        a line of a log: a rate over the time since the row before it
//	pause      no row for two windows or more: the next row covers one window
//	record     STEP.run.json: what fio's own files do not hold (exit code, signal,
//	           spawn and exit times, what it printed)
//
// # Files of a step
//
//	STEP.fio           job file as run
//	STEP.json          fio's output, untouched
//	STEP_iops.N.log    and bw, lat, clat, slat: fio's logs, untouched; N = clone
//	STEP.run.json      the record
//
// # Errors
//
// fio missing or too old is engine.ErrUnavailable; a target that is not what it
// must be is engine.ErrTarget. A job succeeded only if the exit code is 0, every
// entry's error is 0, the runtime is at least 95 % of what was asked and nothing
// printed speaks of a crash; anything else is an *engine.JobError beside the
// partial result. Text between documents is kept in Messages, a document cut off
// at the end is ignored with a note, and values that are no numbers (nan, inf)
// are missing, named with file and byte offset. Disagreements between sources
// are Warnings, never silently settled.
package fio
