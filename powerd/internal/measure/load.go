package measure

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"powerd/engine"
	"powerd/powerd/internal/suite"
)

// load runs one job of the engine and watches it.
func (r *run) load(ctx context.Context, st suite.Step, job engine.Job) error {
	ctx, stop := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer stop(nil)
	watch.Go(func() { // a broken stream makes the job pointless
		select {
		case <-r.recorder.done:
			stop(errors.New("the module's stream broke"))
		case <-ctx.Done():
		}
	})
	started, err := r.Engine.Start(ctx, job)
	if err != nil {
		return err
	}
	fall := newCollapse(job.Duration)
	for p := range started.Progress() {
		p.AtNs, p.Interval = p.AtNs+r.shiftNs(), p.Interval.Shifted(r.shiftNs())
		r.board.progress(p)
		if text := fall.add(p, r.live.watts(p.AtNs)); text != "" {
			r.warn(job.Step, "collapse", text)
		}
	}
	res, err := started.Wait()
	r.board.progress(engine.Progress{})
	r.note(keep(job.Dir, job.Step))
	if res != nil {
		res.Shift(r.shiftNs())
	}
	r.rounds.did(st, res, err)
	if res != nil {
		if n := int64(res.Write.Bytes); err == nil && n+job.BlockBytes <= job.StopBytes {
			r.warn(job.Step, "written_less", fmt.Sprintf("%.4g GB were written in %v, and %.4g GB were to be: the step's duration is too short for this drive", float64(n)*1e-9, job.Duration, float64(job.StopBytes)*1e-9))
		}
		r.note(r.Store.Live(context.WithoutCancel(ctx), nil, engineSummaries(job.Step, res.Intervals)))
	}
	return err
}
