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
// # What is reached
//
// In virtual time, with each twin of configs/twins read from, on its own module and on
// that of each other twin: 200 of 200 right pairings confirmed and 200 of 200 wrong ones
// found, at the idle noise and at three times as much, a second or more after reads, after
// writes, after half an hour of sleep, while the other drive is idle and while it is looked
// for in the same moment. That holds for
//
//	seagate-1200-400          idle 3 W and 2.2 W more while it reads
//	seagate-1200-400-patrol   works on its own once in 2 s; a proof in a hundred needs the second one
//	ssd-gc-90s                collects garbage in between; reads show on top of it, 1 W
//	sata-ssd-devslp           sleeps in each pause and is woken by its own housekeeping
//	nvme-12v                  12 V alone; its power states follow each other in the pauses
//	hdd-7200                  arm and motor; out of standby it spins up before the proof
//	unlimited                 as fast as the host
//
// In real time, on two cores with four of them looked for at once (the long test): 50 of 50
// right ones confirmed and 50 of 50 wrong ones found with each of the drives, 150 and 150
// with seagate-1200-400, wrong ones within 9.0 s, right ones that were proved twice within
// 16.2 s.
//
// A proof takes less than 10 s wherever the host lets it read; out of standby a disk's
// spin-up comes before that. On a host so busy that the readers stand still for long, or
// stripes are late by more than 150 ms, a right pairing may not be shown; no wrong one
// was ever confirmed there either.
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
