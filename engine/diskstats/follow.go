package diskstats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"powerd/engine"
)

const (
	defaultPeriod = 100 * time.Millisecond
	syncPeriodNs  = int64(time.Second)
)

// Options say what to follow.
type Options struct {
	// Find returns the file of the target's statistics. It is asked again when that
	// cannot be read, since a drive may come back under another name. Its error is
	// engine.ErrTarget where there never will be any.
	Find   func() (string, error)
	Now    func() int64  // host CLOCK_MONOTONIC in ns
	Period time.Duration // between two readings; 0 = 100 ms
}

// Follower writes down what the kernel counts on a target.
type Follower struct{ o Options }

// New returns a Follower, which has done nothing yet.
func New(o Options) *Follower {
	if o.Period == 0 {
		o.Period = defaultPeriod
	}
	return &Follower{o}
}

// Follow reads the counters until ctx is done, the last time right then, and writes
// them into dir. It hands each interval to sink, which may be nil. The end by ctx is no
// error; that nothing was ever read is one.
func (f *Follower) Follow(ctx context.Context, dir string, sink func(engine.Interval)) (err error) {
	w, err := create(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if sink == nil {
		sink = func(engine.Interval) {}
	}
	watched := &watched{o: f.o, w: w, sink: sink}
	tick := time.NewTicker(f.o.Period)
	defer tick.Stop()
	for {
		if err := watched.read(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(watched.read(), watched.never())
		}
	}
}

// watched is a target under way.
type watched struct {
	o    Options
	w    *writer
	sink func(engine.Interval)

	path   string   // "" = not known now
	before *Reading // nil after a gap
	any    bool
	why    error // of the last look that failed
}

// read looks once and writes down what it saw. An error ends the following.
func (t *watched) read() error {
	r, err := t.look()
	if errors.Is(err, engine.ErrTarget) {
		return err
	}
	if err != nil {
		t.why = err
		first := t.before != nil // of this gap
		t.before, t.path = nil, ""
		if !first {
			return nil
		}
		return t.w.write(row(t.o.Now(), 0, nil))
	}
	if t.before != nil && r.AtNs <= t.before.AtNs {
		return nil // a clock that stands still tells no interval
	}
	if t.before != nil && r.follows(&t.before.Counters) {
		t.sink(r.since(t.before))
	}
	t.before, t.any = &r, true
	return errors.Join(t.w.write(row(r.AtNs, r.UNs, &r.Counters)), t.w.sync(r.AtNs))
}

func (t *watched) look() (Reading, error) {
	if t.path == "" {
		path, err := t.o.Find()
		if err != nil {
			return Reading{}, err
		}
		t.path = path
	}
	return look(t.path, t.o.Now)
}

// never is the error of a target that could not be read once.
func (t *watched) never() error {
	if t.any {
		return nil
	}
	return fmt.Errorf("follow the target: %w", t.why)
}

// writer appends to the file.
type writer struct {
	f        *os.File
	path     string
	syncedNs int64
}

func create(dir string) (*writer, error) {
	w := &writer{path: filepath.Join(dir, FileName)}
	var err error
	if w.f, err = os.OpenFile(w.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return nil, fmt.Errorf("write block statistics: %w", err)
	}
	if err := w.write([]byte(header + "\n")); err != nil {
		return nil, errors.Join(err, w.f.Close())
	}
	return w, nil
}

func (w *writer) write(b []byte) error {
	if _, err := w.f.Write(b); err != nil {
		return fmt.Errorf("write block statistics: %w", err)
	}
	return nil
}

// sync puts what was written on the disk if that was not done for a second.
func (w *writer) sync(nowNs int64) error {
	if nowNs-w.syncedNs < syncPeriodNs {
		return nil
	}
	w.syncedNs = nowNs
	if err := w.f.Sync(); err != nil {
		return fmt.Errorf("write block statistics: %w", err)
	}
	return nil
}

func (w *writer) close() error {
	if err := errors.Join(w.f.Sync(), w.f.Close()); err != nil {
		return fmt.Errorf("write block statistics %s: %w", w.path, err)
	}
	return nil
}
