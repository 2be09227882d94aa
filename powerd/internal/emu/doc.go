// Package emu runs the drive twin and the emulated module in a process of their
// own, and asks it afterwards what really happened.
//
// # The problem
//
// An emulation inside the process that measures would share its scheduler: a
// stall would stop the instrument together with its reader, and no sample could
// ever be lost. And a drive served as a file by a process that is killed must
// not leave a mount or a hanging reader behind.
//
// So `powerd run --twin` starts `powerd sim --twin`: the child serves file and module,
// and cleans up when its standard input ends, however its parent died.
//
// # Terms
//
//	request   one JSON object a line to the child: what happened in these windows?
//	reply     one JSON object a line from it; the first says port and target
//	truth     what the model did, on its own time; never made from samples
//
// # Errors
//
// The child writes one line to standard error and leaves with a code; Start
// returns that line. Everything that it could not clean up is an error of Close.
package emu
