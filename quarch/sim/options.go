package sim

import (
	"math"
	"slices"
	"strings"

	"powerd/quarch/wire"
)

// Options describe the module. The zero value of a field means its default;
// only Now must be given.
type Options struct {
	// Format of the stream, and the family of modules with which the other defaults
	// agree; FormatHD. Packets is what PlusEncoder.Force is, with FormatHDPlus.
	Format  Format
	Packets wire.Packet

	Model       string   // reply to hello?; "HD Programmable Power Module +Triggering"
	Serial      string   // of the enclosure, what users know it by; "QTL1999-02-001"
	BoardSerial string   // of the board inside, reply to *serial?; of an HD, Serial with 1944 for the part number
	Firmware    string   // "5.016"
	Alias       string   // a user's label, a tenth line of *idn?; empty = none
	Position    int      // of the module in a six-way enclosure; 1
	Rails       []string // in stripe order, of "5v" (or "3v3") and "12v"; both
	OutputMode  string   // from a start on: "5V", "3V3" or "DISABLED", with which power up fails; Dialect.StartMode, or "5V"
	Powered     bool     // rails are on when the module is made; after a restart they are off, as those of real ones
	Averaging   string   // as in `rec:ave`; "0", which is 4 µs

	FIFOBytes         int   // 1 MiB; of the original module 65535 stripes
	FramePayloadBytes int   // largest data payload, even; 4096
	SyncFrames        int   // data frames from one sync to the next; 64
	SyncNs            int64 // and at least so often; 100 ms; negative = never by time
	QuietNs           int64 // status 3 after so long without data; 0 = never

	OffsetNs        int64   // from taking `rec stream` to the start of stripe 0, not negative
	DriftPPM        float64 // positive = the module's period is longer than it says
	ArrivalJitterNs int64   // largest extra delay of a batch, drawn evenly from [0, it)
	LagNs           int64   // how far behind real time a load is asked that is no Settler, and an end comes after a stop; 5 ms
	Seed            uint64  // of the jitter

	Dialect Dialect

	Link   string // quarch.LinkTerminal or LinkFramed for ServePTY; empty = either, by the first bytes
	NoEcho bool   // terminal link without echo

	// HalfFrameNs is for how long a client may keep the module waiting for the next byte of
	// a frame; then what came of it is dropped. 500 ms; negative = for ever, as hardware may.
	HalfFrameNs int64

	Faults []Fault // what is wrong with the module, its line or its bench
	Other  Load    // what a swapped module measures; nil = nothing hangs on its rails

	// Moved is told where a pseudo-terminal is that was pulled and came back under
	// another path; may be nil.
	Moved func(path string)

	Log func(Command) // told of every command, also from several clients at once; may be nil

	Now func() int64 // host CLOCK_MONOTONIC in ns
}

// Command is what a client asked for and was answered. Acknowledgements of frames are
// none.
type Command struct {
	AtNs        int64 // host CLOCK_MONOTONIC
	Text, Reply string
}

const (
	defaultLagNs  = 5_000_000
	defaultSyncNs = 100_000_000

	defaultHalfFrameNs = 500_000_000

	batchNs     = 3_000_000 // the producer wakes so often
	fillStripes = 128       // most stripes in one request to the load
)

func (o Options) withDefaults() Options {
	text := func(s *string, d string) {
		if *s == "" {
			*s = d
		}
	}
	if o.Format == "" {
		o.Format = FormatHD
	}
	kind := o.Format.variant()
	text(&o.Model, kind.model)
	text(&o.Serial, kind.serial)
	text(&o.BoardSerial, kind.boardOf(o.Serial))
	text(&o.Firmware, kind.firmware)
	text(&o.OutputMode, o.Dialect.StartMode)
	if slices.Contains(o.Rails, "3v3") {
		text(&o.OutputMode, "3V3")
	}
	text(&o.OutputMode, "5V")
	text(&o.Averaging, "0")
	if len(o.Rails) == 0 {
		o.Rails = []string{"5v", "12v"}
	}
	o.Rails = slices.Clone(o.Rails)
	count := func(n *int, d int) {
		if *n <= 0 {
			*n = d
		}
	}
	count(&o.Position, 1)
	o.Dialect = o.Dialect.withDefaults()
	count(&o.FIFOBytes, kind.fifoBytes)
	count(&o.FramePayloadBytes, 4096)
	count(&o.SyncFrames, 64)
	// An odd payload would be taken for a status; a long one, with its status, would not be believed.
	o.FramePayloadBytes = min(o.FramePayloadBytes+o.FramePayloadBytes%2, wire.MaxPayload-2)
	if o.SyncNs == 0 {
		o.SyncNs = defaultSyncNs
	}
	switch {
	case o.HalfFrameNs == 0:
		o.HalfFrameNs = defaultHalfFrameNs
	case o.HalfFrameNs < 0:
		o.HalfFrameNs = math.MaxInt64
	}
	if o.LagNs <= 0 {
		o.LagNs = defaultLagNs
	}
	o.OffsetNs = max(0, o.OffsetNs)
	o.NoEcho = o.NoEcho || HasFault(o.Faults, faultNoEcho)
	if o.Other == nil {
		o.Other = NewConstantLoad(nil, nil)
	}
	for _, f := range o.Faults {
		if f.Name == faultRailMissing {
			o.Rails = slices.DeleteFunc(o.Rails, func(r string) bool { return sameOutput(r, f.Rail) })
		}
	}
	return o
}

// boardOf returns the serial number of the board in an enclosure: the same
// number, under another part number where the family has one for it.
func (v variant) boardOf(enclosure string) string {
	_, number, ok := strings.Cut(enclosure, "-")
	if !ok || v.board == "" {
		return enclosure
	}
	return v.board + "-" + number
}

// partNumber returns the part of a serial number that names the product:
// "QTL1999-02" of "QTL1999-02-001".
func partNumber(serial string) string {
	if i := strings.LastIndexByte(serial, '-'); i > 0 {
		return serial[:i]
	}
	return serial
}
