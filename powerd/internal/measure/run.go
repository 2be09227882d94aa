package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/suite"
	"powerd/powerd/internal/textfile"
	"powerd/quarch"
	"powerd/quarch/capture"
)

const (
	// afterStep is how long samples are waited for after a step has ended: what a border may be
	// misplaced by where no clock is known well. An engine has ended its IO before that.
	afterStep    = 120 * time.Millisecond
	tickPeriod   = time.Second
	storeTimeout = 15 * time.Second // for what is written after an interrupt
)

// Parts are what a run is made with. Run closes none of them.
type Parts struct {
	Module   quarch.Module
	Power    Power    // switches the drive; nil where the plan does not
	Commands Commands // nil where the plan has none
	Engine   engine.Engine
	Answer   Answer   // of the drive after a power-up; nil = there is no target to ask
	Follow   Follower // of the target's IO; nil = there is no target
	Store    store.Store
	Now      func() int64        // host CLOCK_MONOTONIC in ns
	Clock    func() quarch.Clock // the host's three clocks; its MONOTONIC is Now's
	Log      *slog.Logger
	Show     func(Status) // called once a second; may be nil
	// Reopen waits for the module, whose port has gone, and opens it again; it closes the
	// one that was. nil = a module that goes ends the run.
	Reopen func(context.Context) (quarch.Module, error)

	Beacons Beacons // between the steps

	Health func(context.Context) results.Health // asks the drive of itself; nil = it is not asked

	// Report writes report and tables of what was concluded so far into the run's folder; nil
	// = the end does that alone.
	Report func(*results.Document) error
}

// Spec is what is to be run.
type Spec struct {
	Dir    string // of the run; capture/ and engine/ are made in it
	Meta   results.Meta
	Plan   suite.Plan
	Target string
	Resume *Resume // how a run that was broken off goes on; nil = it begins
}

// ErrStep is the cause of a run that was not completed because a step failed.
var ErrStep = errors.New("a step failed")

type run struct {
	Parts
	Spec
	capture  *capture.Writer
	recorder *recorder
	live     *preview
	board    *board
	followed followed
	rounds   rounds
	beacons  beacons
	undo     *suite.Step // puts the drive's setting back; nil = it is as it was
	failed   []string    // steps

	again bool // the step under way only brings the drive to its state

	concludedNs, costNs int64 // when results were computed last, and how long that took

	mu      sync.Mutex
	unsaved []error // store failures: told, but no reason to stop measuring
}

// Run runs the plan. It returns what was concluded, also beside an error, and
// leaves results.json in Dir. The error wraps ctx's cause if it was interrupted.
func Run(ctx context.Context, p Parts, s Spec) (*results.Document, error) {
	if p.Power == nil && s.Plan.PowerCycles() {
		return nil, errors.New("the plan switches the drive's power, and nothing is there to do it")
	}
	if p.Commands == nil && (s.Plan.Commands() || s.Plan.Purges()) {
		return nil, errors.New("the plan sends the drive commands, and nothing is there to do it")
	}
	meta, err := json.Marshal(s.Meta)
	if err != nil {
		return nil, fmt.Errorf("encode meta: %w", err)
	}
	w, err := s.record(capture.Options{Run: meta, Now: p.Now})
	if err != nil {
		return nil, err
	}
	r := &run{Parts: p, Spec: s, capture: w, live: newPreview(&s.Meta), rounds: rounds{}, beacons: beacons{Beacons: p.Beacons, off: !p.Beacons.On}}
	r.recorder = &recorder{module: p.Module, capture: w, live: r.live}
	r.board = newBoard(s, r.live)
	why := r.steps(ctx)
	return r.finish(ctx, why)
}

