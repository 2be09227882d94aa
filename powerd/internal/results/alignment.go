package results

import (
	"fmt"
	"math"
	"strings"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/quarch"
)

// wallStepNs is how far the wall clock may move against the monotonic one within
// a second before it is called a step: slewing is at most 500 ppm.
const wallStepNs = 5e6

// alignment states the maps of all streams.
func (f *folder) alignment() Alignment {
	var a Alignment
	a.Method, a.Status, a.Why = "none", align.StatusNone, "there are no samples"
	main := f.main()
	for i := range f.streams {
		s := f.streams[i].alignment(f.meta.Start.MonoNs)
		a.Streams = append(a.Streams, s)
		if &f.streams[i] == main {
			a.StreamAlignment = s
		}
	}
	for _, e := range f.events {
		if e.Kind == quarch.EventGap {
			a.Gaps = append(a.Gaps, f.gap(e))
		}
	}
	a.WallSteps = wallSteps(f.events)
	return a
}

func (s *stream) alignment(startedNs int64) StreamAlignment {
	a := StreamAlignment{
		Stream: s.Number, PeriodUs: float64(s.PeriodNs) * 1e-3,
		Method: s.m.Method, Status: s.m.Status, Why: s.m.Reason,
		Stripes: s.Stripes, LostStripes: s.Lost, Beacons: s.looked, again: s.EndReason == StartedAgain,
	}
	if s.EndNs == 0 { // it was cut off: what is on disk is what there is
		a.Stripes = s.End()
	}
	if s.m.Status == align.StatusNone {
		return a
	}
	ns, u := s.m.Offset()
	a.OffsetS, a.OffsetU95S = analysis.Some((ns-float64(startedNs))*1e-9), analysis.Some(u*1e-9)
	if !s.Polled {
		a.DriftPPM, a.DriftU95PPM = analysis.Some(s.m.DriftPPM), analysis.Some(s.m.DriftU95PPM)
	}
	return a
}

// gap places lost stripes on host time.
func (f *folder) gap(e quarch.Event) Gap {
	g := Gap{EndMonoNs: e.MonoNs, Stripes: uint64(intOf(e.Data["stripes"])), Cause: e.Text}
	g.StartMonoNs = g.EndMonoNs
	if s := f.streamAt(e.MonoNs); s != nil {
		before := float64(intOf(e.Data["before_stripe"]))
		end, _ := s.m.TimeOf(before)
		start, _ := s.m.TimeOf(before - float64(g.Stripes))
		g.StartMonoNs, g.EndMonoNs = int64(start), int64(end)
	}
	return g
}

// clocks returns the readings of the host's clocks that were taken of all three.
func (f *folder) clocks() (out []quarch.Clock) {
	for _, e := range f.events {
		if raw := intOf(e.Data["raw_ns"]); e.Kind == quarch.EventClock && raw > 0 {
			out = append(out, quarch.Clock{MonoNs: e.MonoNs, RawNs: raw, UTCNs: intOf(e.Data["utc_ns"])})
		}
	}
	return out
}

// wallSteps finds jumps of UTC against MONOTONIC between two readings.
func wallSteps(events []quarch.Event) []WallStep {
	var out []WallStep
	var before int64
	seen := false
	for _, e := range events {
		if e.Kind != quarch.EventClock {
			continue
		}
		diff := intOf(e.Data["utc_ns"]) - e.MonoNs
		if step := diff - before; seen && math.Abs(float64(step)) > wallStepNs {
			out = append(out, WallStep{MonoNs: e.MonoNs, StepS: float64(step) * 1e-9})
		}
		before, seen = diff, true
	}
	return out
}

// Text says the alignment as a report prints it: the main stream, and beside it
// every other one that is not as good as it should be.
func (a Alignment) Text() string {
	parts := []string{a.Line()}
	for _, s := range a.Streams {
		if s.Stream != a.Stream && !s.again {
			parts = append(parts, fmt.Sprintf("stream %d (%g µs): %s", s.Stream, s.PeriodUs, s.Line()))
		}
	}
	return strings.Join(parts, "; ")
}

// Line says a stream's alignment in one line.
func (a StreamAlignment) Line() string {
	if a.OffsetS == nil || a.OffsetU95S == nil {
		return fmt.Sprintf("no alignment: %s", a.Why)
	}
	line := fmt.Sprintf("offset %.3f ms ± %.2f ms", *a.OffsetS*1e3, *a.OffsetU95S*1e3)
	if a.DriftPPM != nil {
		line += fmt.Sprintf(", rate %+.1f ± %.1f ppm", *a.DriftPPM, *a.DriftU95PPM)
	}
	line += fmt.Sprintf(", method %s, lost stripes %d", a.Method, a.LostStripes)
	if text := a.Beacons.text(); text != "" {
		line += "; " + text
	}
	if a.Status != align.StatusOK {
		line += fmt.Sprintf("; %s: %s", a.Status, a.Why)
	}
	return line
}
