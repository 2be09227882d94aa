// Package hostcmd starts programs other than the IO engine: a second powerd that serves
// the drive twin, smartctl and nvme-cli, which ask a drive of itself, and what a suite has
// run on a drive. An argument vector only, never a shell; a child never outlives its parent
// by more than it takes to clean up. It also gives the kernel its orders about a drive: write
// out what is held for it, forget it, look for it again;
// these are files of /sys and one ioctl, and need root.
//
// # Errors
//
// A program that is missing or fails is an error with its name, its exit code and
// the last line it wrote to standard error.
package hostcmd
