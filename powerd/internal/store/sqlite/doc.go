// Package sqlite keeps runs, steps, results and live summaries in one SQLite
// file, and beside them the outbox of points that a server has yet to take.
//
// # The problem
//
// Results must be found again by drive, workload and date on a bench that has no
// database server, with tools that everybody has; and what a server could not
// take must survive powerd, the process and the machine.
//
// # Terms
//
// One file in WAL mode, written through one connection. Times are UTC in ns. A
// figure that is not known is NULL, never 0.
//
//	runs         one row a run; results_json is the document as it stands in its folder
//	steps        one row a step
//	result_rows  one row a row of a table of results; keys is a JSON object of the
//	             words that name it ({"step":…,"rw":…,"qd":…})
//	figures      one row a figure of such a row: name, unit, value, u95, or why it
//	             is withheld
//	efficiency   a view that puts the figures of a workload's cell side by side
//	agg_100ms    live summaries of the rails
//	engine_100ms live summaries of the IO engine
//	outbox       batches of line protocol; parked is the HTTP status they were
//	             refused with, 0 = still to be sent
//	outbox_total what the outbox holds for each server
//
// Two drives side by side:
//
//	SELECT drive, qd, iops_per_mw, iops_per_mw_u95 FROM efficiency
//	WHERE rw = 'randread' AND read_pct = 100 ORDER BY qd, drive;
//
// Results and outbox are synced to disk before a call returns (synchronous FULL).
// Live summaries are written once a second with synchronous NORMAL: a power cut
// may cost the last ones, never the file.
//
// The outbox is bounded in batches and bytes; beyond that the oldest are given up,
// and counted. Its points would take days without a server to reach the bounds.
//
// # Errors
//
// Every error names the file and what was being done. A file that cannot be
// opened or written, a full disk, a file that is not a database, a database of
// another program or of a newer powerd: each says so, and what to do.
package sqlite
