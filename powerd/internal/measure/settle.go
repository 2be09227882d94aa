package measure

import (
	"context"
	"errors"
	"slices"
	"time"

	"powerd/analysis/idle"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// settlePoll is how often a wait looks whether the drive has settled.
const settlePoll = 200 * time.Millisecond

// idle waits until the drive has settled, where that is asked for, and then lets the
// step's time pass. Nothing is sent to the drive, and no process is started.
func (r *run) idle(ctx context.Context, st suite.Step, startNs int64) error {
	if st.Settle == nil {
		return r.wait(ctx, st.Duration)
	}
	why, err := r.awaitSettled(ctx, st, startNs)
	if err != nil {
		return err
	}
	nowNs := r.Now()
	if err := r.capture.Event(results.WindowStart(nowNs, st.Name, why)); err != nil {
		return err
	}
	r.board.measuring(nowNs)
	return r.wait(ctx, st.Duration)
}

// awaitSettled returns once the drive has settled, with nothing to say, or once the
// rule's patience is over, with the reason.
func (r *run) awaitSettled(ctx context.Context, st suite.Step, startNs int64) (why string, err error) {
	r.live.watchSettling(&settleWatch{settler: idle.NewSettler(*st.Settle), startNs: startNs, used: r.Meta.Bench.RailsUsed})
	defer r.live.watchSettling(nil)
	patience := time.NewTimer(st.Settle.AtMost)
	defer patience.Stop()
	poll := time.NewTicker(settlePoll)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
			if ok, _ := r.live.settled(); ok {
				return "", nil
			}
		case <-patience.C:
			_, why := r.live.settled()
			return why, nil
		case <-r.recorder.done:
			if err := r.recorder.failure(); err != nil {
				return "", err
			}
			return "", errors.New("the module ended its stream")
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// settleWatch gives the total of each live summary to a Settler: the one that results
// judge the whole capture with.
type settleWatch struct {
	settler *idle.Settler
	startNs int64         // of the step
	used    []quarch.Rail // nil = all

	endNs  int64 // of the summary under way
	totalW float64
	whole  bool // every rail so far has samples
}

// add takes a rail's part of the summary that ends at endNs.
func (s *settleWatch) add(endNs int64, rail quarch.Rail, sum *quarch.RailSummary) {
	if s == nil || s.used != nil && !slices.Contains(s.used, rail) {
		return
	}
	if endNs != s.endNs {
		s.end()
		s.endNs, s.totalW, s.whole = endNs, 0, true
	}
	s.totalW += sum.MeanWatts()
	s.whole = s.whole && sum.W.N > 0
}

// end gives the summary under way.
func (s *settleWatch) end() {
	if s.whole {
		const ns = 1e-9
		s.settler.Add(float64(s.endNs-liveNs/2-s.startNs)*ns, liveNs*ns, s.totalW)
	}
	s.whole = false
}

// watchSettling has the following summaries judged; nil ends that.
func (l *preview) watchSettling(s *settleWatch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watch = s
}

// settled reports whether the drive has settled, and why it has not.
func (l *preview) settled() (ok bool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok = l.watch.settler.Settled()
	return ok, l.watch.settler.Why()
}

// measuring says that a step's wait is over.
func (b *board) measuring(nowNs int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.measuringNs = nowNs
}

// done returns how much of a step's planned time has gone by: a wait counts as its least
// length, however long it takes.
func (b *board) done(st *suite.Step, nowNs int64) time.Duration {
	took := time.Duration(nowNs - b.beganNs)
	switch {
	case st.Settle == nil:
		return took
	case b.measuringNs == 0:
		return min(took, st.Settle.For)
	}
	return st.Settle.For + time.Duration(nowNs-b.measuringNs)
}
