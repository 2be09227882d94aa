package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"powerd/engine"
)

// Clock is virtual CLOCK_MONOTONIC in ns. It stands still unless advanced.
type Clock struct{ ns atomic.Int64 }

// NewClock returns a clock that stands at startNs.
func NewClock(startNs int64) *Clock {
	c := &Clock{}
	c.ns.Store(startNs)
	return c
}

// Now returns the time; it fits where a now func() int64 is asked for.
func (c *Clock) Now() int64 { return c.ns.Load() }

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.ns.Add(int64(d)) }

// Outcome is what the script says about one job.
type Outcome struct {
	// Rate is the IOs per second in each direction while the job runs. It makes
	// totals, intervals and progress of one second each.
	ReadIOPS, WriteIOPS float64
	// Hold keeps the job running until its context ends.
	Hold bool
	// StartErr is returned by Start.
	StartErr error
	// Err is returned by Wait and Load beside the result.
	Err error
	// Edit changes the result made of the rates, before it is stored.
	Edit func(*engine.Result)
}

// Fake is an engine made of script. Jobs end at once: the clock moves on by ramp
// and duration. It is safe for concurrent use, but concurrent jobs share a clock.
type Fake struct {
	Clock  *Clock                       // must be set
	Script func(job engine.Job) Outcome // nil: 1000 IOPS in the job's direction
	Absent error                        // returned by Probe, where set

	mu   sync.Mutex
	jobs []engine.Job
	errs map[string]error
}

const (
	fakeVersion = "1.0"
	fakeEdgeNs  = int64(2 * time.Millisecond)
)

// Jobs returns the jobs that were started, in order.
func (f *Fake) Jobs() []engine.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]engine.Job(nil), f.jobs...)
}

// Probe returns a version, or Absent.
func (f *Fake) Probe(context.Context) (string, error) {
	if f.Absent != nil {
		return "", f.Absent
	}
	return fakeVersion, nil
}

// Check looks at the target as a real engine does.
func (f *Fake) Check(ctx context.Context, job engine.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	st, err := os.Stat(job.Target)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", engine.ErrTarget, err)
	case st.IsDir():
		return fmt.Errorf("%w: %s is a directory", engine.ErrTarget, job.Target)
	case st.Mode().IsRegular() && st.Size() < job.SizeBytes:
		return fmt.Errorf("%w: %s has %d bytes, the job needs %d", engine.ErrTarget, job.Target, st.Size(), job.SizeBytes)
	}
	return nil
}

// Start runs the script.
func (f *Fake) Start(ctx context.Context, job engine.Job) (engine.Run, error) {
	if err := f.Check(ctx, job); err != nil {
		return nil, err
	}
	out := Outcome{ReadIOPS: 1000}
	if job.Writes() {
		out = Outcome{WriteIOPS: 1000}
	}
	if f.Script != nil {
		out = f.Script(job)
	}
	if out.StartErr != nil {
		return nil, out.StartErr
	}
	f.mu.Lock()
	f.jobs = append(f.jobs, job)
	f.mu.Unlock()
	r := &fakeRun{fake: f, job: job, out: out, progress: make(chan engine.Progress, 1), done: make(chan struct{})}
	go r.play(ctx)
	return r, nil
}

