package idle

import (
	"math"
	"strings"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/quarch"
)

// feed gives a Settler one value a second.
func feed(r Rule, seconds int, watts func(s int) float64) *Settler {
	s := NewSettler(r)
	for i := range seconds {
		if w := watts(i); !math.IsNaN(w) {
			s.Add(float64(i)+0.5, 1, w)
		}
	}
	s.End()
	return s
}

// A drive that draws 6 W for 100 s, then 5 W: from second 100 on every minute's mean is
// 5 W. Means that hold a second of the 6 W are 1/60 W more, 0.33 %, which 1 % allows:
// with x such seconds the highest is x/60 W above 5, and 1 % of 5 W is 0.05 W, so three
// of them pass. The first stretch that does begins at second 97.
func TestSettlesAfterAStep(t *testing.T) {
	s := feed(DefaultRule(), 400, func(s int) float64 {
		if s < 100 {
			return 6
		}
		return 5
	})
	if after, ok := s.Settled(); !ok || after != 97 {
		t.Errorf("settled after %g s (%t), want 97", after, ok)
	}
}

// A drive that draws the same from the start has settled after 0 s, which is known
// after 3 min.
func TestSettledFromTheStart(t *testing.T) {
	s := NewSettler(DefaultRule())
	for i := range 179 {
		s.Add(float64(i)+0.5, 1, 3)
	}
	if _, ok := s.Settled(); ok {
		t.Error("settled before 3 min have gone by")
	}
	s.Add(179.5, 1, 3)
	s.Add(180.5, 1, 3) // ends second 179
	if after, ok := s.Settled(); !ok || after != 0 {
		t.Errorf("settled after %g s (%t), want 0", after, ok)
	}
}

// Power that falls by 1 mW a second from 3 W for 15 min: the means of a minute in a
// stretch of 3 min are 120 mW apart, 4 % and more of it.
func TestASlopeNeverSettles(t *testing.T) {
	s := feed(DefaultRule(), 900, func(s int) float64 { return 3 - 1e-3*float64(s) })
	if _, ok := s.Settled(); ok || !strings.Contains(s.Why(), "still differ by 5.") { // 0.12 W of 2.19 W
		t.Errorf("settled %t: %s", ok, s.Why())
	}
}

// Of 3 min a whole one has no samples: its means are not known, so nobody knows.
func TestMissingSamplesDoNotSettle(t *testing.T) {
	s := feed(DefaultRule(), 200, func(s int) float64 {
		if s >= 60 && s < 120 {
			return math.NaN()
		}
		return 3
	})
	if _, ok := s.Settled(); ok || !strings.Contains(s.Why(), "samples are missing") {
		t.Errorf("settled %t: %s", ok, s.Why())
	}
}

// Parts of 100 ms and of 1 s tell the same.
func TestPartsOfAnyLengthTellTheSame(t *testing.T) {
	r := Rule{Mean: 2 * time.Second, WithinPct: 5, For: 6 * time.Second, AtMost: time.Minute}
	watts := func(at float64) float64 { return 2 + 3*math.Exp(-math.Floor(at)/5) }
	whole := feed(r, 60, func(s int) float64 { return watts(float64(s)) })
	parts := NewSettler(r)
	for i := range 600 {
		at := (float64(i) + 0.5) / 10
		parts.Add(at, 0.1, watts(at))
	}
	parts.End()
	a, ok := whole.Settled()
	if b, also := parts.Settled(); !ok || !also || a != b || a == 0 {
		t.Errorf("settled after %g s and %g s", a, b)
	}
}

// settled returns the result of a step that began at 0 s, and of which the seconds from
// one to another were measured; the drive draws more until it settles.
func settled(t *testing.T, o Options, fromS, toS, untilS int) *Result {
	t.Helper()
	b := &quarch.Block{PeriodNs: 100e6, Traces: []quarch.Trace{rail(quarch.Rail5V, toS*10, func(i int) float64 {
		if i < untilS*10 && o.Step != "slope" {
			return 420
		}
		if o.Step == "slope" {
			return 400 - float64(i)/10
		}
		return 400
	})}}
	o.SinceNs = 1 // what began with the stream
	a, err := New(clock{periodNs: 100e6}, analysis.Window{StartNs: int64(fromS) * 1e9, EndNs: int64(toS) * 1e9}, o)
	if err != nil {
		t.Fatal(err)
	}
	a.Add(b)
	return a.Results()[0]
}

// A run waited for the drive: its window begins after it had settled, and the mean is
// of what came then. 5 V · 400 mA = 2 W.
func TestWindowAfterSettling(t *testing.T) {
	rule := DefaultRule()
	r := settled(t, Options{Step: "idle", Settle: &rule}, 300, 600, 60)
	near(t, "mean", r.Total.MeanW, 2, 1e-9)
	near(t, "settled after", r.SettledAfterS, 48, 1) // 12 s of 5 % in a minute are 1 %
	if r.Settled == nil || !*r.Settled || len(r.Warnings) != 0 {
		t.Errorf("settled %v, warnings %v", r.Settled, r.Warnings)
	}
}

// It waited in vain: the figure is given, with the reason not to trust it.
func TestNotSettled(t *testing.T) {
	rule := DefaultRule()
	r := settled(t, Options{Step: "slope", Settle: &rule}, 200, 380, 0)
	if r.Settled == nil || *r.Settled || r.SettledAfterS != nil || !strings.Contains(r.UnsettledWhy, "still differ") || !warnsOf(r, "not_settled") {
		t.Errorf("settled %v after %v because %q; warnings %v", r.Settled, r.SettledAfterS, r.UnsettledWhy, r.Warnings)
	}
	if r.Total.MeanW == nil {
		t.Error("the figure is not given")
	}
}

// Nobody waited. 5 min can tell that the drive settled inside the window only; 30 s can
// tell nothing, which is no reproach.
func TestWithoutWaiting(t *testing.T) {
	r := settled(t, Options{Step: "idle"}, 0, 300, 60)
	if r.Settled == nil || *r.Settled || r.SettledAfterS == nil || !strings.Contains(r.UnsettledWhy, "into the window") {
		t.Errorf("settled %v after %v because %q", r.Settled, r.SettledAfterS, r.UnsettledWhy)
	}
	r = settled(t, Options{Step: "idle"}, 0, 30, 0)
	if r.Settled != nil || r.SettledAfterS != nil || warnsOf(r, "not_settled") {
		t.Errorf("settled %v after %v, warnings %v", r.Settled, r.SettledAfterS, r.Warnings)
	}
	if w := r.Withheld; len(w) == 0 || w[len(w)-1].What != "idle.idle.settled_after_s" || !strings.Contains(w[len(w)-1].Why, "30 s of samples are too short") {
		t.Errorf("withheld %v", w)
	}
}
