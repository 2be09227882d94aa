// Package realtime gives threads precedence over ordinary programs.
//
// # The problem
//
// A module keeps what nobody reads for a fraction of a second, and the kernel
// keeps 16 KiB of a port: at 3 MB/s its reader has to run every 5 ms. On a machine
// whose processors are all busy an ordinary thread waits for several turns of
// others of 3 ms each, whatever its nice value is, and the module overruns. The
// reader itself needs a few percent of one processor.
//
// What the kernel does between stays ordinary: it moves 4 KiB of a terminal at a
// time on a thread of its own. Where that thread is more than a millisecond late
// on average, 3 MB/s do not come through, whoever reads; averaging or TCP help.
//
// # Terms
//
//	precedence   the lowest real-time priority, round robin: runs as soon as
//	             there is something to do, before every ordinary thread
//
// # Errors
//
// Precedence needs root, CAP_SYS_NICE or a limit on real-time priority (`ulimit
// -r`, LimitRTPRIO= of systemd) above 0. Where the process may not have it, the
// error says so and nothing has changed: things work, but not on a machine that is
// overloaded.
package realtime
