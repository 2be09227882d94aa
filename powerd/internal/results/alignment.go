package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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
	for i := range f.streams {
		a.Gaps = append(a.Gaps, f.streams[i].uncountedGaps()...)
	}
	slices.SortStableFunc(a.Gaps, func(a, b Gap) int { return cmp.Compare(a.StartMonoNs, b.StartMonoNs) })
	a.WallSteps = wallSteps(f.events)
	return a
}

func (s *stream) alignment(startedNs int64) StreamAlignment {
	a := AlignmentOf(s.came, startedNs)
	a.Stream, a.PeriodUs, a.Beacons = s.Number, float64(s.PeriodNs)*1e-3, s.looked
	a.Stripes, a.LostStripes, a.again = s.Stripes, s.Lost, s.EndReason == StartedAgain
	if p := s.prior; p.u95PPM > 0 {
		a.PriorPPM, a.PriorU95PPM, a.PriorFrom = analysis.Some(p.ppm), analysis.Some(p.u95PPM), p.from
	}
	if s.EndNs == 0 { // it was cut off: what is on disk is what there is
		a.Stripes = s.Stream.End()
	}
	if s.Polled { // it has no clock of its own
		a.DriftPPM, a.DriftU95PPM, a.measured = nil, nil, false
	}
	return a
}

// AlignmentOf says what a map is worth; its offset counts from a host time.
func AlignmentOf(m *align.Map, fromNs int64) StreamAlignment {
	a := StreamAlignment{Method: m.Method, Status: m.Status, Why: m.Reason, Uncounted: uncounted(m)}
	if m.Status == align.StatusNone {
		return a
	}
	ns, u := m.Offset()
	a.OffsetS, a.OffsetU95S = analysis.Some((ns-float64(fromNs))*1e-9), analysis.Some(u*1e-9)
	a.DriftPPM, a.DriftU95PPM, a.measured = analysis.Some(m.DriftPPM), analysis.Some(m.DriftU95PPM), m.Measured
	return a
}

// gap places lost stripes on host time.
func (f *folder) gap(e quarch.Event) Gap {
	g := Gap{EndMonoNs: e.MonoNs, Stripes: uint64(intOf(e.Data["stripes"])), Cause: e.Text}
	g.StartMonoNs = g.EndMonoNs
	if s := f.streamAt(e.MonoNs); s != nil {
		before := float64(intOf(e.Data["before_stripe"]))
		end, _ := s.came.TimeOf(before)
		start, _ := s.came.TimeOf(before - float64(g.Stripes))
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
		if e.Kind == quarch.EventRunResume { // nobody looked meanwhile
			seen = false
		}
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

// wallStepped warns of jumps of the wall clock: times of other programs may be off by as
// much, and those of the run are not.
func (d *Document) wallStepped() {
	for _, w := range d.Alignment.WallSteps {
		d.warn("wall_clock_step", fmt.Sprintf("the wall clock was set by %+.3f s, %.1f s after the start; no figure of this run uses it, but what other programs logged by it does",
			w.StepS, float64(w.MonoNs-d.Run.StartedMonoNs)*1e-9))
	}
}

// Text says the alignment as a report prints it: the main stream, and beside it
// every other one, and what the loads' own energy says of it.
func (a Alignment) Text() string {
	parts := []string{a.Line()}
	for _, s := range a.Streams {
		if s.Stream != a.Stream && !s.again {
			parts = append(parts, fmt.Sprintf("stream %d (%g µs): %s", s.Stream, s.PeriodUs, s.Line()))
		}
	}
	if text := crossText(a.CrossChecks); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// Line says a stream's alignment in one line.
func (a StreamAlignment) Line() string {
	place := a.place()
	if place == "" {
		return fmt.Sprintf("no alignment: %s", a.Why)
	}
	line := fmt.Sprintf("%s, method %s, lost stripes %d", place, a.Method, a.LostStripes)
	if text := uncountedText(a.Uncounted); text != "" {
		line += ", not counted by the link: " + text
	}
	if text := a.Beacons.text(); text != "" {
		line += "; " + text
	}
	if a.Status != align.StatusOK {
		line += fmt.Sprintf("; %s: %s", a.Status, a.Why)
	}
	return line
}

// Caption says it below a picture's title, where there is room for one line: the offset,
// which the picture has no use for, is left out.
func (a StreamAlignment) Caption() string {
	if a.OffsetU95S == nil {
		return a.Line()
	}
	line := strings.TrimPrefix(a.Line(), fmt.Sprintf("offset %.3f ms ", *a.OffsetS*1e3))
	return strings.Replace(line, ", method ", ", by ", 1)
}

// Brief says it for who looks on: where the stream is, and what its place is worth.
func (a StreamAlignment) Brief() string {
	parts := []string{"alignment " + a.Status}
	if place := a.place(); place != "" {
		parts = append(parts, place)
	}
	if a.Status != align.StatusOK {
		parts = append(parts, a.Why)
	}
	return strings.Join(parts, ": ")
}

// place says offset and rate; "" where there are none.
func (a StreamAlignment) place() string {
	if a.OffsetS == nil || a.OffsetU95S == nil {
		return ""
	}
	text := fmt.Sprintf("offset %.3f ms ± %.2f ms", *a.OffsetS*1e3, *a.OffsetU95S*1e3)
	if a.DriftPPM != nil {
		text += fmt.Sprintf(", rate %+.1f ± %.1f ppm", *a.DriftPPM, *a.DriftU95PPM)
	}
	return text
}
