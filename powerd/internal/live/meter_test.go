package live_test

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis/align"
	"powerd/powerd/internal/live"
	"powerd/quarch"
)

// A stream of five hours, whose module's clock is 40 ppm slow, is placed to 2 ms and within
// its ± all the time, whether that is remembered to 5 ppm or not. Its map does not grow with
// it, and what was said of its start stays said, and holds.
func TestMapOfALongStreamStaysSmall(t *testing.T) {
	for _, o := range []align.Options{{}, {PriorPPM: 43, PriorU95PPM: 5}} {
		longStream(t, o)
	}
}

func longStream(t *testing.T, o align.Options) {
	t.Helper()
	const (
		periodNs = 1_024_000
		inBlock  = 977 // about a second
		ppm      = 40
		startNs  = int64(5e12)
		hours    = 5
	)
	trueNs := func(k uint64) int64 { return startNs + int64(float64(k)*periodNs*(1+ppm*1e-6)) }
	var m live.Meter
	summaries := uint64(0)
	m.Emit = func(_ int64, s *quarch.RailSummary) { summaries += s.W.N }
	o.PeriodNs = periodNs
	m.Begin(o, startNs-int64(1e6)) // asked for 1 ms before it began
	tr := quarch.Trace{Rail: quarch.Rail5V, V: make([]int32, inBlock), A: make([]int32, inBlock), LSBVolts: 1e-3, LSBAmps: 1e-6}
	next, offset := uint64(0), 0.0
	for next*periodNs < hours*3600e9 {
		b := &quarch.Block{First: next, PeriodNs: periodNs, Traces: []quarch.Trace{tr}}
		next = b.End()
		late := int64(1+next%7) * 100_000 // 0.1 to 0.7 ms
		b.ReadAtNs = trueNs(next) + late
		off := math.Abs(float64(m.Add(b) - trueNs(next)))
		s := float64(next) * periodNs * 1e-9
		if _, u := m.Map().TimeOf(float64(next)); off > u || off > 2e6 {
			t.Fatalf("stripe %d is placed %.3f ms wrong, U95 %.3f ms", next, off*1e-6, u*1e-6)
		}
		a := m.Alignment(startNs)
		if a.OffsetS == nil || math.Abs(*a.OffsetS) > *a.OffsetU95S || *a.OffsetU95S > 2e-3 || math.Abs(*a.DriftPPM-ppm) > *a.DriftU95PPM {
			t.Fatalf("after %.0f s: %s", s, a.Brief())
		}
		if *a.OffsetS != offset && s > 3 {
			t.Fatalf("after %.0f s the offset is %g s, was %g", s, *a.OffsetS, offset)
		}
		offset = *a.OffsetS
		if n := len(m.Map().Knots()); n > 70 { // one in ten seconds of ten minutes, and the begin
			t.Fatalf("after %.1f h the map has %d points", s/3600, n)
		}
	}
	m.End()
	if summaries != next {
		t.Errorf("the summaries hold %d stripes, want all %d", summaries, next)
	}
}

// block is 100 ms of a stream whose stripe 0 began at 5000 s, at 1.024 ms.
func block(first uint64, ppm float64, lateNs int64) *quarch.Block {
	const periodNs, n = 1_024_000, 98
	tr := quarch.Trace{Rail: quarch.Rail5V, V: make([]int32, n), A: make([]int32, n), LSBVolts: 1e-3, LSBAmps: 1e-6}
	b := &quarch.Block{First: first, PeriodNs: periodNs, Traces: []quarch.Trace{tr}}
	b.ReadAtNs = int64(5e12) + int64(float64(b.End())*periodNs*(1+ppm*1e-6)) + lateNs
	return b
}

// While a stream runs it is said how well it is placed, and why where that is not well. A
// rate that is remembered is used, and the host's clocks may be miles apart.
func TestAlignmentWhileItRuns(t *testing.T) {
	const ppm = 120
	m := live.Meter{Emit: func(int64, *quarch.RailSummary) {}}
	if a := m.Alignment(0); a != nil {
		t.Errorf("before a stream: %+v", a)
	}
	m.Clock(quarch.Clock{MonoNs: 4999e9, RawNs: 4321e9})
	m.Begin(align.Options{PeriodNs: 1_024_000, PriorPPM: ppm + 1, PriorU95PPM: 3}, 5e12-400e3)
	m.Begin(align.Options{PeriodNs: 1_024_000, PriorPPM: ppm + 1, PriorU95PPM: 3}, 5e12-400e3) // started again
	for i := range uint64(50) {
		b := block(i*98, ppm, 100e3)
		m.Clock(quarch.Clock{MonoNs: b.ReadAtNs - 1e6, RawNs: b.ReadAtNs - 1e6 - 679e9})
		m.Add(b)
	}
	a := m.Alignment(0)
	if a.Status != align.StatusOK || a.Stream != 2 || a.Stripes != 4900 || a.LostStripes != 0 || math.Abs(*a.DriftPPM-ppm-1) > 1e-3 || *a.DriftU95PPM != 3 {
		t.Errorf("stream %d, %d stripes: %s", a.Stream, a.Stripes, a.Brief())
	}
	if off := math.Abs(*a.OffsetS - 400e-6); off > *a.OffsetU95S || *a.OffsetU95S > 1e-3 { // since it was asked for
		t.Errorf("offset %.6f ± %.6f s, is 0.0004", *a.OffsetS, *a.OffsetU95S)
	}

	m.Begin(align.Options{PeriodNs: 1_024_000}, 5e12-60e6) // slow to answer
	for i := range uint64(50) {
		m.Add(block(i*98, ppm, 100e3))
	}
	if a = m.Alignment(5e12); a.Status != align.StatusDegraded || !strings.Contains(a.Brief(), "alignment degraded: offset") || !strings.Contains(a.Brief(), "placed within ±") {
		t.Errorf("badly placed: %s", a.Brief())
	}

	m.Begin(align.Options{}, 0)
	m.Add(&quarch.Block{AtNs: []int64{5e12, 5.1e12}, Traces: block(0, 0, 0).Traces[:0]})
	m.Add(&quarch.Block{First: 2, AtNs: []int64{5.2e12}, Traces: []quarch.Trace{{Rail: quarch.Rail5V, V: make([]int32, 1), A: make([]int32, 1)}}})
	if a = m.Alignment(0); a.Status != align.StatusDegraded || !strings.HasPrefix(a.Why, "polled") || a.OffsetS != nil {
		t.Errorf("polled: %+v", a)
	}
}
