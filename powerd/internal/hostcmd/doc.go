// Package hostcmd starts programs other than the IO engine: today a second powerd
// that serves the drive twin. An argument vector only, never a shell; a child never
// outlives its parent by more than it takes to clean up.
//
// # Errors
//
// A program that is missing or fails is an error with its name, its exit code and
// the last line it wrote to standard error.
package hostcmd
