package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/quarch"
)

// RunRequest asks for a run on a bench.
type RunRequest struct {
	Suite string   `json:"suite" doc:"name of a built-in suite, or the text of a suite file" minLength:"1" maxLength:"262144"`
	Bench string   `json:"bench" doc:"bench of the settings" minLength:"1" maxLength:"200"`
	Out   string   `json:"out,omitempty" doc:"name of the run's folder in the folder of runs" maxLength:"200"`
	Drive string   `json:"drive,omitempty" doc:"built-in drive file to hold the drive against; default the bench's" maxLength:"200"`
	Scale string   `json:"scale,omitempty" doc:"shorten all times for a trial: 1m=2s lets a minute take two seconds" maxLength:"50"`
	Allow []string `json:"allow,omitempty" doc:"if given, what this run may do of that to which the bench consents: write, power, purge, command" maxItems:"8"`
}

// Prepared is a run that was checked as far as it can be without the module.
type Prepared struct {
	Suite string // its name
	// Run measures with a module that is lent: it must not close it. It returns an outcome
	// of package results, or Refused.
	Run func(ctx context.Context, m quarch.Module, tell Tell) (outcome string, err error)
}

// Tell is told how a run goes on.
type Tell struct {
	Begun  func(dir string)
	Status func(measure.Status)
}

// Outcomes of a run beside those of package results.
const (
	Checking = "checking" // module, drive and pairing, before anything is measured
	Refused  = "refused"  // nothing was measured; Error says what to mend
)

// Job is a run that was asked for.
type Job struct {
	ID      string    `json:"id"`
	Bench   string    `json:"bench"`
	Suite   string    `json:"suite"`
	Outcome string    `json:"outcome" enum:"checking,running,completed,interrupted,failed,refused"`
	Dir     string    `json:"dir,omitempty" doc:"folder of the run, once it has begun"`
	Error   string    `json:"error,omitempty"`
	Asked   time.Time `json:"asked_utc"`
	Ended   time.Time `json:"ended_utc,omitzero"`

	Status *measure.Status `json:"status,omitempty" doc:"what the run last said of itself"`
}

// Over reports whether it has ended.
func (j *Job) Over() bool { return !j.Ended.IsZero() }

// Errors of Submit and Cancel.
var (
	ErrUnknown  = errors.New("not known")
	ErrTaken    = errors.New("the bench is taken")
	ErrNotReady = errors.New("the bench has no module now")
	ErrRefused  = errors.New("refused")
)

// job is a Job under way.
type job struct {
	id     string // of it; does not change
	run    func(context.Context, quarch.Module, Tell) (string, error)
	cancel context.CancelFunc // nil until it has the module

	mu       sync.Mutex
	public   Job
	canceled bool
}

// mostJobs are remembered; the oldest that are over go first.
const mostJobs = 100

// jobs remembers what was asked for.
type jobs struct {
	mu  sync.Mutex
	all []*job
}

// Submit has a run made on a bench, and returns at once.
func (d *Daemon) Submit(q RunRequest) (Job, error) {
	w := d.worker(q.Bench)
	if w == nil {
		return Job{}, fmt.Errorf("bench %q: %w", q.Bench, ErrUnknown)
	}
	if d.o.Prepare == nil {
		return Job{}, fmt.Errorf("%w: this powerd makes no runs", ErrRefused)
	}
	p, err := d.o.Prepare(q)
	if err != nil {
		return Job{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	asked := time.Unix(0, d.o.Clock().UTCNs).UTC()
	j := &job{id: q.Bench + "-" + asked.Format("20060102T150405.000000Z"), run: p.Run}
	j.public = Job{ID: j.id, Bench: q.Bench, Suite: p.Suite, Outcome: Checking, Asked: asked}
	if err := w.borrow(j); err != nil {
		return Job{}, err
	}
	d.jobs.keep(j)
	return j.get(), nil
}

func (s *jobs) keep(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, j)
	if i := slices.IndexFunc(s.all, func(j *job) bool { p := j.get(); return p.Over() }); len(s.all) > mostJobs && i >= 0 {
		s.all = slices.Delete(s.all, i, i+1)
	}
}

// Jobs returns what was asked for since the daemon began, newest first.
func (d *Daemon) Jobs() []Job {
	d.jobs.mu.Lock()
	defer d.jobs.mu.Unlock()
	out := make([]Job, 0, len(d.jobs.all))
	for _, j := range slices.Backward(d.jobs.all) {
		out = append(out, j.get())
	}
	return out
}

// Job returns one run by its id.
func (d *Daemon) Job(id string) (Job, error) {
	j := d.jobs.find(id)
	if j == nil {
		return Job{}, fmt.Errorf("run %q: %w", id, ErrUnknown)
	}
	return j.get(), nil
}

// Cancel interrupts a run, which ends in an orderly way.
func (d *Daemon) Cancel(id string) (Job, error) {
	j := d.jobs.find(id)
	if j == nil {
		return Job{}, fmt.Errorf("run %q: %w", id, ErrUnknown)
	}
	j.mu.Lock()
	j.canceled = true
	cancel := j.cancel
	j.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return j.get(), nil
}

func (s *jobs) find(id string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.all {
		if j.id == id {
			return j
		}
	}
	return nil
}

func (j *job) get() Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.public
}

func (j *job) change(f func(*Job)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.public)
}

// borrow asks for the bench's module.
func (w *worker) borrow(j *job) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.job != nil:
		return fmt.Errorf("bench %s: %w by run %s; wait for its end, or interrupt it (Ctrl-C where it was begun, or DELETE /api/v1/runs/%s)", w.bench.Name, ErrTaken, w.job.id, w.job.id)
	case !w.has:
		return fmt.Errorf("bench %s: %w: %s", w.bench.Name, ErrNotReady, w.why)
	}
	w.job = j
	if w.interrupt != nil { // else it is, as soon as there is a stream
		w.interrupt()
	}
	return nil
}

// borrower returns the run that is to get the module, nil if none is.
func (w *worker) borrower() *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.job
}

// shut has nobody ask for the module any more, and returns the run that still has.
func (w *worker) shut() *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.has = false
	return w.job
}

// notLent tells a run that it does not get the module after all.
func (w *worker) notLent(j *job) {
	if j == nil {
		return
	}
	w.over(j, Refused, fmt.Errorf("bench %s: the module was lost before the run began", w.bench.Name))
}

// lend lets a run measure with the module, and returns when it is over.
func (w *worker) lend(ctx context.Context, m quarch.Module, j *job) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	j.mu.Lock()
	j.cancel = cancel
	if j.canceled {
		cancel()
	}
	j.mu.Unlock()
	w.mu.Lock()
	w.state, w.why = Lent, ""
	w.begin(CauseRun, "the module was lent to run "+j.id)
	w.mu.Unlock()
	w.log.Info("module lent to a run", "run", j.id)
	outcome, err := j.run(running, m, Tell{
		Begun:  func(dir string) { j.change(func(p *Job) { p.Outcome, p.Dir = "running", dir }) },
		Status: func(s measure.Status) { j.change(func(p *Job) { p.Status = &s }) },
	})
	w.log.Info("run over", "run", j.id, "outcome", outcome)
	w.over(j, outcome, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state, w.why = Waiting, "the run is over"
}

// over says how a run ended, and frees the bench.
func (w *worker) over(j *job, outcome string, err error) {
	at := time.Unix(0, w.o.Clock().UTCNs).UTC()
	j.change(func(p *Job) {
		p.Outcome, p.Ended = outcome, at
		if err != nil {
			p.Error = err.Error()
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.job = nil
}
