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
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/datasheet"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/web"
)

// owner returns the powerd that serves and owns the module of a bench; nil if there is
// none, and the module is to be opened here.
func owner(cfg *config.Config, name string) (*web.Client, error) {
	if name == "" {
		return nil, nil
	}
	c, err := web.Find(cfg.State)
	if errors.Is(err, web.ErrNotServing) {
		return nil, nil
	}
	if err != nil {
		return nil, asUsage(err)
	}
	if !c.Has(name) {
		return nil, nil
	}
	return c, nil
}

// notServed refuses what opens a bench's module by itself while a powerd that serves has it.
func notServed(cfg *config.Config, name string) error {
	by, err := servedBy(cfg, name)
	if err != nil || by == "" {
		return err
	}
	return usage("%s: only runs go through it; stop it (Ctrl-C, or `systemctl stop powerd`: what it recorded is kept), and start it again afterwards", by)
}

// servedBy says to which powerd that serves a bench belongs; "" if to none.
func servedBy(cfg *config.Config, name string) (string, error) {
	c, err := owner(cfg, name)
	if err != nil || c == nil {
		return "", err
	}
	return belongs(c, name), nil
}

// belongs says who has a bench.
func belongs(c *web.Client, name string) string {
	return fmt.Sprintf("bench %s belongs to the powerd that serves at %s (pid %d)", name, c.Place().URL, c.Place().Pid)
}

// runServed has a run made by the powerd that owns the bench's module, follows it, and
// shows the same as if it were made here.
func (a *app) runServed(ctx context.Context, c *web.Client, q *bench.Request, f *runFlags) error {
	ask, err := asked(c, q, f)
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
	if err != nil {
		err = errors.Join(err, unsettled(q))
	}
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

// unsettled says of a run that is lost sight of that it may have left the drive without
// power; nil if it has not.
func unsettled(q *bench.Request) error {
	text, err := bench.Unsettled(q.Config.State, q.Bench)
	if err != nil || text == "" {
		return err
	}
	return fmt.Errorf("%s; /live of a powerd that serves, or `powerd power %s status`, tells how it is now", text, q.Bench)
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
func asked(c *web.Client, q *bench.Request, f *runFlags) (daemon.RunRequest, error) {
	at := c.Place()
	r := daemon.RunRequest{Suite: string(q.Suite.Source), Bench: q.Bench, Drive: q.Drive, Scale: f.scale}
	serving := belongs(c, q.Bench) + ", which "
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