// steps runs the plan with the second's tick beside it.
func (r *run) steps(ctx context.Context) error {
	r.note(r.Store.Begin(ctx, r.storeRun()))
	if err := r.begin(ctx); err != nil {
		return err
	}
	ticks, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.tick(ticks)
	}()
	defer func() { stop(); <-ended }()
	defer r.follow(ctx, r.engineDir())()

	r.askHealth(ctx, results.BeforeSteps)
	if err := r.bringBack(ctx); err != nil {
		return err
	}
	var failed error
	for i := r.from(); i < len(r.Plan); i++ {
		st := r.Plan[i]
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if over, text := r.rounds.enough(st, r.Meta.Drive.CapacityBytes); over {
			r.board.skip(i)
			if text != "" {
				r.warn("", "rounds_ended", text)
			}
			continue
		}
		if r.needless(st) {
			r.board.skip(i)
			r.failed = append(r.failed, st.Name)
			r.warn(st.Name, "not_done", "it was not done, since step "+st.Needs+" failed")
			continue
		}
		err := r.step(ctx, i, st)
		if err != nil {
			r.failed = append(r.failed, st.Name)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && r.recorder.failure() != nil && !r.back(ctx, i, err):
			return ofStep(st.Name, err) // nothing to measure with
		case err != nil:
			r.Log.Error("step failed", "step", st.Name, "error", err)
			failed = errors.Join(failed, fmt.Errorf("%w: %w", ErrStep, ofStep(st.Name, err)))
		}
		if err := r.concludeStep(ctx, i); err != nil {
			return err
		}
		if err != nil && st.OnFailure == suite.Stop {
			return distinct(failed, r.stopped(i))
		}
	}
	return distinct(failed, r.beacon(ctx, len(r.Plan)))
}

// ofStep says of which step err is, unless it does so itself.
func ofStep(name string, err error) error {
	if strings.Contains(err.Error(), "step "+name) {
		return err
	}
	return fmt.Errorf("step %s: %w", name, err)
}

// concludeStep computes the results again after a step, unless that would cost a long
// run more than a tenth of its time; the end always does.
func (r *run) concludeStep(ctx context.Context, i int) error {
	const tenth = 10
	startNs := r.Now()
	if i == len(r.Plan)-1 || startNs-r.concludedNs < tenth*r.costNs {
		return nil
	}
	doc, err := r.conclude(ctx)
	if err == nil && r.Report != nil {
		r.note(r.Report(doc))
	}
	r.concludedNs = r.Now()
	r.costNs = r.concludedNs - startNs
	return err
}

// step runs one step between its marks.
func (r *run) step(ctx context.Context, i int, st suite.Step) error {
	mark := results.StepMark{Step: st.Name, Group: st.Group, Kind: st.Kind, Index: i, Of: len(r.Plan), Settle: st.Settle, Again: r.again}
	mark.Round, mark.Cell, mark.Rounds, mark.FreshRounds, mark.LastRounds, mark.Steady = st.Round, st.Cell, st.Rounds, st.FreshRounds, st.LastRounds, st.Steady
	mark.Within, mark.Paused = st.Within, st.Paused
	var job *engine.Job
	if st.Kind == suite.Load {
		j, err := st.Job.On(r.Meta.Drive.CapacityBytes)
		if err != nil {
			return fmt.Errorf("step %s: %w", st.Name, err)
		}
		j.Step, j.Target, j.Dir = st.Name, r.Target, r.engineDir()
		if st.Round == 0 { // else the sum is looked at after each
			j.StopBytes = st.Goal(r.Meta.Drive.CapacityBytes)
		}
		job, mark.Job = &j, &j
	}
	if err := r.sample(ctx, st.Sampling.Nanoseconds()); err != nil {
		return err
	}
	if err := r.beacon(ctx, i); err != nil {
		return err
	}
	startNs := r.Now()
	r.board.begin(i, startNs)
	r.live.setStep(st.Name)
	defer r.live.setStep("")
	if err := r.capture.Event(results.StepStart(startNs, mark)); err != nil {
		return err
	}
	err := distinct(r.do(ctx, st, job, startNs), r.recorder.failure())
	endNs := r.Now()
	outcome, why := results.Completed, ""
	switch {
	case ctx.Err() != nil:
		outcome, why = results.Interrupted, context.Cause(ctx).Error()
	case err != nil:
		outcome, why = results.Failed, err.Error()
	}
	r.board.end(outcome, endNs)
	if !r.again {
		r.note(r.Store.Step(context.WithoutCancel(ctx), store.StepRow{Name: st.Name, Kind: st.Kind, StartNs: startNs, EndNs: endNs, Outcome: outcome, Why: why}))
	}
	return distinct(err,
		r.capture.Event(results.StepEnd(endNs, st.Name, outcome, why)),
		r.settle(ctx, endNs))
}

