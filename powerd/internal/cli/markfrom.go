package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/daemon"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
	"powerd/powerd/internal/web"
)

// markIn makes marks for other hosts in the runs of a folder, and in no other.
func markIn(root string) web.Mark {
	return func(id string, m results.UserMark) (web.Marked, error) {
		r, err := liveIn(root, id)
		if err != nil {
			return web.Marked{}, err
		}
		lasted, err := addMark(r.Dir, m)
		out := web.Marked{Run: r.Dir}
		if m.Mark == results.MarkEnd {
			out.LastedS = lasted.Seconds()
		}
		return out, err
	}
}

// liveIn returns the run of a folder that is under way, by its id or folder's name; empty =
// the only one.
func liveIn(root, id string) (runs.Run, error) {
	if id == "" {
		r, err := runs.Current(root)
		if err != nil {
			err = fmt.Errorf("%w: %w", daemon.ErrUnknown, err)
		}
		return r, err
	}
	all, err := runs.List(root)
	if err != nil {
		return runs.Run{}, err
	}
	i := slices.IndexFunc(all, func(r runs.Run) bool { return r.ID == id || filepath.Base(r.Dir) == filepath.Base(id) })
	switch {
	case i < 0:
		return runs.Run{}, fmt.Errorf("%w: there is no run %s in %s", daemon.ErrUnknown, id, root)
	case !all[i].Live():
		return runs.Run{}, fmt.Errorf("%w: run %s is not under way (%s); only one that is can be marked", daemon.ErrRefused, id, all[i].Outcome)
	}
	return all[i], nil
}

// markFar makes a mark in a run of the host that measures.
func (a *app) markFar(ctx context.Context, f *markFlags, m results.UserMark) error {
	cfg, err := f.settings.read()
	if err != nil {
		return err
	}
	marked, from, err := web.Dial(f.server, cfg.Serve.Token).Mark(ctx, f.run, m, clock.Read)
	var refused *web.StatusError
	switch {
	case errors.Is(err, results.ErrMark):
		return asUsage(err)
	case errors.As(err, &refused):
		return usage("powerd at %s: %w", f.server, err)
	case err != nil:
		return fmt.Errorf("mark %s: %w", m.Name, err)
	}
	known := fmt.Sprintf("its clock is %s from this one's, by %d round trips of %.3f ms at least", &from, from.RoundTrips, from.LeastRoundTripS*1e3)
	if m.Mark == results.MarkStart {
		_, err = fmt.Fprintf(a.out, "%s: started in %s of %s; %s\n", m.Name, marked.Run, f.server, known)
		return err
	}
	lasted := time.Duration(marked.LastedS * 1e9).Round(time.Millisecond)
	_, err = fmt.Fprintf(a.out, "%s: ended after %v in %s of %s; %s\n", m.Name, lasted, marked.Run, f.server, known)
	return err
}
