// Package sim is an emulated power module: it stands where an HD module would,
// on a pseudo-terminal, on TCP or on any pipe, and a client cannot tell.
//
// # The problem
//
// A driver that has met well-behaved hardware only has not been tested. Here
// every byte comes from a program whose truth is known: when stripe 0 began, how
// wrong the module's clock is, how many stripes were made and how many were
// sent. So a lost sample, a wrong time or a silent truncation has nowhere to
// hide. The module measures a Load, which is somebody else's model of a drive.
//
// # Terms
//
//	load      what hangs on the rails: it is told of switches and asked for means
//	client    one visit to the module: a TCP connection, or what happens on a
//	          pseudo-terminal between somebody's open and the last close
//	link      terminal (echo, reply lines, prompt; no streams) or framed (u16
//	          length + payload); told apart by the first two bytes of a request
//	          unless Options.Link fixes it; half a frame that gets no more bytes for
//	          Options.HalfFrameNs is dropped
//	dialect   what modules differ in or no source tells of them: texts, numbers, times;
//	          each is an option, so that nothing comes to rest on one of them
//	format    how a stream is written: HD, HD Plus, XLC or original; the answers to
//	          hello? and *idn?, the range and the memory go with it
//	producer  makes stripes on the module's own clock, each 3 ms those that the load is
//	          settled for: up to now, or LagNs behind real time where it cannot tell
//	FIFO      where stripes wait for the reader; it has a fixed size
//	sync      status 7: the module sends no more until it is answered
//	overrun   the FIFO was full: what is in it is sent, then status 1
//	fault     what goes wrong on a bench, by name (Faults); it strikes each stream at its
//	          time, or the module at its own
//	line      what carries bytes to a client, with its faults: late, in pieces, damaged
//	loss      what a fault did to stripes, or kept from a client that still wanted them;
//	          every one stands in StreamTruth
//	output    what a client sees of a rail; the first is one wire to the load, with 5 V
//	          or 3.3 V on it as the output mode says
//
// # Time
//
// All times are the host's CLOCK_MONOTONIC in nanoseconds. With T the nominal
// period, stripe k covers
//
//	[t0 + k·T·(1+ppm·1e-6), t0 + (k+1)·T·(1+ppm·1e-6))
//
// computed from k each time, so that nothing accumulates; a clock that warms up or
// stands still departs from that line by a bend of closed form. A load is asked for
// whole stripes only and for at most 128 at once, with the period rounded down
// to a nanosecond: two requests never overlap, and within one a stripe is asked
// for at most 128 ns early (none at all without drift).
//
// Time in which the emulator itself did not run (a host that stalls) is not
// charged to the reader: the producer waits that long for room before it
// declares an overrun.
//
// # Transcripts
//
// What goes over the wire stands byte for byte in testdata/transcripts, by theme, with a
// sentence to each exchange. Every command is there.
//
// # Errors
//
// A client that goes away is not an error, nor is nonsense from one: it is
// answered FAIL, as hardware would. Nothing that a client does makes the module hold more
// than a bound: of a line 1024 bytes are kept, and it is refused when it ends; of a frame
// 64 KiB; 64 replies wait for a client that does not read, and then it is not read either;
// TCP clients beyond Dialect.Clients are closed unanswered; after 100,000 changes of power
// or 100,000 streams more of them are refused. Errors are what the host refuses: a port in
// use, no pseudo-terminal left. They name the address and what to do.
package sim