// settle waits until the samples of a step are in and on disk.
func (r *run) settle(ctx context.Context, endNs int64) error {
	if r.recorder.running() && ctx.Err() == nil {
		if err := r.recorder.waitFor(ctx, endNs+afterStep.Nanoseconds()); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return r.capture.Sync()
}

// sample sees to it that a stream of the wanted period runs.
func (r *run) sample(ctx context.Context, periodNs int64) error {
	if r.recorder.running() && (r.live.period() == periodNs || r.live.period() == 0) {
		return nil
	}
	if err := r.recorder.stop(); err != nil {
		return err
	}
	r.beacons.lastNs = 0
	return r.recorder.start(ctx, periodNs)
}

func (r *run) do(ctx context.Context, st suite.Step, job *engine.Job, startNs int64) error {
	switch st.Kind {
	case suite.PowerCycle:
		return r.powerCycle(ctx, st)
	case suite.Load:
		return r.load(ctx, st, *job)
	case suite.Idle:
		return r.idle(ctx, st, startNs)
	case suite.Record:
		return r.wait(ctx, st.Duration)
	case suite.Command, suite.Purge:
		return r.command(ctx, st)
	}
	return fmt.Errorf("step %s: unknown kind %q", st.Name, st.Kind)
}

// wait lets time pass while the stream runs.
func (r *run) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.recorder.done:
		if err := r.recorder.failure(); err != nil {
			return err
		}
		return errors.New("the module ended its stream")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tick does what is due once a second.
func (r *run) tick(ctx context.Context) {
	t := time.NewTicker(tickPeriod)
	defer t.Stop()
	for {
		c := r.Clock()
		r.live.clock(c)
		r.note(r.capture.Event(quarch.Event{MonoNs: c.MonoNs, Kind: quarch.EventClock, Data: map[string]any{
			"raw_ns": c.RawNs, "utc_ns": c.UTCNs,
		}}))
		if rails, ios := r.live.take(), r.followed.take(); len(rails)+len(ios) > 0 {
			r.note(r.Store.Live(context.WithoutCancel(ctx), rails, ios))
		}
		s := r.board.status(c)
		r.followed.preview(&s, c.MonoNs)
		r.note(s.write(r.Dir))
		if r.Show != nil {
			r.Show(s)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}

// conclude computes the results of what is on disk and hands them on.
func (r *run) conclude(ctx context.Context) (*results.Document, error) {
	doc, err := results.Compute(r.Dir, r.Engine)
	if err != nil {
		return nil, err
	}
	b, err := doc.JSON()
	if err != nil {
		return doc, err
	}
	if err := textfile.Replace(filepath.Join(r.Dir, results.File), b); err != nil {
		return doc, fmt.Errorf("write results: %w", err)
	}
	r.note(r.Store.Results(context.WithoutCancel(ctx), b, doc.Tables()))
	return doc, nil
}

// finish stops what runs, writes the end, and concludes once more.
func (r *run) finish(ctx context.Context, why error) (*results.Document, error) {
	restored := r.restore(ctx, "")
	why = distinct(why, restored)
	if err := r.undone(ctx); err != nil {
		why, restored = distinct(why, err), distinct(restored, err)
	}
	outcome, text := results.Completed, ""
	switch {
	case ctx.Err() != nil:
		outcome, text = results.Interrupted, "stopped by the user"
		if restored != nil {
			text += "; " + restored.Error()
		}
	case why != nil:
		outcome, text = results.Failed, why.Error()
	}
	errs := []error{why, r.recorder.stop()}
	r.askHealth(ctx, results.AfterSteps)
	end := r.Clock()
	errs = append(errs, r.capture.Event(quarch.Event{MonoNs: end.MonoNs, Kind: quarch.EventRunEnd, Text: text, Data: map[string]any{
		"outcome": outcome, "utc_ns": end.UTCNs,
	}}), r.capture.Close())
	doc, err := r.conclude(ctx)
	errs = append(errs, err)

	bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	r.note(r.Store.Live(bg, r.live.take(), r.followed.take()))
	r.note(r.Store.End(bg, outcome, end.MonoNs))
	s := r.board.status(end)
	s.Outcome, s.LeftS, s.LeftAtMostS, s.MayEndEarly = outcome, 0, 0, false
	errs = append(errs, s.write(r.Dir), errors.Join(r.unsaved...))
	return doc, distinct(errs...)
}
