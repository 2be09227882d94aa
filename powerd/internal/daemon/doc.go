// Package daemon records benches without end: it owns their modules, keeps what they
// send, and lends them to runs.
//
// # The problem
//
// A cable is touched, a hub restarts, a module comes back under another name or its
// neighbour sits on its path, the disk fills, a server is away: over weeks each of it
// happens, mostly at night. Whoever looks later wants all the samples there could be,
// and for every stretch without any from when to when, and why.
//
// # Terms
//
//	worker     owns one bench's module: waits for it, opens it, makes sure that it is
//	           the right one, reads it, closes it. Workers know nothing of each other
//	recording  what a bench keeps: segments of a fixed length, each a folder of its own
//	           that `powerd analyze` reads like a run's
//	gap        time without samples, or without room for them, with its cause
//	lent       a module that a run measures with meanwhile; its worker waits
//	keeper     deletes the oldest segments when all take more than they may, and stops
//	           recording where the disk itself gets full
//
// On disk, DIR/BENCH/ holds gaps.jsonl, one gap a line, and a folder a segment, named
// by the UTC at which it begins. A stream goes on from one segment to the next, whose
// stripes count from 0 again; its first event says which stripe of the stream that is.
//
// A worker sends queries and stream control only. What a run may do to a drive is
// between the run and the bench's owner.
//
// # Goroutines
//
// Run owns one a worker, one a bench that hands summaries to its stores, and the
// keeper. A worker has one that closes segments behind it. All are waited for.
//
// # Errors
//
// Whatever a module does is data: a state that Status shows, a gap, one line in the
// log. Nothing that goes wrong on one bench reaches another. Run fails only where
// there is nothing to go on with: no bench, no folder, no room for two segments.
package daemon
