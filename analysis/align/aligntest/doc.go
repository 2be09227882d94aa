// Package aligntest plays a module and its host in virtual time, with two clocks whose
// relation is known.
//
// # The problem
//
// Whether a stated bound on the time between two clocks holds can only be asked where
// the truth is known. Here it is: a module whose crystal is off and warms up, a link
// that delays, a host that stands still now and then, stripes that vanish or come twice,
// and a drive whose current follows its IO some time later.
//
// # Terms
//
//	truth     host time at which a stripe began, by the index under which the host
//	          knows it
//	link      how long after the end of its last stripe a block is read
//	silent    lost or doubled without a word: the host's count goes on as if nothing
//	          had been
//	event     something the host did that shows in the samples: when it began, when the
//	          host knew that it was done, and where its edge was found
//	lag       from the event's true begin to its edge
//
// All numbers are drawn from the seed: the same module is always the same. Nothing
// waits; an hour of 10 ms blocks costs a fraction of a second.
package aligntest
