// Package diskstats follows an engine that somebody else started, by what the kernel
// counts on the drive.
//
// # The problem
//
// A database, a benchmark in a virtual machine, an fio of another shell: none of them
// tells powerd what it did and when. The kernel counts every request that reaches a
// block device, whoever sent it, and says so in one line of text. The counts are
// exact; what they lack is a time, and a reader that never takes a device which was
// swapped for minus a billion reads.
//
// Reading the line sends nothing to the drive: it is made of counters in the host's
// memory. An idle drive stays asleep.
//
// # Terms
//
//	reading   one look at the counters, with the host times right before and right
//	          after it: it stands for the middle, ± half of what lies between
//	interval  from one reading to the next
//	gap       between two readings that do not belong together: one failed in between,
//	          or a counter went back, as when the drive was taken away and came again
//	bracket   what was completed in a window at least and at most: readings inside it,
//	          readings around it
//
// A request is counted when it is completed. Requests are not always what the engine
// asked for: the kernel may split large ones, join neighbours, and serve some from
// memory without asking the drive. Bytes are comparable always, IOs mostly. A sector
// of the kernel's is 512 bytes whatever the drive's is.
//
// # The file
//
// blockstat.csv has a header and a row a reading, units in the header. A row without
// counts is a reading that failed. It is appended to and flushed to the disk about
// once a second; of a process that was killed the last row may be torn, and is left
// out.
//
// # Errors
//
// A target of which the kernel counts nothing is engine.ErrTarget, with the reason. A
// drive that is away is no error: it is looked for until it is back, and that time is
// a gap. A row that cannot be read is a gap too, and is named in Series.Damage.
package diskstats