// Load returns the stored result.
func (f *Fake) Load(job engine.Job) (*engine.Result, error) {
	data, err := os.ReadFile(f.path(job))
	if err != nil {
		return nil, &engine.JobError{Step: job.Step, Why: "it left no result", Err: err}
	}
	res := &engine.Result{}
	if err := json.Unmarshal(data, res); err != nil {
		return nil, &engine.JobError{Step: job.Step, Why: "its result can't be read", Err: err}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return res, f.errs[f.path(job)]
}

func (f *Fake) path(job engine.Job) string { return filepath.Join(job.Dir, job.Step+".fake.json") }

func (f *Fake) store(job engine.Job, res *engine.Result, outcome error) error {
	data, err := json.Marshal(res)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.errs == nil {
		f.errs = map[string]error{}
	}
	f.errs[f.path(job)] = outcome
	return os.WriteFile(f.path(job), data, 0o644)
}

// fakeRun is a job of a Fake.
type fakeRun struct {
	fake     *Fake
	job      engine.Job
	out      Outcome
	progress chan engine.Progress
	done     chan struct{}
	err      error
}

// play runs the job's seconds in virtual time.
func (r *fakeRun) play(ctx context.Context) {
	defer close(r.done)
	defer close(r.progress)
	clock := r.fake.Clock
	clock.Advance(r.job.Ramp)
	startNs := clock.Now()
	res := &engine.Result{
		Engine: "fake", Version: fakeVersion, Label: r.job.Step,
		StartNs: startNs, EdgeU95Ns: fakeEdgeNs,
	}
	for left := r.job.Duration; left > 0; {
		step := min(left, time.Second)
		left -= step
		clock.Advance(step)
		r.add(res, step)
		if r.out.Hold {
			break
		}
	}
	if r.out.Hold {
		<-ctx.Done()
		res.Interrupted = true
		r.err = &engine.JobError{Step: r.job.Step, Why: "interrupted", Err: context.Canceled}
	}
	res.EndNs = clock.Now()
	r.err = errors.Join(r.out.Err, r.err)
	if r.out.Edit != nil {
		r.out.Edit(res)
	}
	if err := r.fake.store(r.job, res, r.err); err != nil {
		r.err = errors.Join(r.err, err)
	}
}

// add does the IO of d and logs it in tenths; progress is dropped when nobody
// listens.
func (r *fakeRun) add(res *engine.Result, d time.Duration) {
	now := r.fake.Clock.Now()
	iv := engine.Interval{
		StartNs: now - int64(d), EndNs: now,
		Reads: uint64(r.out.ReadIOPS * d.Seconds()), Writes: uint64(r.out.WriteIOPS * d.Seconds()),
	}
	iv.ReadBytes, iv.WriteBytes = iv.Reads*uint64(r.job.BlockBytes), iv.Writes*uint64(r.job.BlockBytes)
	res.Intervals = append(res.Intervals, tenths(iv)...)
	count(&res.Read, iv.Reads, iv.ReadBytes, d)
	count(&res.Write, iv.Writes, iv.WriteBytes, d)
	select {
	case r.progress <- engine.Progress{AtNs: now, Interval: iv, Elapsed: time.Duration(now - res.StartNs)}:
	default:
	}
}

// tenths cuts an interval, its counts spread evenly, into ten that add up to it.
func tenths(iv engine.Interval) []engine.Interval {
	const n = 10
	ns := iv.EndNs - iv.StartNs
	out := make([]engine.Interval, n)
	for i := range out {
		k := uint64(i)
		share := func(x uint64) uint64 { return x*(k+1)/n - x*k/n }
		out[i] = engine.Interval{
			StartNs: iv.StartNs + ns*int64(i)/n, EndNs: iv.StartNs + ns*int64(i+1)/n,
			Reads: share(iv.Reads), Writes: share(iv.Writes),
			ReadBytes: share(iv.ReadBytes), WriteBytes: share(iv.WriteBytes),
		}
	}
	return out
}

func count(dir *engine.Direction, ios, bytes uint64, d time.Duration) {
	if ios == 0 {
		return
	}
	dir.IOs += ios
	dir.Bytes += bytes
	dir.Runtime += d
}

// Progress yields previews of one second each.
func (r *fakeRun) Progress() <-chan engine.Progress { return r.progress }

// Wait returns what the script says.
func (r *fakeRun) Wait() (*engine.Result, error) {
	<-r.done
	res, err := r.fake.Load(r.job)
	if res == nil {
		return nil, err
	}
	return res, r.err
}
