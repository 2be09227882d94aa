package quarch

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
)

// Rail names a supply line of the drive as the module's channels do: "5v",
// "12v", "3v3".
type Rail string

// The rails of a drive.
const (
	Rail5V  Rail = "5v"
	Rail12V Rail = "12v"
	Rail3V3 Rail = "3v3"
)

// NominalVolts returns the nominal voltage of a rail, 0 for an unknown one.
func (r Rail) NominalVolts() float64 {
	switch r {
	case Rail5V:
		return 5
	case Rail12V:
		return 12
	case Rail3V3:
		return 3.3
	}
	return 0
}

// CompareRails orders rails as people do, by their nominal volts.
func CompareRails(a, b Rail) int {
	return cmp.Or(cmp.Compare(a.NominalVolts(), b.NominalVolts()), cmp.Compare(a, b))
}

// ByRail yields what m holds in the order of CompareRails. Sums over rails go this way: in
// a map's own order their last digit would differ from one time to the next.
func ByRail[T any](m map[Rail]T) iter.Seq2[Rail, T] {
	return func(yield func(Rail, T) bool) {
		for _, r := range slices.SortedFunc(maps.Keys(m), CompareRails) {
			if !yield(r, m[r]) {
				return
			}
		}
	}
}

// Info is what a module says of itself and of its present setting.
type Info struct {
	Driver     string `json:"driver"`           // "ppm"
	Model      string `json:"model"`            // reply to hello?
	Serial     string `json:"serial"`           // "QTL1999-05-005"
	Firmware   string `json:"firmware"`         // as printed by *idn?
	Alias      string `json:"alias,omitempty"`  // its user's label for it
	Link       string `json:"link"`             // "terminal" or "framed"
	Port       string `json:"port"`             // device path or host:port
	Rails      []Rail `json:"rails"`            // in stripe order
	PeriodNs   int64  `json:"period_ns"`        // of a stripe; 0 on a polled link
	Averaging  int    `json:"averaging"`        // base samples in a stripe, 0 or 1 = none
	OutputMode string `json:"output_mode"`      // "5V", "3V3", "DISABLED"; empty if not asked
	Powered    *bool  `json:"powered"`          // nil = unknown
	SelfTest   string `json:"self_test"`        // reply to *tst?
	LatencyMs  int    `json:"latency_timer_ms"` // of a USB-serial adapter; 0 = has none

	RuntimeS *float64 `json:"runtime_s,omitempty"` // since it was switched on; nil = it does not say
}

// Links of a module.
const (
	LinkTerminal = "terminal" // echo and prompt, polled
	LinkFramed   = "framed"   // u16 length + payload, streamed
)

// Module is one opened power module. Opening, Info, Stream and Close send
// queries and stream control only; nothing but SetPower may touch the drive.
//
// Info and SetPower may be called while Stream runs, from another goroutine.
type Module interface {
	// Info asks the module who it is. It may be called again: the setting
	// fields are as of the call.
	Info(ctx context.Context) (Info, error)

	// SetPower switches the drive's rails and returns once the module has
	// acknowledged it. A refusal by the module is an error with its text.
	SetPower(ctx context.Context, on bool) error

	// Stream starts a stream and yields its blocks, in order. A block is lent
	// for one iteration: keep it = Clone it. The iteration ends without an
	// error after ctx is done and the module has stopped; it ends with an error
	// (and a nil block) when the stream broke. Stripes that were already decoded
	// are always yielded first. One stream at a time.
	Stream(ctx context.Context) iter.Seq2[*Block, error]

	// Close is idempotent, unblocks Stream, and leaves the drive as it is.
	Close() error
}

// Sampler is a module whose stripe period can be chosen between two streams.
type Sampler interface {
	// SetPeriod chooses the averaging whose period is exactly periodNs and reads
	// it back. A period that the module does not have is an error naming the
	// nearest ones.
	SetPeriod(ctx context.Context, periodNs int64) error
}

// Starter is a module that knows when it asked for the stream: the host time
// right before `rec stream` was written and right after its reply was read.
// Stripe 0 cannot have begun before the first. Valid from the first block on.
type Starter interface {
	StreamStart() (sentNs, ackedNs int64)
}

// Supply is a module whose supply of the drive can be asked for and set, beside
// SetPower. Only a run or a command that was allowed to touches it. A rail's
// voltage is the one that it has when it is on, in mV.
type Supply interface {
	Powered(ctx context.Context) (bool, error)
	OutputMode(ctx context.Context) (string, error) // "5V", "3V3", "DISABLED"; empty = the module has none
	SetOutputMode(ctx context.Context, mode string) error
	RailVoltage(ctx context.Context, rail Rail) (milliVolts int, err error)
	SetRailVoltage(ctx context.Context, rail Rail, milliVolts int) error
}
