package check

import (
	"time"

	"powerd/engine/target"
	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/host"
	"powerd/quarch"
)

// Facts are what was found of a bench. An error says why a fact is not there.
type Facts struct {
	Now   time.Time // UTC
	Bench config.Bench

	Served    string // to which powerd that serves the module belongs, which is not asked then; "" = to none
	Port      Access
	Info      *quarch.Info // nil = no module answers
	ModuleErr error
	PeriodNs  int64 // of a stripe as runs have it by default
	PeriodErr error // the module or its line does not take it
	Stream    *Stream
	StreamErr error

	Memory    benchbook.Entry
	MemoryErr error
	StateErr  error // nothing can be written down in the folder of it

	Target    *host.Target // nil = none is configured, or it is not there
	TargetErr error
	Access    Access       // to the target
	Uses      []target.Use // of the whole disk
	Readers   []target.Use // of the whole disk, who do nothing else
	UsesErr   error
	WriteErr  error // a write to it would be refused; asked if the bench consents to one
	JobErr    error // the IO engine would refuse to read from it
	BeaconErr error // reads of it could not show on the module
	SheetErr  error // the drive file of the bench cannot be used

	Out       string // folder of runs
	FreeBytes uint64
	FreeErr   error
	Fio       string // version
	FioErr    error
	FuseErr   error // why no twin can be served
	ClockPPM  *float64
}

// Access is whether this user may use a device.
type Access struct {
	Err   error  // why not
	Group string // that owns it; empty if unknown
}

// Stream is what a second of samples told.
type Stream struct {
	Seconds float64 // of host time between the first and the last arrival
	Stripes uint64  // that arrived in it; on a polled link readings
	Lost    uint64
	Volts   map[quarch.Rail]float64 // means
}

// PerSecond returns the rate that was measured, 0 if nothing came.
func (s *Stream) PerSecond() float64 {
	if s.Seconds <= 0 {
		return 0
	}
	return float64(s.Stripes) / s.Seconds
}
