package measure_test

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/analysis/pairing"
	"powerd/engine"
	"powerd/engine/enginetest"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/suite"
	"powerd/powerd/internal/supply"
	"powerd/quarch"
	"powerd/quarch/capture"
	"powerd/quarch/ppm"
	"powerd/quarch/sim"
)

// bench is an emulated module behind the real driver, an engine that takes its time,
// and a store that keeps what it is told: all in the virtual time of a bubble, which
// ends only when every goroutine has ended.
type bench struct {
	t      *testing.T
	now    func() int64
	sim    *sim.Module
	conn   net.Conn // the host's end of the link to the module
	module *ppm.Module
	engine *timedEngine
	store  *notebook
	dir    string
	target string

	shown    []measure.Status
	onShow   func(measure.Status)
	replace  quarch.Module // stands for module, if set
	follow   measure.Follower
	answer   measure.Answer
	beacons  measure.Beacons
	size     int64         // of the drive, in bytes
	supply   measure.Power // nil: the module itself, as a twin's
	loads    engine.Engine // stands for engine, if set
	commands measure.Commands
	reopen   func(context.Context) (quarch.Module, error)

	boot   string          // in which the run begins
	resume *measure.Resume // the run goes on; nil = it begins
	health func(context.Context) results.Health
	report func(*results.Document) error

	wallSet func(monoNs int64) time.Duration // by how much somebody has set the wall clock; nil = nobody has
}

// uses returns the engine that loads the drive.
func (b *bench) uses() engine.Engine {
	if b.loads != nil {
		return b.loads
	}
	return b.engine
}

// newBench makes a bench whose drive draws 0.42 A from 5 V (2.1 W) and 0.05 A from
// 12 V (0.6 W) while it is on.
func newBench(t *testing.T) *bench {
	t.Helper()
	load := sim.NewConstantLoad(map[string]int{"5v": 5000, "12v": 12_000}, map[string]int{"5v": 420_000, "12v": 50_000})
	return newBenchOf(t, sim.Options{}, load)
}

// newBenchOf makes a bench of a module and what it measures. Now and Powered are set.
func newBenchOf(t *testing.T, o sim.Options, load sim.Load) *bench {
	t.Helper()
	began := time.Now()
	return newBenchAt(t, o, load, func() int64 { return int64(time.Hour) + time.Since(began).Nanoseconds() })
}

// newBenchAt is newBenchOf by a clock of its own.
func newBenchAt(t *testing.T, o sim.Options, load sim.Load, now func() int64) *bench {
	t.Helper()
	b := &bench{t: t, now: now, store: &notebook{}, dir: t.TempDir()}
	o.Powered, o.Now, o.Link = true, now, cmp.Or(o.Link, quarch.LinkFramed)
	b.sim = sim.New(o, load)
	near, far := net.Pipe()
	b.conn = near
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { b.sim.Serve(ctx, far, o.Link) })
	var err error
	b.module, err = ppm.Open(t.Context(), ppm.Options{Conn: near, Port: "emulated", Link: o.Link, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.module.Close()
		cancel()
		served.Wait()
	})
	b.target = filepath.Join(b.dir, "target")
	for _, err := range []error{os.MkdirAll(filepath.Join(b.dir, "engine"), 0o755), os.WriteFile(b.target, nil, 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.engine = &timedEngine{Fake: &enginetest.Fake{}, now: now}
	return b
}

// run runs steps.
func (b *bench) run(ctx context.Context, steps ...suite.Step) (*results.Document, error) {
	clock := func() quarch.Clock {
		utc := time.Now()
		if b.wallSet != nil {
			utc = utc.Add(b.wallSet(b.now()))
		}
		return quarch.Clock{MonoNs: b.now(), RawNs: b.now(), UTCNs: utc.UnixNano()}
	}
	start := clock()
	var module quarch.Module = b.module
	if b.replace != nil {
		module = b.replace
	}
	power := b.supply
	if power == nil {
		var err error
		if power, err = supply.Begin(ctx, supply.Options{Bench: "twin", Module: module, Off: supply.AtOnce, Now: b.now}); err != nil {
			return nil, err
		}
	}
	return measure.Run(ctx, measure.Parts{
		Module: module, Power: power, Engine: b.uses(), Answer: b.answer, Follow: b.follow, Beacons: b.beacons, Store: b.store, Now: b.now, Clock: clock,
		Log: slog.New(slog.DiscardHandler), Reopen: b.reopen, Commands: b.commands, Health: b.health, Report: b.report,
		Show: func(s measure.Status) {
			if !b.store.forgets {
				b.shown = append(b.shown, s)
			}
			if b.onShow != nil {
				b.onShow(s)
			}
		},
	}, measure.Spec{
		Dir: b.dir, Target: b.target, Plan: suite.Plan(steps), Resume: b.resume,
		Meta: results.Meta{
			BootID: b.boot,
			Run:    results.Run{ID: "r1", StartedMonoNs: start.MonoNs, PowerdVersion: "test"},
			Suite:  results.Suite{Name: "demo", Scale: 1}, Start: start, Drive: results.Drive{CapacityBytes: b.size},
			Bench: results.Bench{
				RailsUsed: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}, Pairing: &pairing.Evidence{Method: pairing.MethodTyped, Confirmed: true},
			},
			Module: results.Module{Driver: "ppm", Model: "HD Programmable Power Module +Triggering", Serial: "QTL1999-02-001", Link: quarch.LinkFramed, Calibration: &results.Calibration{}}, // without error
		},
	})
}

// Steps of most plans here.
func idleStep(name string, d time.Duration) suite.Step {
	return suite.Step{Name: name, Group: name, Kind: suite.Idle, Duration: d, Sampling: 1024 * time.Microsecond}
}

