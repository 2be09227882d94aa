// Package check says whether a bench is fit to measure on, and how to mend what is
// not.
//
// # The problem
//
// A measurement of hours is spoilt by what could have been seen before: another
// program holds the port, a latency timer delays every reading, the drive hangs on
// another module, is mounted, or the disk fills up. Each has a cure that its user
// should not have to look for.
//
// # Terms
//
//	fact     what was found, by asking only: Look gathers them, and is the only
//	         part that touches the machine and the module
//	line     one judgement: ok, warn or fail, what it is about, what was found,
//	         and the cure; Judge makes them from facts alone
//	fail     a run would be refused, or would measure the wrong thing
//	warn     a run is possible, but something is unknown or less good
//
// # What is sent
//
// To the module queries and stream control only: it streams for a second, and the
// averaging that it had is given back. To the drive nothing; where the bench consents
// to writes it is opened once, for reading, to find what holds it.
//
// # Errors
//
// What cannot be found out is a fact of its own with its reason, and a line. There
// is no other error.
package check
