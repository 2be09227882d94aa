package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
	"powerd/quarch/capture"
	"powerd/quarch/sim"
)

// within is how long a test waits for what must come; it only bounds a failure.
const within = 60 * time.Second

// until waits for something to be so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	enough := time.After(within)
	for !so() {
		select {
		case <-tick.C:
		case <-enough:
			t.Fatalf("it does not come to this: %s", what)
		}
	}
}

// after lets real time pass.
func after(d time.Duration) { <-time.After(d) }

// plug is an emulated module on a pseudo-terminal, and the link that leads to it.
type plug struct {
	module *sim.Module
	port   string
	out    context.CancelFunc
	gone   func() error
}

// newModule runs an emulated module that draws 0.42 A at 5 V and 0.0734 A at 12 V.
func newModule(t *testing.T, serial string) *plug {
	t.Helper()
	p := &plug{module: catalog.NewSim(catalog.SimOptions{Serial: serial}, catalog.ConstantLoad(), clock.Mono)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	port, wait, err := p.module.ServePTY(ctx)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	p.port, p.out, p.gone = port, cancel, wait
	t.Cleanup(p.pull)
	return p
}

// pull takes the module's terminal away, as a cable that is pulled does.
func (p *plug) pull() {
	p.out()
	_ = p.gone() // a client that was there sees the end
}

// link lets path lead to the module from now on.
func (p *plug) link(t *testing.T, path string) {
	t.Helper()
	tmp := path + ".new"
	if err := os.Symlink(p.port, tmp); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		t.Fatal(err)
	}
}

// memory is a store that keeps what it is given.
type memory struct {
	store.Store // a method that is not below is not called

	mu     sync.Mutex
	runs   []store.Run
	ended  []string
	rails  []store.Rail100ms
	gaps   int
	count  bool // only count rails, for long streams
	n      int
	closed bool
}

func (m *memory) Begin(_ context.Context, r store.Run) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = append(m.runs, r)
	return nil
}

func (m *memory) Live(_ context.Context, rails []store.Rail100ms, _ []store.Engine100ms) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n += len(rails)
	if !m.count {
		m.rails = append(m.rails, rails...)
	}
	return nil
}

func (m *memory) Results(_ context.Context, _ []byte, tables []*analysis.Table) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gaps = len(tables[0].Rows)
	return nil
}

func (m *memory) End(_ context.Context, outcome string, _ int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, outcome)
	return nil
}

func (m *memory) Close(context.Context) (store.Report, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return store.Report{}, nil
}

// open opens a bench's module on a real port, as the program does.
func open(ctx context.Context, b config.Bench, link string) (quarch.Module, quarch.Info, error) {
	m, err := catalog.OpenModule(ctx, catalog.ModuleOptions{Port: b.Module.Port, Link: link, Timeout: time.Second, Now: clock.Mono})
	if err != nil {
		return nil, quarch.Info{}, err
	}
	info, err := m.Info(ctx)
	if err == nil && b.Module.Serial != "" && info.Serial != b.Module.Serial {
		err = fmt.Errorf("the module is %s, not %s: %w", info.Serial, b.Module.Serial, ErrOther)
	}
	if err != nil {
		m.Close()
		return nil, info, err
	}
	return m, info, nil
}

// options are those of a daemon that records benches into dir.
func options(dir string, benches ...config.Bench) Options {
	return Options{
		Benches: benches, Dir: dir, DiskMax: 1 << 30, Segment: time.Minute, Sampling: 1024 * time.Microsecond,
		Open:      open,
		OpenStore: func(context.Context) (store.Store, error) { return &memory{}, nil },
		Meta: func(name string, info quarch.Info) (results.Meta, error) {
			m := results.Meta{Bench: results.Bench{Name: name, RailsUsed: info.Rails}}
			m.Module.Serial, m.Module.Rails = info.Serial, info.Rails
			return m, nil
		},
		Now: clock.Mono, Clock: clock.Read, Free: func(string) (int64, error) { return 100 << 30, nil },
		Log: slog.New(slog.DiscardHandler),
	}
}

// running is a daemon that runs.
type running struct {
	*Daemon
	stop context.CancelFunc
	done chan error
}

// start runs a daemon until the test stops it.
func start(t *testing.T, o Options) *running {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Daemon: d, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- d.Run(ctx) }()
	t.Cleanup(func() { cancel(); r.done <- <-r.done })
	return r
}

// end stops the daemon and returns how long that took.
func (r *running) end(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	r.stop()
	err := <-r.done
	took := time.Since(began)
	r.done <- err
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// bench returns how a bench is.
func (r *running) bench(name string) BenchStatus {
	for _, s := range r.Status() {
		if s.Bench == name {
			return s
		}
	}
	return BenchStatus{}
}

// recording waits until samples come that the test has not seen yet.
func (r *running) recording(t *testing.T, name string) BenchStatus {
	t.Helper()
	seen := r.bench(name).Counters.Samples
	until(t, "bench "+name+" records", func() bool {
		s := r.bench(name)
		return s.State == Recording && s.Counters.Samples > seen && s.Recording.Segment != ""
	})
	return r.bench(name)
}

// stripesIn returns how many stripes the segments of a bench hold, reading all of them.
func stripesIn(t *testing.T, dir string) (n uint64) {
	t.Helper()
	all, err := Segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		c, err := capture.Open(filepath.Join(s.Dir, captureDir))
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range c.Streams() {
			for b, err := range capture.Replay(stream).Stream(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n += uint64(b.Len())
			}
		}
	}
	return n
}

// storeOf opens the same store for each bench.
func storeOf(s store.Store) func(context.Context) (store.Store, error) {
	return func(context.Context) (store.Store, error) { return s, nil }
}

func benchOn(name, port, serial string) config.Bench {
	return config.Bench{Name: name, Module: config.Module{Port: port, Serial: serial}}
}

func contains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not say %q", text, part)
	}
}
