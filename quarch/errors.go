package quarch

import "errors"

// Marks of errors that a caller acts on.
var (
	// ErrTimeout: the module did not answer in time. The message names the
	// command and how many bytes came.
	ErrTimeout = errors.New("no answer from the module")
	// ErrOverrun: the module's buffer ran over and it ended the stream. What it
	// sent before is good; the run is truncated.
	ErrOverrun = errors.New("module overrun")
	// ErrUnplugged: the port is gone.
	ErrUnplugged = errors.New("port unplugged")
	// ErrRefused: the module answered FAIL.
	ErrRefused = errors.New("the module refused")
	// ErrNotAModule: what answers on the port is no module that the driver knows.
	ErrNotAModule = errors.New("not a power module")
	// ErrBusy: another process holds the port.
	ErrBusy = errors.New("port busy")
	// ErrClosed: the module was closed.
	ErrClosed = errors.New("module closed")
)
