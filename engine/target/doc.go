// Package target says what lives on a drive: before somebody writes to it, or takes
// its power away.
//
// # The problem
//
// A device that is mounted, swapped to, part of an array or a volume, or open in
// another program looks like any other. Whoever writes to it destroys what is there;
// whoever cuts its power tears it away from under a file system. Only the kernel
// knows, and not in one place.
//
// # Terms
//
//	use       one thing that lives on a device, with what would end it
//	reader    a process that has it open for reading only: no harm to who writes, but
//	          its IO would fail if power were cut
//	of a device  of itself, of its partitions, and of whatever is built from these:
//	          arrays, volumes, encrypted devices, one upon the other
//	of a disk    the same of the whole disk that a partition belongs to, since power is
//	          cut for all of it
//	system    what this machine runs from: a root or boot file system, or swap
//
// Everything is read from /proc and /sys. Nothing is sent to the drive but one
// exclusive opening for reading, which finds what holds a device without saying so (a
// pool of ZFS, a mount out of sight). It may wake a sleeping drive, so it is left to the
// checks right before a write or a power-down; Uses does without.
//
// # Errors
//
// A target that does not exist. What cannot be read (another user's processes) is not
// known, and is no use that is found.
package target
