package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"syscall"

	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/publish"
	"powerd/powerd/internal/report"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// Request says what is to be measured, on what, and who is told of it.
type Request struct {
	Config  *config.Config
	Bench   string // of the settings; "" = their module and target, for reading only
	Twin    *Twin  // in place of a real bench
	Suite   *suite.Suite
	Scale   suite.Scale // of time, that Plan is made with
	Plan    suite.Plan
	Out     string // folder of the run; "" = one in Config.Out
	Drive   string // drive file; "" = the bench's
	Version string // of powerd

	Module quarch.Module // lent; nil = the bench's is opened

	pairing bool // nothing but the pairing is asked for

	goesOn *Broken // the run that is gone on with; nil = one begins

	Log   *slog.Logger
	Begin func(Begun)          // told once everything is checked; may be nil
	Show  func(measure.Status) // told once a second; may be nil
	// Ask asks a person to type want, and reports whether they did; nil = nobody is there.
	Ask func(ctx context.Context, why, want string) (bool, error)
}

// Begun is a run that begins. Its plan may be longer than was asked for: a drive is off
// as long as its bench wants.
type Begun struct {
	Dir, Module string
	Plan        suite.Plan // as far as it is to be done
	Again       []results.Repeated
}

// Outcome is what a run left. Its fields are empty as far as nothing came of it.
type Outcome struct {
	Dir      string
	Document *results.Document
	Report   *report.Doc
}

// Run measures. Beside an error stands what was measured all the same; it wraps
// ctx's cause if the run was interrupted.
func Run(ctx context.Context, q Request) (out Outcome, err error) {
	if err := q.goesOn.decide(&q); err != nil {
		return out, err
	}
	b, err := open(ctx, &q)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := b.sameRun(&q); err != nil {
		return out, err
	}
	evidence, err := b.pairing(ctx, &q)
	if err != nil {
		return out, b.named(err)
	}
	meta := b.meta(q.Suite, q.Version)
	meta.Suite.Trial, meta.Suite.Scale = q.Plan.Trial(), q.Scale.Factor()
	meta.Bench.Pairing = evidence
	if err := b.remembered(&meta); err != nil {
		return out, err
	}
	spec, hold, err := b.specify(&q, meta)
	if err != nil {
		return out, err
	}
	defer hold.Close()
	out.Dir = spec.Dir
	if q.Begin != nil {
		q.Begin(Begun{Dir: spec.Dir, Module: b.info.Serial, Plan: q.ahead(), Again: q.goesOn.again()})
	}
	err = b.named(b.measure(ctx, &q, spec, &out))
	if r := (*RefusalError)(nil); errors.As(err, &r) {
		discard(spec.Dir)
	}
	return out, err
}

// prepare makes the run's folder, and holds it for this process alone.
func (b *bench) prepare(q *Request, meta results.Meta) (spec measure.Spec, hold io.Closer, err error) {
	dir := q.Out
	if dir == "" {
		dir = filepath.Join(q.Config.Out, meta.Run.ID)
	}
	if hold, err = claim(dir); err != nil {
		return spec, nil, err
	}
	files := map[string]string{suiteFile: string(q.Suite.Source), configFile: q.Config.Show()}
	if b.drive != nil {
		files[results.DriveFile] = string(b.drive.Source)
	}
	if err := fill(dir, files); err != nil {
		return spec, nil, errors.Join(refusal(err), hold.Close())
	}
	return measure.Spec{Dir: dir, Meta: meta, Plan: q.Plan, Target: b.target.Path}, hold, nil
}

// measure runs the plan, and publishes what came of it however it ended.
func (b *bench) measure(ctx context.Context, q *Request, spec measure.Spec, out *Outcome) error {
	stores, err := catalog.OpenStores(ctx, storeOptions(q))
	if err != nil {
		return refusal(err)
	}
	after := context.WithoutCancel(ctx)
	session, err := b.supply(ctx, q.ahead(), spec.Meta.Run.ID)
	if err != nil {
		_, closing := stores.Close(after)
		return errors.Join(err, closing)
	}
	parts := measure.Parts{
		Module: b.module, Engine: b.engine, Answer: b.answer(), Follow: b.follower(), Beacons: b.beacons(q.Config, spec.Plan), Store: stores, Now: b.clock.Mono, Clock: b.clock.Read, Log: q.Log, Show: q.Show,
		Reopen: b.reopener(session), Health: b.health(),
		Report: func(d *results.Document) error { return publish.Describe(d).Write(spec.Dir) },
	}
	if c := b.commands(spec.Plan); c != nil {
		parts.Commands = c
	}
	if session != nil { // not a Power that holds none
		parts.Power = session
	}
	doc, err := measure.Run(ctx, parts, spec)
	errs := []error{err}
	if out.Document = doc; doc != nil {
		b.rememberRate(&spec.Meta, doc)
		errs = append(errs, b.truth(after, spec.Dir, spec.Plan, doc))
		out.Report, err = publish.Write(spec.Dir, doc)
		errs = append(errs, err)
	}
	if errors.Join(errs...) == nil && doc != nil {
		errs = append(errs, incomplete(doc))
	}
	rep, err := stores.Close(after)
	errs = append(errs, err, rep.Err())
	err = errors.Join(errs...)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		errs[0] = fmt.Errorf("%w; what was measured is in %s%s", ErrInterrupted, spec.Dir, b.howOn(spec.Dir))
		return errors.Join(errs...)
	case errors.Is(err, syscall.ENOSPC) && !errors.Is(err, benchbook.ErrNotWritten): // that is another folder
		return errors.Join(err, fmt.Errorf("make room, or name a folder on another disk with --out; `powerd analyze %s` reads what was written", spec.Dir))
	}
	return err
}

// incomplete is the error of a run with steps that came to nothing.
func incomplete(d *results.Document) error {
	steps := d.Nothing()
	if len(steps) == 0 {
		return nil
	}
	return fmt.Errorf("nothing could be measured in %s; the report says why", strings.Join(steps, ", "))
}

func storeOptions(q *Request) catalog.StoreOptions {
	c := q.Config
	return catalog.StoreOptions{
		Path: c.Store.Path, URL: c.Influx.URL, Token: c.Influx.Token, Org: c.Influx.Org, Bucket: c.Influx.Bucket,
		Timeout: c.Influx.Timeout, Batch: c.Influx.Batch, RetryMax: c.Influx.RetryMax, Log: q.Log,
	}
}

// ErrInterrupted marks the end of a run that was asked to stop.
var ErrInterrupted = errors.New("interrupted")
