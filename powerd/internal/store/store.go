package store

import (
	"context"
	"errors"

	"powerd/analysis"
)

// Marks of errors that a caller acts on.
var (
	// ErrNotBegun: there is no run: Begin was not called, or End was.
	ErrNotBegun = errors.New("no run has begun")
	// ErrBegun: the run before has not ended.
	ErrBegun = errors.New("a run is under way")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store closed")
	// ErrUnsent: points have not reached their database.
	ErrUnsent = errors.New("points not stored")
)

// Store takes what runs leave, one run at a time. Its methods may be called from
// several goroutines.
//
// What a method was given is safe on disk when it returns without an error, but
// for Live, which may hold it back for up to a second. A cancelled ctx refuses a
// call before anything is written; Close always keeps what was handed over.
type Store interface {
	// Begin starts a run. One that the store knows already (same ID) is taken
	// up again: what is handed over now replaces its like, the rest stays.
	Begin(ctx context.Context, run Run) error

	// Step says how a step stands; a later call for the same step replaces it.
	Step(ctx context.Context, step StepRow) error

	// Live takes 100 ms summaries, as they come.
	Live(ctx context.Context, rails []Rail100ms, engines []Engine100ms) error

	// Results takes all results so far: the document and the tables. It is
	// called after every step; the last call counts.
	Results(ctx context.Context, resultsJSON []byte, tables []*analysis.Table) error

	// End ends the run. endNs is host CLOCK_MONOTONIC.
	End(ctx context.Context, outcome string, endNs int64) error

	// Close writes what was held back, waits for a server no longer than ctx and
	// the store's own limit allow, and says what became of the points. A second
	// call gives the same report.
	Close(ctx context.Context) (Report, error)
}

// Trimmer is a store that can forget live summaries.
type Trimmer interface {
	// TrimLive forgets the summaries of runs of a suite that ended before a time (UTC,
	// ns). Their results stay.
	TrimLive(ctx context.Context, suite string, beforeUTCNs int64) error
}

// Waiter is a store that sends to a server.
type Waiter interface {
	// Waiting says how many points the server has not taken yet.
	Waiting(ctx context.Context) (points int64, err error)
}

// Outcomes of a run.
const (
	Running     = "running"
	Completed   = "completed"
	Interrupted = "interrupted"
	Failed      = "failed"
)

// Run says which run it is. Its words become tags; an empty one is left out.
type Run struct {
	ID            string // unique for ever
	Suite         string
	Bench         string
	Drive         string // model
	DriveSerial   string
	Firmware      string // of the drive
	Module        string // serial number of the power module
	Simulated     bool   // an emulated drive
	StartedUTCNs  int64  // ns since 1970; read together with
	StartedMonoNs int64  // host CLOCK_MONOTONIC
}

// UTCNs returns the UTC of a host CLOCK_MONOTONIC time, both in ns.
func (r Run) UTCNs(monoNs int64) int64 { return r.StartedUTCNs + (monoNs - r.StartedMonoNs) }

// StepRow is one step of a run.
type StepRow struct {
	Name           string // unique in the run
	Kind           string // power_cycle, idle, load, matrix
	StartNs, EndNs int64  // host CLOCK_MONOTONIC; EndNs is 0 while it runs
	Outcome        string
	Why            string // why it failed
}

// Rail100ms summarises one rail over 100 ms.
type Rail100ms struct {
	EndNs   int64 // end of the interval, host CLOCK_MONOTONIC
	Rail    string
	Step    string // empty between two steps
	N       int64  // stripes with a value
	Lost    int64  // stripes without one
	V, A, W Stats  // volts, amperes, watts
}

// Stats summarises one quantity; a member that is NaN is unknown.
type Stats struct{ Min, Mean, Max, Std float64 }

// Engine100ms is what the IO engine completed over about 100 ms.
type Engine100ms struct {
	EndNs                 int64 // end of the interval, host CLOCK_MONOTONIC
	DurationNs            int64 // its length
	Step                  string
	Reads, Writes         int64 // IOs
	ReadBytes, WriteBytes int64
}
