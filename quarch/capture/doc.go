// Package capture keeps the samples of a run on disk, as they came, before
// anything is concluded from them, and gives them back.
//
// # The problem
//
// A module at 250 kS/s fills a few GB an hour, runs last a day, and the process
// that writes may be killed at any time. What it had written must stay readable,
// by powerd and by whoever opens the folder with pandas, polars or DuckDB, even
// while it grows. And whoever reads the port must not wait for the disk.
//
// # On disk
//
//	meta.json                             the run, its modules and its streams
//	events.jsonl                          what happened, one event a line
//	<serial>/s<stream>-<first>.parquet    a part: consecutive stripes of a stream
//	<serial>/arrivals-s<stream>-<first>.parquet   when the part's blocks came
//
// A part is about half a second of stripes, one row each. It is written whole
// under a temporary name, synced and renamed, so no file is ever torn and a
// crash loses at most what was in memory. <first> is the index of its first
// stripe since the stream began, so row r is stripe first + r.
//
// A part has no gap inside: lost stripes, a lost frame boundary or another
// scale end it and start the next. Columns are `<rail>_v` and `<rail>_a`, int32
// counts, null where the module gave no value; a polled link adds `at_mono_ns`.
// A rail that was not measured has no columns; one that read zero has zeros.
// The file's key/value metadata carry what turns counts into volts and amperes:
//
//	powerd.schema          "powerd.stripes/1" or "powerd.arrivals/1"
//	powerd.serial          module
//	powerd.stream          number of the stream in this capture, from 1
//	powerd.first           index of the first stripe
//	powerd.lost_before     stripes lost just before it
//	powerd.resync_before   times the frame boundary was lost just before it
//	powerd.period_ns       nominal period of a stripe, 0 on a polled link
//	powerd.rails           "5v,12v", in the module's order
//	powerd.lsb_volts       volts per count, in the order of the rails
//	powerd.lsb_amps        amperes per count
//	powerd.read_mono_ns    host CLOCK_MONOTONIC of the read that ended the part
//
// Arrivals are tables of first, n, lost and read_mono_ns, one row a block.
//
// # Terms
//
//	part       one file of stripes
//	stream     what a module sends between one start and one stop
//	damaged    a part that cannot be read: its stripes are lost, and said so
//
// # Errors
//
// Writing is done by a goroutine that Writer owns. Its first failure (a full
// disk) is sticky: every later call returns it, and what was written before
// stays. If the disk cannot follow, Write waits and a warning event says how
// long; after StallLimit it is ErrDiskSlow. Nothing is dropped in silence.
//
// Reading: a damaged part is a *PartError, which is ErrDamaged. Stream.Blocks
// yields it in its place; who breaks there is strict, who goes on gets the next
// part with the damaged one's stripes in Lost. A torn last line of events.jsonl
// and left-over temporary files are no error: Capture.Warnings names them.
package capture
