// Package tty opens serial ports. It is the only package that knows the serial
// library.
//
// # The problem
//
// Opening a port can reset the device behind it; two programs can hold the same
// port and each get half of the bytes, even when one of them came through a
// symbolic link; a read that times out looks like an end of file; a pulled cable
// looks like a silent device; and a USB adapter may sit on received bytes for
// 16 ms.
//
// # Terms
//
//	port           a serial device or pseudo-terminal, raw, 8N1
//	lock           a file named after the device that the port resolves to, held
//	               for as long as the port is open, with the holder's pid inside
//	latency timer  how long a USB adapter holds a short packet back, in ms
//
// # Errors
//
// A port that another process (or this one) holds is quarch.ErrBusy, with the
// pid where it is known. A port that went away is quarch.ErrUnplugged. A port
// that was closed here is quarch.ErrClosed. All name the port.
package tty
