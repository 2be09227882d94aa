package watch

import (
	"context"
	"os"
	"time"

	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/runs"
)

// How long there may be no word until it is said.
const (
	goneAfter   = 2 * time.Second // of a powerd that is not at work
	silentAfter = 3 * time.Second // of one that is
	look        = 500 * time.Millisecond
)

// View is what is known of a run at one moment.
type View struct {
	Status measure.Status
	Silent time.Duration // how long there has been no word, if that is too long
}

// Ended reports whether the run is over, in whatever way.
func (v View) Ended() bool { return v.Status.Outcome != results.Running }

// Watcher looks at one run.
type Watcher struct {
	dir  string
	held func(dir string) bool
	last measure.Status
	word time.Time // when last was first seen, or was written before
}

// New returns a watcher of the run in dir.
func New(dir string) *Watcher { return &Watcher{dir: dir, held: results.Held} }

// Look reads the run's files once.
func (w *Watcher) Look() (View, error) {
	held := w.held(w.dir) // first: a run that ends meanwhile has written so
	s, err := measure.ReadStatus(w.dir)
	now := time.Now()
	switch {
	case err != nil && w.word.IsZero():
		return View{}, err
	case err != nil:
		s = w.last
	case w.word.IsZero():
		w.word = now
		if written := s.Updated(); !written.IsZero() && written.Before(now) {
			w.word = written
		}
	case s.UpdatedUTC != w.last.UpdatedUTC || s.Outcome != w.last.Outcome:
		w.word = now
	}
	w.last = s
	v := View{Status: s}
	if v.Ended() {
		return v, nil
	}
	switch silent := now.Sub(w.word); {
	case !held && silent >= goneAfter:
		v.Status.Outcome, v.Silent = runs.CutOff, silent
	case silent >= silentAfter:
		v.Silent = silent
	}
	return v, nil
}

// Follow calls show with what it sees, at least once a second, until the run has
// ended or ctx is done. A signal on again asks for
// one more at once; it may be nil.
func (w *Watcher) Follow(ctx context.Context, again <-chan os.Signal, show func(View) error) (View, error) {
	t := time.NewTicker(look)
	defer t.Stop()
	due := true // a look that changes nothing is shown every other time
	for {
		word := w.word
		v, err := w.Look()
		if err != nil {
			return v, err
		}
		if due || v.Ended() || !word.Equal(w.word) {
			if err := show(v); err != nil {
				return v, err
			}
		}
		if v.Ended() {
			return v, nil
		}
		select {
		case <-t.C:
			due = !due
		case <-again:
			due = true
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}
