// Package quarch is the contract for power modules: what a module is, what it
// delivers, and how its samples are summed. It holds no driver.
//
// # The problem
//
// A module sits in a drive's supply and measures volts and amperes of each rail
// at a fixed period, on a clock of its own. Its samples reach the host late, in
// lumps, and sometimes not at all. Whoever turns them into watts and joules must
// neither lose nor invent one.
//
// # Terms
//
//	module   the instrument
//	rail     one supply line of the drive: "5v", "12v", "3v3"
//	stripe   one sample of every channel; its period is 4 µs × averaging on a
//	         Quarch-style module. An averaged stripe is the mean over its period:
//	         its value belongs to the middle of it, and it arrives at its end
//	block    a run of consecutive stripes with no gap inside
//	gap      stripes that are known to be lost: data, not an error
//	link     terminal (polled text) or framed (streamed)
//	stream   what a module sends between one start and one stop; stripes are
//	         counted from 0 in each
//	arrival  when the host had read the last byte of a block
//
// Samples stay int32 counts with their LSB, so that a capture is lossless and
// an energy is exact; the conversion to SI lives in the accessors of Trace and
// in Stat, nowhere else. mV × µA = nW, so the product of two counts of an HD
// module is a whole number of nanowatts.
//
// # Errors
//
// A gap is Block.Lost. A stream that the module ended early is ErrOverrun, a
// module that does not answer is ErrTimeout, a port that went away is
// ErrUnplugged: test with errors.Is; the message names port and command.
//
// # Children
//
//	units      the vocabulary      wire     bytes → frames → counts
//	tty        a serial port       lan      TCP 9760 and discovery
//	ppm        the driver          sim      an emulated module
//	capture    samples on disk     quarchtest  the conformance suite
package quarch
