// Package cli is what a user types: the commands, their flags, and what they
// print. It parses and wires; the work is done in the rooms beside it.
//
// # Exit codes
//
//	0    done
//	1    a measurement failed or was incomplete; results are written
//	2    usage, configuration, or a bench that is not what it says
//	3    a limit of the drive file is surely broken, and --fail-on-limit was given
//	130  interrupted; results are written
//
// # Errors
//
// One line on standard error: what happened, where, and what to do next.
package cli
