package cli

import (
	"context"
	"errors"

	"powerd/powerd/internal/bench"
)

// goOn goes on with a run that was broken off.
func (a *app) goOn(ctx context.Context, f runFlags) (err error) {
	switch {
	case f.twin != "":
		return usage("--resume and --twin: a drive that a run emulates ends with it; leave out --twin where `powerd sim` serves the drive")
	case f.out != "":
		return usage("--resume and --out: the run goes on in its own folder; leave out --out")
	case f.drive != "":
		return usage("--resume and --drive: the run keeps the drive file that it began with; `powerd analyze DIR --drive FILE` holds it against another afterwards")
	}
	r, err := bench.OpenBroken(f.resume)
	if err != nil {
		return coded(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if f.bench != "" && f.bench != r.Bench {
		return usage("--bench %s: the run in %s was begun on bench %q, and goes on there", f.bench, f.resume, r.Bench)
	}
	f.bench = r.Bench
	q, err := a.request(r.Suite, &f)
	if err != nil {
		return err
	}
	q.GoOn(r)
	if err := notServed(q.Config, q.Bench); err != nil {
		return err
	}
	return a.runHere(ctx, &q, &f)
}
