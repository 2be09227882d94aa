package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/resume"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// Resume is how a run goes on that was broken off.
type Resume struct {
	Past *results.Past
	Leg  results.Leg
	Way  resume.Way
}

// record opens the run's capture: a new one, or that of the run that goes on.
func (s *Spec) record(o capture.Options) (*capture.Writer, error) {
	dir := filepath.Join(s.Dir, "capture")
	if s.Resume == nil {
		return capture.Create(dir, o)
	}
	return capture.Continue(dir, o)
}

// begin writes down that the run begins, or that it goes on and how.
func (r *run) begin(ctx context.Context) error {
	if r.Resume == nil {
		return r.capture.Event(quarch.Event{MonoNs: r.Now(), Kind: quarch.EventRunStart})
	}
	if err := os.MkdirAll(r.engineDir(), 0o755); err != nil {
		return fmt.Errorf("go on with run %s: %w", r.Dir, err)
	}
	if err := r.capture.Event(results.ResumeEvent(r.Resume.Leg)); err != nil {
		return err
	}
	for i, outcome := range r.Resume.Way.Done {
		r.board.ended[i] = endedStep{outcome: outcome}
	}
	r.recall()
	_, err := r.conclude(ctx) // what stands in results.json says that the run is over
	return err
}

// recall tells the rounds what was done of them before the run was broken off.
func (r *run) recall() {
	byName := map[string]results.PastStep{}
	for _, s := range r.Resume.Past.Steps {
		byName[s.Mark.Step] = s
	}
	from := r.Resume.Way.From
	for _, st := range r.Plan[:from] {
		s, begun := byName[st.Name]
		if !begun || st.Round == 0 {
			continue
		}
		r.rounds.enough(st, 0) // begins its round
		res, err := r.Resume.Past.Load(s, r.Engine)
		if s.Outcome != results.Completed && err == nil {
			err = fmt.Errorf("step %s: %s", st.Name, s.Outcome)
		}
		r.rounds.did(st, res, err)
	}
	next := r.Plan[from]
	if next.Round == 0 {
		return
	}
	of := r.rounds.of(next)
	of.brokenOff(next)
	for _, st := range r.Plan[from:] { // what the broken round wrote is written
		if s, begun := byName[st.Name]; begun && st.Group == next.Group {
			if res, _ := r.Resume.Past.Load(s, r.Engine); res != nil {
				of.written += res.Write.Bytes
			}
		}
	}
}

// bringBack does again what the drive's state is of, without a figure.
func (r *run) bringBack(ctx context.Context) error {
	if r.Resume == nil {
		return nil
	}
	r.again = true
	defer func() { r.again = false }()
	for _, i := range r.Resume.Way.First {
		st := r.Plan[i]
		r.board.redo(i)
		err := r.step(ctx, i, st)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%w: step %s, done again to bring the drive to its state: %w", ErrStep, st.Name, err)
		}
	}
	return nil
}

// from is the step of the plan that the run begins with.
func (r *run) from() int {
	if r.Resume == nil {
		return 0
	}
	return r.Resume.Way.From
}

// shiftNs is what an engine's times, which are of the boot that runs, are put forward by.
func (r *run) shiftNs() int64 {
	if r.Resume == nil {
		return 0
	}
	return r.Resume.Leg.ClockShiftNs
}

// engineDir is where this leg of the run leaves what an engine does.
func (r *run) engineDir() string {
	if r.Resume == nil {
		return results.EngineDir(r.Dir, 1)
	}
	return results.EngineDir(r.Dir, r.Resume.Leg.Number)
}

// redo has step i, which has ended, begin once more.
func (b *board) redo(i int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index = i
	delete(b.ended, i)
}

// stopped is the error of a run that ends after step i, which failed.
func (r *run) stopped(i int) error {
	if i == len(r.Plan)-1 {
		return nil
	}
	return fmt.Errorf("the run stopped there, as on_failure says; not begun: %d more", len(r.Plan)-1-i)
}
