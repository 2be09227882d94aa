// Package drivecmd does to a drive what a suite asks for other than IO: it runs the
// programs of command steps, and erases the drive for purge steps.
//
// # The problem
//
// A command can end a drive's data, and a name like /dev/sdb may be another drive's
// tomorrow, or in the second hour of a run. So what is to be erased is looked at right
// before: the path that the bench names, still the drive of the bench's serial number, and
// nobody's.
//
// # Terms
//
//	command    a program with its arguments, run to its end, never by a shell
//	purge      the command that erases the drive. On an emulated one nothing is run: its
//	           whole file is discarded, which makes its flash fresh
//	record     commands/STEP.out and STEP.err in the run's folder: what the program printed
//
// # Errors
//
// A program that is missing, fails or takes too long; a target that must not be erased.
package drivecmd
