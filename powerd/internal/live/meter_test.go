package live_test

import (
	"testing"

	"powerd/powerd/internal/live"
	"powerd/quarch"
)

// A stream of five hours, whose module's clock is 40 ppm slow, is placed to 2 ms all the
// time, and its map does not grow with it: it is begun afresh every hour.
func TestMapOfALongStreamStaysSmall(t *testing.T) {
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
	m.Begin(periodNs, startNs-int64(1e6)) // asked for 1 ms before it began
	tr := quarch.Trace{Rail: quarch.Rail5V, V: make([]int32, inBlock), A: make([]int32, inBlock), LSBVolts: 1e-3, LSBAmps: 1e-6}
	next := uint64(0)
	for next*periodNs < hours*3600e9 {
		b := &quarch.Block{First: next, PeriodNs: periodNs, Traces: []quarch.Trace{tr}}
		next = b.End()
		late := int64(1+next%7) * 100_000 // 0.1 to 0.7 ms
		b.ReadAtNs = trueNs(next) + late
		reached := m.Add(b)
		if off := reached - trueNs(next); off < -2e6 || off > 2e6 {
			t.Fatalf("stripe %d is placed %.3f ms wrong", next, float64(off)*1e-6)
		}
		if n := len(m.Map().Knots()); n > 3600/10+20 { // one in ten seconds of an hour, and what a map looks back on
			t.Fatalf("after %.1f h the map has %d points", float64(next)*periodNs/3600e9, n)
		}
	}
	m.End()
	if summaries != next {
		t.Errorf("the summaries hold %d stripes, want all %d", summaries, next)
	}
}
