// Package twin holds no code: its children are an emulated drive whose truth is
// known.
//
// # The problem
//
// Nobody can tell from a measurement alone whether it is right. A twin is a
// drive that a person's IO engine loads like any other, while its volts and
// amperes are calculated: what was really drawn, and how many IOs were really
// served, is known for any window, and a measurement can be held against it.
//
// # Terms
//
//	model   performance and power of a drive: IO events in, rails and truth out;
//	        virtual time, pure
//	serve   the same drive as a file that an IO engine opens
//	truth   what the model drew and served, from its own time and never from
//	        samples
//
// # Errors
//
// Each child has its own policy; see there.
package twin
