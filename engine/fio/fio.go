package fio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"powerd/engine"
)

// defaultGrace is how long fio may take to write its report after SIGINT.
const defaultGrace = 10 * time.Second

// overdueMargin is how long a job may take beside its own time.
const overdueMargin = 30 * time.Second

// Options of an engine.
type Options struct {
	Path  string        // the program; empty = fio, looked up in PATH
	Now   func() int64  // host CLOCK_MONOTONIC in ns; must be set
	Log   *slog.Logger  // nil = none
	Grace time.Duration // from SIGINT to SIGKILL when a job is cancelled; 0 = 10 s
}

// Engine runs fio. It is safe for concurrent use.
type Engine struct {
	path   string
	now    func() int64
	log    *slog.Logger
	grace  time.Duration
	margin time.Duration
	asked  asked
}

// New returns an engine; nothing is started or looked for yet.
func New(o Options) *Engine {
	e := &Engine{path: o.Path, now: o.Now, log: o.Log, grace: o.Grace, margin: overdueMargin}
	if e.path == "" {
		e.path = "fio"
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.grace == 0 {
		e.grace = defaultGrace
	}
	return e
}

// Probe asks fio for its version: "3.33". A missing or too old fio is
// engine.ErrUnavailable; one newer than any that is known is taken, with a
// remark in the log.
func (e *Engine) Probe(ctx context.Context) (string, error) {
	v, err := e.version(ctx)
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

// ask runs the program for its version.
func (e *Engine) ask(ctx context.Context) (Version, error) {
	cmd := exec.CommandContext(ctx, e.path, "--version")
	cmd.Env = environment()
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil: // which killed it: nothing is known of it
		return Version{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return Version{}, fmt.Errorf("%w: %s not found, need fio 3.%d or newer; install it, e.g. apt install fio",
			engine.ErrUnavailable, e.path, minMinor)
	case err != nil:
		return Version{}, fmt.Errorf("%w: ask %s for its version: %w", engine.ErrUnavailable, e.path, err)
	}
	first, _, _ := bytes.Cut(out, []byte("\n"))
	v, err := ParseVersion(string(first))
	if err != nil {
		return Version{}, fmt.Errorf("%w: %s: %w", engine.ErrUnavailable, e.path, err)
	}
	remark, err := supported(v)
	if err != nil {
		return Version{}, err
	}
	if remark != "" {
		e.log.Warn(remark, "path", e.path)
	}
	return v, nil
}

// environment is powerd's own, with the locale that numbers are read in.
func environment() []string { return append(os.Environ(), "LC_ALL=C") }

// Start checks the job, writes its job file and starts fio. The results of an
// earlier job of the same step in the same folder are never overwritten.
func (e *Engine) Start(ctx context.Context, job engine.Job) (engine.Run, error) {
	if err := e.Check(ctx, job); err != nil {
		return nil, err
	}
	v, err := e.version(ctx)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, &engine.JobError{Step: job.Step, Why: "cancelled before it started", Err: err}
	}
	dir, err := filepath.Abs(job.Dir)
	if err != nil {
		return nil, fmt.Errorf("find folder of step %s: %w", job.Step, err)
	}
	job.Dir = dir
	names := files{job.Dir, job.Step}
	if err := unused(names); err != nil {
		return nil, err
	}
	text, err := jobFileText(job)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(names.jobFile(), []byte(text), 0o644); err != nil {
		return nil, fmt.Errorf("write job file of step %s: %w", job.Step, err)
	}
	r, err := e.launch(ctx, job, v, names)
	if err != nil {
		return nil, err // not a nil *run in an interface
	}
	return r, nil
}

// unused refuses to overwrite results.
func unused(names files) error {
	for _, path := range []string{names.output(), names.record()} {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("start step %s: %s exists; give the step another name or the run another folder", names.step, path)
		}
	}
	return nil
}

// arguments is fio's command line. Options before the job file are defaults
// that the file may override; what may not be overridden stands in the file.
func arguments(job engine.Job, v Version, names files) []string {
	args := []string{
		"--thread", "--eta=never", "--output-format=json+",
		"--output=" + filepath.Base(names.output()),
		"--status-interval=" + formatMs(statusInterval(job)),
	}
	for _, o := range logOptions(job, v) {
		args = append(args, "--"+o.name+"="+o.value)
	}
	if job.JobFile != "" && job.Target != "" {
		args = append(args, "--filename="+escapeTarget(job.Target))
	}
	return append(args, filepath.Base(names.jobFile()))
}

// logOptions are the logs that window and series are made of. Prefixes are
// relative: fio runs in the job's folder.
func logOptions(job engine.Job, v Version) []option {
	return slices.Concat([]option{
		{"write_iops_log", job.Step},
		{"write_bw_log", job.Step},
		{"write_lat_log", job.Step},
		{"log_avg_msec", fmt.Sprint(logWindow(job).Milliseconds())},
		{"per_job_logs", "1"},
	}, epochOptions(v))
}

// logWindow is the logs' window: half a second, below which fio's rows go
// missing on a busy host; shorter for short jobs, so that they have ten rows.
func logWindow(job engine.Job) time.Duration {
	if job.Duration == 0 {
		return 500 * time.Millisecond
	}
	return min(500*time.Millisecond, max(100*time.Millisecond, (job.Duration/10).Truncate(time.Millisecond)))
}

// statusInterval is the preview's: a second, more for jobs of hours, whose
// output would grow to gigabytes.
func statusInterval(job engine.Job) time.Duration {
	return max(time.Second, ((job.Ramp + job.Duration) / 3600).Truncate(time.Millisecond))
}

func formatMs(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

func formatUs(d time.Duration) string { return fmt.Sprintf("%dus", d.Microseconds()) }

// escapeTarget protects colons, which separate files in fio's option.
func escapeTarget(target string) string { return strings.ReplaceAll(target, ":", `\:`) }
