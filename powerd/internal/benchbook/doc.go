// Package benchbook keeps what a bench remembers from one run to the next: how it is
// known that its drive hangs on its module, what the module reads without a drive, and
// whether somebody is touching the drive's supply. Of a module it keeps how far off its
// clock is.
//
// # The problem
//
// A run that is killed between "off" and "on" leaves a drive without power, and nobody
// who could say so. What was found before the first command therefore stands on disk
// before that command is sent, and goes when everything is put back.
//
// # Files
//
// One JSON file a bench, schema "powerd.bench/1", written whole, synced and renamed,
// under a lock that processes share. The file of a bench called "left" is
// "left.json"; other characters than letters, digits, dots, dashes and underscores
// are written as %XX, so that two names never share a file.
//
// A module hangs on one bench today and on another tomorrow, and its crystal stays the
// same: its file is "modules/SERIAL.json", schema "powerd.module/1". The rate in it is
// of the last run that told it; what is older is replaced where it says less, or
// something else.
//
// # Errors
//
// A file that is damaged or of another schema is an error that names it and is never
// written over: what it said may be the only word about a drive's power. Of a module's
// file the same is asked, though a run goes on without it.
package benchbook
