// Package pairing shows from samples whether reads on a target appear in a module's
// power: whether the drive hangs on the module that it is said to hang on.
//
// # The problem
//
// Whoever has two modules and two drives will one day have them crossed, and the
// table of that day looks like any other. IO costs power, so a few bursts of reads
// must show. But an idle drive is not quiet: its power wanders, jumps once a second,
// is higher while it cleans up; and the other drive, which would be mistaken for
// this one, may be under somebody else's load.
//
// # Terms
//
//	burst     reads by powerd itself, 0.5 to 1.5 s long
//	pattern   lead, bursts, pauses and tail of one proof, their lengths drawn anew
//	          each time, so that no regular load, and no other proof that began at
//	          the same moment, looks like it
//	part      a burst, or the time without reads beside one; without its edges, as far
//	          as the time map and the drive's lag leave open what belongs where
//	ΔP        mean power of a burst minus the mean of the parts before and after it
//	σ         standard deviation of ΔP where reads do not show
//	offset    how much later the power's pattern lies than the reads'
//	lag       what the drive may take to follow, 50 ms at most
//
// # How σ is known
//
// From the parts without reads alone. Their 10 ms means are joined to blocks of up to
// 250 ms; the length whose blocks make the mean most uncertain counts, since
// neighbours in noise are alike. To that comes how much the power without reads has
// moved from before a burst to after it: it may have moved at any moment between, so
// the step over √12.
//
// # What confirms
//
// All of it: in each burst ΔP is above 5 σ and above the module's resolution; shifted
// against the power, the pattern fits best within the map's U95 and the lag, and much
// worse elsewhere; and the 50 ms means of all parts are on their side of the middle
// between a burst and its surroundings, all of them next to an edge, and but one in 50
// and one more elsewhere. Power that falls while the drive reads confirms nothing.
//
// The first rule alone makes noise pass less than once in 10⁶ proofs; the others are
// against power that is another's and no noise. A stranger that reads in the very same
// way and began at the very same moment passes once in 10⁵ proofs on a streamed link, four
// times in 10⁴ on a polled one.
//
// # What is unclear
//
// A patrol read beside an edge, a collection of garbage that ends in a pause: what the
// drive does on its own may keep its own reads from confirming. Where every burst has a
// correlation of 0.75 or more with the power around it, and in its place, the evidence
// says that it is unclear, and a proof in another pattern is worth the time. That makes
// noise pass no more than twice as often, and in fact hardly more often: an idle drive is
// never unclear. Two drives that are read from in the same moment are in one of 10³ tries.
//
// # What is unanswered
//
// Samples that are missing or not placed well enough, reads that were not made: that says
// nothing of the drive. What was shown before is not refuted by it.
//
// # Errors
//
// Blocks that fail to be read. Samples that do not confirm are no error: Evidence
// says why in words.
package pairing
