package quarch

// Arrival is when a block reached the host: the raw material of alignment.
type Arrival struct {
	First    uint64 // index of the block's first stripe
	N        uint64 // stripes in it
	Lost     uint64 // stripes lost just before First
	ReadAtNs int64  // host CLOCK_MONOTONIC right after the read that completed it
}

// Knot is a fixed point of a piecewise linear map from stripe index to host
// time. Between two knots time is interpolated; once given, a knot never moves.
type Knot struct {
	Stripe uint64
	AtNs   int64 // host CLOCK_MONOTONIC of the start of Stripe
	U95Ns  int64 // half-width of the 95 % interval of AtNs
}

// Clock is one reading of the host's three clocks at the same instant, taken
// once a second. A wall step shows as a jump of UTC against Mono.
type Clock struct {
	MonoNs int64 `json:"mono_ns"` // CLOCK_MONOTONIC
	RawNs  int64 `json:"raw_ns"`  // CLOCK_MONOTONIC_RAW
	UTCNs  int64 `json:"utc_ns"`  // CLOCK_REALTIME
}

// Event is something that happened in a run and that its results rest on: a
// step mark, a power command, a stream's start. Events are kept with the samples.
type Event struct {
	MonoNs int64          `json:"mono_ns"`
	Kind   string         `json:"kind"`
	Step   string         `json:"step,omitempty"`
	Text   string         `json:"text,omitempty"`
	Data   map[string]any `json:"data,omitempty"` // numbers carry their unit in the key
}

// Kinds of events.
const (
	EventRunStart    = "run_start"
	EventRunEnd      = "run_end"
	EventRunResume   = "run_resume"  // a run that was broken off goes on; data: leg
	EventDriveState  = "drive_state" // what the drive says of itself; data: when, state
	EventStepStart   = "step_start"
	EventStepEnd     = "step_end"
	EventWindow      = "window"       // what is measured of a step begins here
	EventStreamStart = "stream_start" // data: stream, sent_mono_ns, acked_mono_ns
	EventStreamEnd   = "stream_end"
	EventPowerOn     = "power_on"  // data: sent_mono_ns, acked_mono_ns
	EventPowerOff    = "power_off" // data: sent_mono_ns, acked_mono_ns
	EventReady       = "ready"     // how the drive answered after power_on; data: tries and their times
	EventBeacon      = "beacon"    // bursts of reads by which stripes are placed; data: bursts
	EventCommand     = "command"   // a program that was run, or a purge; data: command
	EventClock       = "clock"     // data: Clock
	EventWarning     = "warning"   // text, data: code
	EventGap         = "gap"       // data: stripes, cause
)
