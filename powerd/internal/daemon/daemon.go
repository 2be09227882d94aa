package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"powerd/powerd/internal/benchbook"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// Options of a daemon.
type Options struct {
	Benches  []config.Bench
	Dir      string        // of recordings
	DiskMax  int64         // bytes that all recordings may take
	Segment  time.Duration // length of one
	Sampling time.Duration // period of a stripe
	Keep     time.Duration // of 100 ms summaries in the stores

	// Open opens a bench's module and makes sure that it is the one it should be; another
	// one is an ErrOther. Link is how it spoke last, "" = find out.
	Open func(ctx context.Context, b config.Bench, link string) (quarch.Module, quarch.Info, error)
	// OpenStore opens what takes one bench's summaries.
	OpenStore func(context.Context) (store.Store, error)
	// Meta says what is known of a bench before a recording begins.
	Meta func(bench string, info quarch.Info) (results.Meta, error)
	// Left says what a run that was killed has left of a bench's supply, and what puts it
	// right; "" = nothing. It sends queries only; nil = nobody is asked.
	Left func(ctx context.Context, bench string, m quarch.Module) (string, error)
	// Prepare checks a run before it is begun; nil = runs are refused.
	Prepare func(RunRequest) (Prepared, error)

	Now   func() int64                    // host CLOCK_MONOTONIC in ns
	Clock func() quarch.Clock             // the host's three clocks; its MONOTONIC is Now's
	Free  func(dir string) (int64, error) // bytes free on a disk; nil = what the kernel says
	Log   *slog.Logger
}

// Daemon records benches.
type Daemon struct {
	o       Options
	keeper  *keeper
	workers []*worker
	jobs    *jobs
}

// ErrNoBench says that there is nothing to record.
var ErrNoBench = errors.New("there is no bench")

// New returns a daemon, and refuses options that cannot be kept.
func New(o Options) (*Daemon, error) {
	if len(o.Benches) == 0 {
		return nil, ErrNoBench
	}
	if need := 2 * int64(len(o.Benches)) * segmentBytes(o.Segment, o.Sampling); o.DiskMax < need {
		return nil, fmt.Errorf("serve.disk_max is %v: two recordings of %v on each of %d benches take about %v at a sample every %v; give that much, shorten serve.segment, or sample slower",
			config.Bytes(o.DiskMax), o.Segment, len(o.Benches), config.Bytes(roundUp(need)), o.Sampling)
	}
	if o.Free == nil {
		o.Free = freeBytes
	}
	d := &Daemon{o: o, jobs: &jobs{}}
	d.keeper = newKeeper(o)
	for _, b := range o.Benches {
		d.workers = append(d.workers, newWorker(&d.o, b, d.keeper))
	}
	return d, nil
}

// Run records until ctx is done, and returns once all is on disk. What the stores could
// not send is kept by them, and in the error if one could not even do that.
func (d *Daemon) Run(ctx context.Context) (err error) {
	hold, err := d.claim()
	if err != nil {
		return err
	}
	defer hold.Close()
	if err := d.keeper.begin(); err != nil {
		return err
	}
	defer func() {
		for _, w := range d.workers {
			err = errors.Join(err, w.tell.close(context.WithoutCancel(ctx)))
		}
	}()
	for _, w := range d.workers {
		st, err := d.o.OpenStore(ctx)
		if err != nil {
			return err
		}
		w.tell.open(st)
	}
	d.goTogether(ctx)
	return nil
}

// goTogether runs all goroutines until ctx is done.
func (d *Daemon) goTogether(ctx context.Context) {
	var working sync.WaitGroup
	for _, w := range d.workers {
		working.Go(func() { w.run(ctx) })
	}
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var rest sync.WaitGroup
	for _, w := range d.workers {
		rest.Go(func() { w.tick(beside) })
	}
	rest.Go(func() { d.keeper.run(beside, d.trim) })
	working.Wait() // what they still say is taken
	stop()
	rest.Wait()
}

// claim makes the folder of recordings and keeps other daemons out of it.
func (d *Daemon) claim() (io.Closer, error) {
	for _, w := range d.workers {
		if err := os.MkdirAll(w.dir, 0o755); err != nil {
			return nil, fmt.Errorf("make the folder of recordings: %w; choose another place with serve.out", err)
		}
	}
	hold, err := results.Hold(d.o.Dir)
	if errors.Is(err, results.ErrHeld) {
		return nil, fmt.Errorf("another powerd records into %s: stop it, or choose another place with serve.out", d.o.Dir)
	}
	return hold, err
}

// trim has the stores forget summaries that are old enough.
func (d *Daemon) trim(ctx context.Context) {
	if d.o.Keep > 0 {
		d.workers[0].tell.trim(ctx, d.o.Clock().UTCNs-d.o.Keep.Nanoseconds()) // they share the database
	}
}

// worker returns a bench's worker.
func (d *Daemon) worker(bench string) *worker {
	for _, w := range d.workers {
		if w.bench.Name == bench {
			return w
		}
	}
	return nil
}

// Status says how all benches are, in the order of the options.
func (d *Daemon) Status() []BenchStatus {
	out := make([]BenchStatus, len(d.workers))
	for i, w := range d.workers {
		out[i] = w.status()
	}
	return out
}

// Waiting says how many points a server has not taken yet.
func (d *Daemon) Waiting(ctx context.Context) (int64, error) { return d.workers[0].tell.waiting(ctx) }

// benchDir is the folder of a bench's recordings.
func benchDir(dir, bench string) string { return filepath.Join(dir, benchbook.FileName(bench)) }

// Benches returns the benches that it records.
func (d *Daemon) Benches() []config.Bench { return d.o.Benches }
