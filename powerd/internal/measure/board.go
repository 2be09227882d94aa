package measure

import (
	"sync"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// board keeps where a run stands, for the status.
type board struct {
	runID   string
	startNs int64
	plan    suite.Plan
	live    *live

	mu      sync.Mutex
	index   int   // of the step under way
	beganNs int64 // of it
	last    engine.Progress
}

func newBoard(s Spec, l *live) *board {
	return &board{runID: s.Meta.Run.ID, startNs: s.Meta.Start.MonoNs, plan: s.Plan, live: l}
}

func (b *board) begin(i int, nowNs int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index, b.beganNs, b.last = i, nowNs, engine.Progress{}
}

// progress takes what the engine said; the zero Progress says it has ended.
func (b *board) progress(p engine.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = p
}

func (b *board) status(now quarch.Clock) Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{
		RunID: b.runID, Outcome: results.Running, UpdatedUTC: time.Unix(0, now.UTCNs).UTC().Format(time.RFC3339),
		StepNumber: b.index + 1, Steps: len(b.plan), ElapsedS: float64(now.MonoNs-b.startNs) * 1e-9,
	}
	if b.index < len(b.plan) {
		st := b.plan[b.index]
		s.Step, s.Kind = st.Name, st.Kind
		in := time.Duration(0)
		if b.beganNs > 0 {
			in = time.Duration(now.MonoNs - b.beganNs)
		}
		left := max(0, st.Total()-in)
		for _, later := range b.plan[b.index+1:] {
			left += later.Total()
		}
		s.LeftS = left.Seconds()
	}
	if iv := b.last.Interval; iv.EndNs > iv.StartNs {
		seconds := float64(iv.EndNs-iv.StartNs) * 1e-9
		iops := float64(iv.Reads+iv.Writes) / seconds
		mb := float64(iv.ReadBytes+iv.WriteBytes) / seconds / 1e6
		s.IOPS, s.MBPerS = &iops, &mb
	}
	b.live.preview(&s, b.startNs)
	return s
}
