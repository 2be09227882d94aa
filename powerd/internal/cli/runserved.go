package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"powerd/powerd/internal/bench"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/web"
)

// owner returns the powerd that serves and owns the module of the bench that is asked for;
// nil if there is none, and the module is to be opened here.
func owner(q *bench.Request) (*web.Client, error) {
	if q.Bench == "" {
		return nil, nil
	}
	c, err := web.Find(q.Config.State)
	if errors.Is(err, web.ErrNotServing) {
		return nil, nil
	}
	if err != nil {
		return nil, asUsage(err)
	}
	if !c.Has(q.Bench) {
		return nil, nil
	}
	return c, nil
}

// runServed has a run made by the powerd that owns the bench's module, follows it, and
// shows the same as if it were made here.
func (a *app) runServed(ctx context.Context, c *web.Client, q *bench.Request, f *runFlags) error {
	ask, err := asked(c.Place(), q, f)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "powerd: bench %s belongs to the powerd that serves at %s, which makes the run\n", q.Bench, c.Place().URL)
	job, err := c.Submit(ctx, ask)
	if err != nil {
		return submitted(err)
	}
	p := newProgress(a.err)
	last, err := c.Follow(ctx, job.ID, a.follower(q, p))
	p.end()
	if last.Dir == "" || !last.Over() {
		return errors.Join(err, ended(&last))
	}
	d, unread := results.Reopen(last.Dir, catalog.Fio(catalog.FioOptions{Now: clock.Mono}))
	if unread != nil {
		return errors.Join(ended(&last), fmt.Errorf("show the run's results: %w", unread))
	}
	err = errors.Join(ended(&last), a.brief(last.Dir, publish.Describe(d)))
	if err == nil && f.failOnLimit {
		return brokenLimits(d)
	}
	return err
}

// follower shows what a run says of itself; each thing once.
func (a *app) follower(q *bench.Request, p *progress) func(daemon.Job) {
	begun, shown := false, ""
	return func(j daemon.Job) {
		if j.Dir != "" && !begun {
			begun = true
			a.announce(q.Suite, bench.Begun{Dir: j.Dir, Module: q.Config.Benches[q.Bench].Module.Serial, Plan: q.Plan})
		}
		if j.Status != nil && !j.Over() && j.Status.UpdatedUTC != shown {
			shown = j.Status.UpdatedUTC
			p.show(*j.Status)
		}
	}
}

// asked is what the other powerd is asked for. It keeps to its own settings, and takes no
// paths: what would differ from a run made here is refused.
func asked(at web.Place, q *bench.Request, f *runFlags) (daemon.RunRequest, error) {
	r := daemon.RunRequest{Suite: string(q.Suite.Source), Bench: q.Bench, Drive: q.Drive}
	serving := fmt.Sprintf("bench %s belongs to the powerd that serves at %s (pid %d), which ", q.Bench, at.URL, at.Pid)
	if given := f.settings.given("link", "baud", "fio", "db", "influx"); given != "" {
		return r, usage("%s: %skeeps to its own settings; leave it out, or stop that powerd", given, serving)
	}
	if q.Drive != "" && !slices.Contains(datasheet.Names(), q.Drive) {
		return r, usage("--drive: %stakes drive files by name only: %s; leave it out, and hold the run against %s afterwards with `powerd analyze DIR --drive %s`",
			serving, strings.Join(datasheet.Names(), ", "), q.Drive, q.Drive)
	}
	if q.Out == "" {
		return r, nil
	}
	out, err := filepath.Abs(q.Out)
	if err != nil {
		return r, asUsage(err)
	}
	if filepath.Dir(out) != at.Runs {
		return r, usage("--out: %skeeps runs in %s; name a folder there, or leave it out", serving, at.Runs)
	}
	r.Out = filepath.Base(out)
	return r, nil
}

// submitted gives a request that was not taken its exit code.
func submitted(err error) error {
	var refused *web.StatusError
	if errors.As(err, &refused) && refused.Status != http.StatusInternalServerError {
		return asUsage(err)
	}
	return err
}

// ended gives a run's end its exit code.
func ended(j *daemon.Job) error {
	if j.Outcome == results.Completed {
		return nil
	}
	err := errors.New(j.Error)
	switch {
	case !j.Over(): // what happened is told already
		return nil
	case j.Outcome == daemon.Refused:
		return asUsage(err)
	case j.Outcome == results.Interrupted:
		return &codeError{exitInterrupted, err}
	}
	return &codeError{exitFailed, err}
}
