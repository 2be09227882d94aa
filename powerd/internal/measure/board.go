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
	about   Status // what does not change
	startNs int64
	plan    suite.Plan
	live    *preview

	mu          sync.Mutex
	index       int   // of the step under way
	beganNs     int64 // of it
	measuringNs int64 // when its wait was over; 0 = it waits, or does not
	ended       map[int]endedStep
	last        engine.Progress
	warnings    []results.Warning
}

// endedStep is how a step ended, and how long it took.
type endedStep struct {
	outcome string
	took    time.Duration
}

const (
	nearSteps    = 250 // of the plan, shown before and after the step under way
	lastWarnings = 100
)

func newBoard(s Spec, l *preview) *board {
	m := &s.Meta
	b := &board{
		about:   Status{RunID: m.Run.ID, Suite: m.Suite.Name, Bench: m.Bench.Name, Drive: m.Drive.Model, Module: m.Module.Serial, Steps: len(s.Plan)},
		startNs: m.Start.MonoNs, plan: s.Plan, live: l, ended: map[int]endedStep{},
	}
	if s.Resume != nil {
		b.about.Leg, b.about.ShiftNs = s.Resume.Leg.Number, s.Resume.Leg.ClockShiftNs
		b.index = s.Resume.Way.From
	}
	return b
}

func (b *board) begin(i int, nowNs int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.index, b.beganNs, b.measuringNs, b.last = i, nowNs, 0, engine.Progress{}
}

// end takes how the step under way ended.
func (b *board) end(outcome string, nowNs int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended[b.index] = endedStep{outcome, time.Duration(nowNs - b.beganNs)}
}

// progress takes what the engine said; the zero Progress says it has ended.
func (b *board) progress(p engine.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = p
}

// warn shows a warning; the oldest go first.
func (b *board) warn(code, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.warnings) == lastWarnings {
		b.warnings = b.warnings[1:]
	}
	b.warnings = append(b.warnings, results.Warning{Code: code, Text: text})
}

func (b *board) status(now quarch.Clock) Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.about
	s.Outcome, s.UpdatedUTC = results.Running, time.Unix(0, now.UTCNs).UTC().Format(time.RFC3339)
	s.StepNumber, s.ElapsedS = b.index+1, float64(now.MonoNs-b.startNs)*1e-9
	s.Warnings = append([]results.Warning{}, b.warnings...)
	var left, most time.Duration
	for i := range b.plan {
		p, stepLeft := b.planStep(i, now.MonoNs)
		if i >= b.index {
			left += stepLeft
			most += b.mostLeft(i, stepLeft, now.MonoNs)
			s.MayEndEarly = s.MayEndEarly || stepLeft > 0 && b.plan[i].MayEndEarly()
		}
		if i == b.index {
			s.Step, s.Kind = p.Step, p.Kind
		}
		if i >= b.index-nearSteps && i <= b.index+nearSteps {
			s.Plan = append(s.Plan, p)
		}
	}
	s.LeftS, s.LeftAtMostS = left.Seconds(), most.Seconds()
	if iv := b.last.Interval; iv.EndNs > iv.StartNs {
		iops, mb := rates(iv)
		s.IOPS, s.MBPerS = &iops, &mb
	}
	b.live.fill(&s, b.startNs, now)
	return s
}

// planStep says where step i stands. The caller holds b.mu.
func (b *board) planStep(i int, nowNs int64) (PlanStep, time.Duration) {
	st := &b.plan[i]
	p := PlanStep{Number: i + 1, Step: st.Name, Kind: st.Kind, State: StepWaiting, LengthS: st.Total().Seconds()}
	left := st.Total()
	e, ended := b.ended[i]
	switch {
	case ended:
		p.State, p.TookS = e.outcome, e.took.Seconds()
		left = 0
	case i < b.index: // it failed before it began
		p.State, left = results.Failed, 0
	case i == b.index && b.beganNs > 0:
		took := time.Duration(nowNs - b.beganNs)
		p.State, p.TookS = results.Running, took.Seconds()
		left = max(0, left-b.done(st, nowNs))
	}
	p.LeftS = left.Seconds()
	return p, left
}

// mostLeft returns what step i takes at most from now on, of which left is the estimate:
// a wait lasts as long as its rule has patience. The caller holds b.mu.
func (b *board) mostLeft(i int, left time.Duration, nowNs int64) time.Duration {
	st := &b.plan[i]
	if _, ended := b.ended[i]; ended || st.Settle == nil || i < b.index || i == b.index && b.measuringNs > 0 {
		return left
	}
	most := left + st.Settle.AtMost - st.Settle.For
	if i == b.index && b.beganNs > 0 { // the estimate stands still while it waits beyond the least
		waited := time.Duration(nowNs - b.beganNs)
		most -= max(0, min(waited, st.Settle.AtMost)-st.Settle.For)
	}
	return most
}

// rates returns IOPS and MB/s of an interval.
func rates(iv engine.Interval) (iops, mbPerS float64) {
	seconds := float64(iv.EndNs-iv.StartNs) * 1e-9
	return float64(iv.Reads+iv.Writes) / seconds, float64(iv.ReadBytes+iv.WriteBytes) / seconds / 1e6
}
