// Package hostcmd starts programs other than the IO engine: today a second powerd
// that serves the drive twin, and smartctl and nvme-cli, which ask a drive of itself.
// An argument vector only, never a shell; a child never outlives its parent by more than
// it takes to clean up. It also gives the kernel its orders about a drive: write out what is held for it, forget it, look for it again;
// these are files of /sys and one ioctl, and need root.
//
// # Errors
//
// A program that is missing or fails is an error with its name, its exit code and
// the last line it wrote to standard error.
package hostcmd