func loadStep(name string, d time.Duration) suite.Step {
	return suite.Step{
		Name: name, Group: name, Kind: suite.Load, Duration: d, Sampling: 1024 * time.Microsecond,
		Job: engine.Job{RW: "randread", BlockBytes: 4096, QueueDepth: 1, Jobs: 1, Duration: d},
	}
}

func cycleStep(name string, off, on time.Duration) suite.Step {
	return suite.Step{Name: name, Group: name, Kind: suite.PowerCycle, OffTime: off, Duration: on, Sampling: 256 * time.Microsecond}
}

// events returns what stands in the capture, but for clock readings: "kind step".
func (b *bench) events() []string {
	b.t.Helper()
	c, err := capture.Open(filepath.Join(b.dir, "capture"))
	if err != nil {
		b.t.Fatal(err)
	}
	events, err := c.Events()
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, e := range events {
		if e.Kind != quarch.EventClock && e.Kind != quarch.EventWarning {
			out = append(out, strings.TrimSpace(e.Kind+" "+e.Step))
		}
	}
	return out
}

// power returns what was done to the rails after the start: "off", "on".
func (b *bench) power() []string {
	var out []string
	for _, e := range b.sim.PowerEvents()[1:] {
		out = append(out, map[bool]string{false: "off", true: "on"}[e.On])
	}
	return out
}

func (b *bench) same(what string, got []string, want ...string) {
	b.t.Helper()
	if !slices.Equal(got, want) {
		b.t.Errorf("%s:\n  %q\nwant\n  %q", what, got, want)
	}
}

// timedEngine is a scripted engine whose jobs take their time, as the clock of the
// bubble shows it: 1000 reads a second.
type timedEngine struct {
	*enginetest.Fake
	now    func() int64
	script func(engine.Job) enginetest.Outcome
}

func (e *timedEngine) Start(ctx context.Context, job engine.Job) (engine.Run, error) {
	out := enginetest.Outcome{ReadIOPS: 1000}
	if e.script != nil {
		out = e.script(job)
	}
	if out.StartErr != nil {
		return nil, out.StartErr
	}
	r := &timedRun{progress: make(chan engine.Progress), ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		defer close(r.progress)
		r.result, r.err = e.play(ctx, job, out, r.progress)
	}()
	return r, nil
}

// play waits for the job's time, or the end of ctx, and leaves a result of what was
// done in it.
func (e *timedEngine) play(ctx context.Context, job engine.Job, out enginetest.Outcome, progress chan<- engine.Progress) (*engine.Result, error) {
	startNs := e.now()
	end := time.NewTimer(job.Duration)
	second := time.NewTicker(time.Second)
	defer end.Stop()
	defer second.Stop()
	for waiting := true; waiting; {
		select {
		case <-second.C:
			now := e.now()
			progress <- engine.Progress{AtNs: now, Interval: engine.Interval{StartNs: now - 1e9, EndNs: now, Reads: uint64(out.ReadIOPS)}}
		case <-end.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
			job.Duration = time.Duration(e.now() - startNs)
			out.Err = &engine.JobError{Step: job.Step, Why: "interrupted", Err: context.Cause(ctx)}
			out.Edit = func(r *engine.Result) { r.Interrupted = true }
		}
	}
	e.Clock = enginetest.NewClock(startNs)
	e.Script = func(engine.Job) enginetest.Outcome { return out }
	run, err := e.Fake.Start(context.WithoutCancel(ctx), job)
	if err != nil {
		return nil, err
	}
	return run.Wait()
}

type timedRun struct {
	progress chan engine.Progress
	ended    chan struct{}
	result   *engine.Result
	err      error
}

func (r *timedRun) Progress() <-chan engine.Progress { return r.progress }

func (r *timedRun) Wait() (*engine.Result, error) {
	<-r.ended
	return r.result, r.err
}

// notebook is a store that notes what it is told, and fails where it is asked to.
type notebook struct {
	fails   error // of every call
	forgets bool  // what it was told, and the bench what was shown: of runs that are long

	mu      sync.Mutex
	calls   []string
	rails   []store.Rail100ms
	engines []store.Engine100ms
	ctxErr  error // a call came with a context that was done
}

func (n *notebook) note(ctx context.Context, call string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctxErr == nil {
		n.ctxErr = ctx.Err()
	}
	if n.forgets {
		n.calls = nil
	}
	if len(n.calls) == 0 || n.calls[len(n.calls)-1] != call {
		n.calls = append(n.calls, call)
	}
	return n.fails
}

func (n *notebook) Begin(ctx context.Context, r store.Run) error { return n.note(ctx, "begin "+r.ID) }

func (n *notebook) Step(ctx context.Context, s store.StepRow) error {
	return n.note(ctx, "step "+s.Name+" "+s.Outcome)
}

func (n *notebook) Live(ctx context.Context, rails []store.Rail100ms, engines []store.Engine100ms) error {
	n.mu.Lock()
	if !n.forgets {
		n.rails, n.engines = append(n.rails, rails...), append(n.engines, engines...)
	}
	if n.ctxErr == nil {
		n.ctxErr = ctx.Err()
	}
	n.mu.Unlock()
	return n.fails
}

func (n *notebook) Results(ctx context.Context, _ []byte, _ []*analysis.Table) error {
	return n.note(ctx, "results")
}

func (n *notebook) End(ctx context.Context, outcome string, _ int64) error {
	return n.note(ctx, "end "+outcome)
}

func (n *notebook) Close(context.Context) (store.Report, error) { return store.Report{}, nil }
