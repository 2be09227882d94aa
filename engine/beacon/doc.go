// Package beacon reads from a drive in short bursts by itself, so that they can be
// looked for in a power trace.
//
// # The problem
//
// Whether a drive hangs on a module, and when its IO happens on the module's clock,
// shows in the power that IO costs. For that the IO must begin and end when asked,
// to the millisecond, with stamps of both, reach the drive and no cache before it,
// and do no harm whatever the target turns out to be. An engine in a process of its
// own starts late and says so later.
//
// # How it works
//
// The target is opened for reading only and for direct IO, which passes the host's
// page cache by. Several reads are outstanding all the time, begun in one call of the
// kernel's asynchronous IO, so that the drive's power rises at once and not thread by
// thread; their places are drawn over the whole target, so that a drive's own cache answers
// few of them. A
// file's holes, and blocks that a drive knows to be empty, may be answered without
// work: such reads draw little.
//
// # Terms
//
//	burst     reads without a pause, from one start to one end
//	reader    one read outstanding at a time; the first of all are submitted together
//	first     the first read that a drive answers after its power came on: tried every
//	          5 ms, each time through a path opened anew
//	interval  10 ms of a burst with the reads that completed in it; where the host
//	          held the readers up, it says so
//
// # Errors
//
// A target that cannot be read this way is engine.ErrTarget with the cure, before
// anything is read. A read that fails is an error with path and offset, beside what
// was read until then. A cancelled context ends a burst early and is no error of
// the drive's.
package beacon
