// Package lan reaches modules over a network: a TCP connection that carries the
// framed link, and discovery by UDP broadcast.
//
// # The problem
//
// A module acknowledges nothing by itself: small answers that the network stack
// gathers (Nagle's algorithm) stall the stream by tens of milliseconds. And a
// module's address is rarely known, while its reply to a broadcast mixes text
// with raw bytes that look like line ends.
//
// # Terms
//
//	address    host, or host:port; the port is 9760 unless it says otherwise
//	discovery  one broadcast question on UDP port 30303, and its answers
//
// # Errors
//
// A connection that the other side ended is quarch.ErrUnplugged, one that was
// closed here is quarch.ErrClosed, one that a process of this machine has already is
// quarch.ErrBusy; all name the address. An answer to discovery
// that cannot be read is passed over: other devices share the port.
package lan
