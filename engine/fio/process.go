package fio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"powerd/engine"
)

// maxPrinted bounds what is kept of what fio prints beside its output.
const maxPrinted = 256 << 10

// launch starts fio and the goroutines that Wait waits for.
func (e *Engine) launch(ctx context.Context, job engine.Job, v Version, names files) (*run, error) {
	cmd := exec.Command(e.path, arguments(job, v, names)...)
	cmd.Dir = job.Dir
	cmd.Env = environment()
	printed := &capped{}
	cmd.Stdout, cmd.Stderr = printed, printed
	cmd.WaitDelay = e.grace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

	p := &process{
		cmd: cmd, now: e.now, grace: e.grace, limit: e.limit(job), printed: printed, path: names.record(),
		rec:  record{Schema: recordSchema, Step: job.Step, Version: "fio-" + v.String(), Argv: cmd.Args},
		done: make(chan struct{}),
	}
	started := make(chan error, 1)
	go p.supervise(ctx, started)
	if err := <-started; err != nil {
		return nil, err
	}
	r := &run{job: job, proc: p, progress: make(chan engine.Progress, 1), tailed: make(chan struct{})}
	go r.tail(e.now, names.output(), p.rec.SpawnMonoNs)
	return r, nil
}

// process is a fio under way.
type process struct {
	cmd     *exec.Cmd
	now     func() int64
	grace   time.Duration
	limit   time.Duration // from its start to its end; 0 = none
	printed *capped
	path    string // of the record
	rec     record // supervise's until done is closed; SpawnMonoNs is fixed before
	err     error  // of writing the record
	done    chan struct{}
}

// supervise starts fio, stops it when ctx ends, and writes the record. The
// death signal goes out when the thread that started fio ends, so the goroutine
// stays on its thread until fio is gone.
func (p *process) supervise(ctx context.Context, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)

	p.rec.SpawnMonoNs, p.rec.SpawnUnixNs = p.now(), time.Now().UnixNano()
	if err := p.cmd.Start(); err != nil {
		started <- &engine.JobError{Step: p.rec.Step, Why: "fio could not be started", Err: err}
		return
	}
	p.rec.PID = p.cmd.Process.Pid
	p.err = p.rec.write(p.path)
	started <- nil

	waited := make(chan error, 1)
	go func() { waited <- p.cmd.Wait() }()
	p.finish(p.stopOnCancel(ctx, waited))
}

// limit is how long a job may take: its own time, a tenth more, and what starting,
// opening and reporting cost. A user's job file may ask for any time; the step has
// said how long it is. 0 if the job says no time.
func (e *Engine) limit(job engine.Job) time.Duration {
	if job.Duration == 0 {
		return 0
	}
	own := job.Ramp + job.Duration
	return own + own/10 + e.margin
}

// stopOnCancel waits for the end; a job that is cancelled or overdue gets SIGINT,
// after which fio writes its report, and SIGKILL when the grace has passed.
func (p *process) stopOnCancel(ctx context.Context, waited <-chan error) error {
	var overdue <-chan time.Time
	if p.limit > 0 {
		limit := time.NewTimer(p.limit)
		defer limit.Stop()
		overdue = limit.C
	}
	select {
	case err := <-waited:
		return err
	case <-ctx.Done():
	case <-overdue:
		p.rec.Overdue = true
	}
	p.rec.Cancelled = true
	p.signal(syscall.SIGINT)
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	select {
	case err := <-waited:
		return err
	case <-timer.C:
	}
	p.rec.Killed = true
	p.signal(syscall.SIGKILL)
	return <-waited
}

// signal goes to the whole group. That the group is gone already is no fault.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.rec.PID, s) }

// finish completes the record.
func (p *process) finish(waitErr error) {
	p.rec.ExitMonoNs, p.rec.ExitUnixNs = p.now(), time.Now().UnixNano()
	p.rec.Ended = true
	p.rec.ExitCode = p.cmd.ProcessState.ExitCode()
	if p.cmd.ProcessState != nil {
		if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			p.rec.Signal = ws.Signal().String()
		}
	}
	p.rec.Printed = p.printed.lines()
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		p.rec.Printed = append(p.rec.Printed, fmt.Sprintf("powerd: wait for fio: %v", waitErr))
	}
	p.err = errors.Join(p.err, p.rec.write(p.path))
}

// capped keeps the beginning of what is written to it.
type capped struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf.Write(p[:min(len(p), maxPrinted-c.buf.Len())])
	return len(p), nil
}

// lines returns the lines that are not blank.
func (c *capped) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for l := range strings.Lines(c.buf.String()) {
		if t := textOf([]byte(l)); t != "" {
			out = append(out, t)
		}
	}
	return out
}
