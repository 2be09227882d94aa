// Package pair shows on a real bench that a drive hangs on a module: it reads from the
// one and watches the other.
//
// # The problem
//
// It must be sure, take less than ten seconds, and do nothing to the drive or its
// supply: whoever has crossed two cables would otherwise harm the wrong drive by
// the very attempt to find out.
//
// # How it works
//
// A first short burst of reads wakes the drive, so that it is in the state it will be in
// between the others. Then the module streams, at 64 µs or as slowly as the run will,
// while nothing is read, three bursts follow in a pattern drawn for this proof, and the
// stream stops. Package analysis/pairing judges what came of it. The module gets
// queries, an averaging and stream control; the drive gets reads.
//
// Where reads seem to show and something else disturbs them, the proof is made once more,
// in another pattern. A drive on another module is found with the first one.
//
// # Terms
//
//	proof    three bursts of reads, and the module's samples around them
//	confirm  a person types the drive's serial number where reads cannot show
//
// # Errors
//
// What keeps a proof from being made (target, module, cancelled) is an error that names
// both. A proof that shows nothing is no error: its evidence says why.
package pair
