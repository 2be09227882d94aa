package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Engine runs jobs.
type Engine interface {
	// Probe returns the engine's version, or ErrUnavailable with what was found,
	// what is needed and how to get it.
	Probe(ctx context.Context) (version string, err error)

	// Check says before a job starts whether its target is what it seems: it
	// exists, is a block device or a regular file, and is large enough. It
	// opens nothing for writing and creates nothing.
	Check(ctx context.Context, job Job) error

	// Start starts the job and returns at once. Cancelling ctx stops it in an
	// orderly way (what was done is still reported), then by force.
	Start(ctx context.Context, job Job) (Run, error)

	// Load reads a finished job's result from what the engine left in job.Dir:
	// the same figures as Run.Wait gave, from files alone.
	Load(job Job) (*Result, error)
}

// Run is one job under way.
type Run interface {
	// Progress yields what the engine says while it runs, about once a second;
	// the channel is closed when the job has ended. It is a preview: figures come
	// from Wait.
	Progress() <-chan Progress

	// Wait waits for the end. The result may be partial beside an error; it is
	// nil only if the engine left nothing. It must be called once.
	Wait() (*Result, error)
}

// Job is what one step or cell asks of an engine.
type Job struct {
	Step        string // unique in a run: "randread-4k-qd32"; the stem of the artefacts' names
	Target      string // block device or file
	RW          string // one of RWKinds
	BlockBytes  int64
	ReadPct     int // of a mixed RW
	QueueDepth  int
	Jobs        int           // parallel jobs, each with QueueDepth outstanding
	Duration    time.Duration // measured part, after Ramp
	Ramp        time.Duration // before it; excluded by the engine itself
	IOEngine    string        // libaio, io_uring, psync; empty = the engine's choice
	RateIOPS    int           // demand in IOPS, 0 = as fast as it goes
	Pause       time.Duration // without IO, each time PauseEvery is over; 0 = it never pauses. The first load may be longer by as much
	PauseEvery  time.Duration // of load between two pauses
	OffsetBytes int64         // where the region begins on the target
	SizeBytes   int64         // region from there, 0 = all of it
	Share       Share         // region of a drive whose capacity the job does not know; On makes bytes of it
	CompressPct int           // of what is written, the share that compresses to nothing; 0 = random data
	StopBytes   int64         // of one job in one direction: it ends once so much is moved, if that is before Duration; 0 = by time alone
	JobFile     string        // an engine's own job file instead of the fields above
	Dir         string        // where the engine leaves its job file, report and logs
}

// Writes reports whether the job would change what is on its target. A job file
// is taken to write.
func (j Job) Writes() bool {
	return j.JobFile != "" || !OnlyReads(j.RW)
}

// Interval is what an engine completed in [StartNs, EndNs): counts, not rates.
type Interval struct {
	StartNs, EndNs        int64 // host CLOCK_MONOTONIC, half-open
	Reads, Writes         uint64
	ReadBytes, WriteBytes uint64
}

// Progress is a preview of a running job: what it did since the last one.
type Progress struct {
	AtNs     int64 // host CLOCK_MONOTONIC
	Interval Interval
	Elapsed  time.Duration // of the measured part
	Ramping  bool
}

// Direction is what a job did in one direction. Figures are the engine's final
// report's, exact totals, never means of rows.
type Direction struct {
	IOs, Bytes uint64
	Runtime    time.Duration // of this direction; 0 where unused
	Latency    Latency
}

// Latency is the completion latency as the engine reports it. Percentiles of a
// direction that the engine gave per job are not merged: they are absent then. What
// percentiles are made of is the histogram, where the engine left one.
type Latency struct {
	N                          uint64
	MeanUs, StdUs              float64
	MinUs, MaxUs               float64
	PercentileUs               map[string]float64 // "99", "99.9", "99.99"
	PercentilesWithheldBecause string             // why PercentileUs is empty
	Histogram                  Histogram          // of all N; nil = the engine left none
}

// Result is what a job did.
type Result struct {
	Engine, Version string
	Label           string // the workload as it ran: "randread 4k qd32"
	StartNs, EndNs  int64  // window of the IO, host CLOCK_MONOTONIC; 0, 0 if unknown
	EdgeU95Ns       int64  // 95 % half-width of either edge
	Read, Write     Direction
	Intervals       []Interval // series, in time order
	Defaulted       []string   // options that neither job nor file gave: "iodepth=1"
	Messages        []string   // what the engine printed besides its report
	Warnings        []Warning  // cross-checks that did not agree
	Interrupted     bool       // stopped before its time; totals are of what was done
}

// IOs returns completed reads + writes.
func (r *Result) IOs() uint64 { return r.Read.IOs + r.Write.IOs }

// Bytes returns bytes read + written.
func (r *Result) Bytes() uint64 { return r.Read.Bytes + r.Write.Bytes }

// Shift moves all times of the result by so many ns: to the clock of a run that goes on
// after its host was started again.
func (r *Result) Shift(ns int64) {
	if r.StartNs != 0 || r.EndNs != 0 {
		r.StartNs, r.EndNs = r.StartNs+ns, r.EndNs+ns
	}
	for i := range r.Intervals {
		r.Intervals[i] = r.Intervals[i].Shifted(ns)
	}
}

// Shifted returns the interval moved by so many ns.
func (i Interval) Shifted(ns int64) Interval {
	i.StartNs, i.EndNs = i.StartNs+ns, i.EndNs+ns
	return i
}

// Warning is something that a reader of the result should know.
type Warning struct{ Code, Text string }

// Marks of errors that a caller acts on.
var (
	// ErrUnavailable: the engine is missing, too old or unknown.
	ErrUnavailable = errors.New("IO engine unavailable")
	// ErrTarget: the job's target is not what it must be.
	ErrTarget = errors.New("unusable target")
)

// JobError is a job that failed.
type JobError struct {
	Step     string
	Why      string   // "exit code 1", "worker crashed", "ran 2.1 s of 5 s"
	Messages []string // what the engine printed
	Hint     string   // what to do
	Err      error    // cause, may be nil
}

func (e *JobError) Error() string {
	s := fmt.Sprintf("step %s: %s", e.Step, e.Why)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if len(e.Messages) > 0 {
		s += fmt.Sprintf(" (engine said: %q)", e.Messages[0])
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *JobError) Unwrap() error { return e.Err }
