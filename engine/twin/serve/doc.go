// Package serve serves a model's drive as a file that any IO engine opens like a
// drive. It is the only user of FUSE.
//
// # The problem
//
// An IO engine needs something to open. A file of the host's own would be as fast
// as the host; this one is as fast as the drive that it stands for, keeps what is
// written, refuses IO while that drive has no power, and tells the model of each
// IO that was really served, with the times at which it was.
//
// # Terms
//
//	mount     a folder with the drive's file in it, served by this process
//	stat      a file beside it: what the drive has served, in the format of a block
//	          device's /sys/class/block/NAME/stat, so that who follows real drives
//	          by the kernel's counts can follow this one
//	pacer     the one thread that decides when an IO is done
//	due       when the model says that an IO is done
//	settled   no IO is on its way into the model that would draw current before that time
//	stale     a mount whose process is gone: whoever touches it hangs or fails
//
// # How it works
//
// The file opens with direct IO, and the mount asks the kernel for asynchronous
// direct IO, without which every engine would be at depth 1 whatever it asks for.
// A request asks the model when it is due, waits for the pacer, and copies its data. The
// pacer sleeps to absolute times of CLOCK_MONOTONIC on one timer of the kernel's, since a
// timer of the runtime's for each IO would be late by a millisecond; an IO that is due
// within 60 µs is let go at once, as nobody can be woken more exactly, and
// because the model's times are absolute the rate stays right all the same. A drive
// that is unlimited never comes to the pacer: all accounting is done by the thread that
// brought the request.
//
// A punched hole is a discard: the model hears of it, and the data is gone. A flush waits
// until what was written has left the drive's write cache.
//
// Right after mounting, every descriptor of /dev/fuse is closed to child
// processes: a killed server whose engine has inherited one would leave a mount
// that hangs every process that looks at it.
//
// # Memory
//
// What is written is kept in memory, 4 KiB a page; a page that was never written,
// or was punched out with fallocate, takes none. Choose a size that the host can
// hold if the job writes all of it.
//
// # Errors
//
// Available says in one line why a drive can't be served here. To the engine, IO
// fails with EIO while the drive is not ready or the mount is going away, writing
// past the end with ENOSPC, changing the size with EINVAL, taking the file away or giving
// it another name with EPERM. O_TRUNC is ignored, as a block device does.
package serve
