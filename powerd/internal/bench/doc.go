// Package bench makes one run on one bench: it opens the module, looks at the
// target, sees to it that the bench is what it says and that its owner allows what
// the suite will do, measures, and publishes. The command line and the daemon both
// come through here, so the same is checked whoever asks.
//
// # The problem
//
// A table of watts beside a table of IOPS is worth nothing if the module hangs on
// the neighbour's drive, and a suite that overwrites the wrong drive is worth less.
// Neither shows in the figures.
//
// # Terms
//
//	bench     module, target and what stands between; named in the settings
//	consent   what the bench's owner lets a run do to the drive: write, power, purge,
//	          command. A run without a named bench may read only
//	pairing   evidence that the target's power is the module's. A run that loads the
//	          drive shows it by reads before it begins; without, nothing is written
//	          and no power is switched
//	lent      a module that its owner, the daemon, has opened and keeps
//
// # Errors
//
// A RefusalError is the user's to mend; nothing was touched and nothing is left behind.
// All other errors come beside what was measured.
package bench
