// Package runs lists the runs in a folder, and finds the one that is under way.
//
// # The problem
//
// Every run leaves a folder, weeks of them lie beside one another, and a shell
// other than the one that runs wants to know of each what it was, how it ended, and
// what it found. A run that was killed says "running" for ever.
//
// # Terms
//
//	run       a folder with results.json, status.json or capture/meta.json
//	held      a powerd works in the folder: it holds its lock
//	cut off   says that it runs, and nobody holds it
//
// The files are read as far as they can be understood: whoever wrote them may be
// older, newer, or not done yet. Nothing is written.
//
// # Errors
//
// A folder that cannot be read is a row with the reason, never the end of the list.
// Only a root that cannot be read is an error, and one that does not exist holds no
// runs.
package runs
