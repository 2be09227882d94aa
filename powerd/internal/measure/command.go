package measure

import (
	"context"
	"fmt"
	"slices"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// Commands does to the drive what a step asks for other than IO: it runs a program, or
// erases the drive. What it printed is left in dir. It says what was done, also beside an
// error.
type Commands interface {
	Do(ctx context.Context, dir string, st suite.Step) (results.Command, error)
}

// command does a command or a purge, and keeps what came of it.
func (r *run) command(ctx context.Context, st suite.Step) error {
	if st.Undo != nil { // before it is known whether it succeeds: it may have done half
		r.undo = st.Undo
	}
	done, err := r.Commands.Do(ctx, r.Dir, st)
	if err != nil {
		done.Why = err.Error()
	}
	if err == nil && r.undo != nil && st.Name == r.undo.Name {
		r.undo = nil
	}
	return distinct(err, r.capture.Event(results.CommandEvent(r.Now(), done)))
}

// undone puts back the setting that a run has made and did not come to put back itself.
func (r *run) undone(ctx context.Context) error {
	if r.undo == nil {
		return nil
	}
	st := *r.undo
	if err := r.command(context.WithoutCancel(ctx), st); err != nil {
		return fmt.Errorf("the drive is left with another setting than %s: %w", st.Setting, err)
	}
	r.warn(st.Name, "setting_restored", "the run ended before its plan did, and the setting "+st.Setting+" was made again")
	return nil
}

// needless reports whether a step cannot be done because one that it needs was not.
func (r *run) needless(st suite.Step) bool {
	return st.Needs != "" && slices.Contains(r.failed, st.Needs)
}
