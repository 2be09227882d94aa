package live_test

import (
	"strings"
	"testing"

	"powerd/analysis/align"
	"powerd/powerd/internal/live"
	"powerd/quarch"
)

// A module streams 5 V at 0.42 A and 12 V at 0.05 A: 2.1 W and 0.6 W. Of whom a second
// speaks depends on what the drive uses: a rail that it does not use is none of its own
// and no part of its total, and without one that it uses there is no total but a reason.
func TestASecondSpeaksOfTheDrivesRails(t *testing.T) {
	const five, twelve = quarch.Rail5V, quarch.Rail12V
	var m live.Meter
	var r live.Recent
	m.Emit = r.Add
	m.Begin(align.Options{PeriodNs: 1_000_000}, 0)
	b := &quarch.Block{PeriodNs: 1_000_000, ReadAtNs: 1e12}
	for _, c := range []struct {
		rail   quarch.Rail
		mV, uA int32
	}{{five, 5000, 420_000}, {twelve, 12_000, 50_000}} {
		tr := quarch.Trace{Rail: c.rail, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for range 1000 {
			tr.V, tr.A = append(tr.V, c.mV), append(tr.A, c.uA)
		}
		b.Traces = append(b.Traces, tr)
	}
	now := m.Add(b)
	for name, c := range map[string]struct {
		used  []quarch.Rail
		rails int
		total float64 // 0 = none
		why   string
	}{
		"nobody says":      {nil, 2, 2.7, ""},
		"both":             {[]quarch.Rail{five, twelve}, 2, 2.7, ""},
		"12 V alone":       {[]quarch.Rail{twelve}, 1, 0.6, ""},
		"one is not there": {[]quarch.Rail{quarch.Rail3V3, twelve}, 1, 0, "3V3 not measured"},
	} {
		rails, why := m.Rails(c.used)
		by, total := r.Last(now, rails)
		if len(by) != c.rails || (total == nil) != (c.total == 0) || total != nil && (*total < c.total-1e-9 || *total > c.total+1e-9) {
			t.Errorf("%s: %v, total %v; want %d rails and %g W", name, by, total, c.rails, c.total)
		}
		if !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: why %q", name, why)
		}
	}
}
