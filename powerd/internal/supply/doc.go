// Package supply is the only way by which powerd touches a drive's supply: its power,
// the module's output mode, the volts of its rails.
//
// # The problem
//
// A drive whose power is cut under a mounted file system loses data; one that is left
// off by a run that was stopped is missed hours later; and the path of one that comes
// back may lead to its neighbour.
//
// # Order
//
//	begin    ask how the supply is found: queries only
//	off      refuse while anything on the drive is in use; write down how the supply
//	         was found; flush; let the kernel forget the drive, if asked to; power down
//	on       no sooner than the drive's off time after that; power up
//	ready    look for the drive on its bus, if asked to; wait until its path leads to
//	         the same serial number, whatever the kernel calls it now
//	restore  put back what this session changed, say so, and cross out what was
//	         written down
//
// # Terms
//
//	found    the supply as it was before the first command
//	left     what a session that was killed has written down and never crossed out
//	twin     nothing lives on its drive, and nothing of it outlives the run: it is switched
//	         as it comes, and on at the end
//
// # Errors
//
// Every error after a command says in what state the drive is left. Restore works under
// a time of its own, also when everything else was cancelled. A module that restarted
// meanwhile has switched off by itself: that is said, and nothing is switched on again.
package supply
