// Package store is the contract for databases that a run is handed to, the
// mapping from tables to points, and the fan-out to several stores.
//
// # The problem
//
// A run leaves its files in one folder. To compare drives, to watch a run from
// another desk and to keep a history, its figures must also stand in databases,
// under names and types that never change, and each of them exactly once: also
// when a server is away for hours, when powerd is killed, and when the same
// results are handed over again after every step.
//
// # Terms
//
//	store      a database that a run is handed to
//	live       the 100 ms summaries of rails and engine: a preview, never results
//	point      one row of a time-series database: measurement, tags, fields, time
//	tag        words that name a series; two points of one series differ in time
//	outbox     batches of points on disk that a server has not acknowledged yet
//	parked     a batch that the server refused; kept, and sent again only if what
//	           it missed was the bucket
//
// # Time
//
// Whoever calls a store speaks host CLOCK_MONOTONIC. A Run carries one pair of
// clock readings, and every time becomes UTC through that pair (Run.UTCNs). The
// same row so gets the same time stamp whenever it is handed over, which makes
// sending it again harmless, and a step of the wall clock in mid-run moves
// nothing. A row of a table stands at the end of its window, or at the start of
// the run if it has none; a 100 ms summary stands at its end.
//
// # From a table to points
//
// The table "efficiency" becomes the measurement powerd_step, "limits" becomes
// powerd_limit, and any other table powerd_<name>: a new analysis needs no line
// here. Of its columns
//
//	Key       becomes a tag; so do, whatever their kind, the parameters of a step
//	          (rw, bs, qd, jobs, read_pct, state) and the numbers that tell the
//	          rows of one window apart (step, rail, cycle, window_us)
//	Quantity  becomes a float field, its U95 another one named <field>_u95
//	Count     becomes an int64 field
//	Text      is left out: words are for people, and stand in results.json and in
//	          SQLite
//
// A withheld cell leaves no field. A row without a field leaves no point, and is
// counted.
//
// # Errors
//
// An error of a store is local: its file cannot be written, or the caller handed
// over what cannot be stored (two points of one series at one time). A server
// that is away or refuses is not an error but a Report with counts and the
// reason. Report.Err turns what has not arrived into one error for an exit code.
//
// # Children
//
//	sqlite     the embedded default, holds the outbox too
//	influx     InfluxDB 1.8 and 2.x behind the outbox
//	storetest  the conformance suite
package store
