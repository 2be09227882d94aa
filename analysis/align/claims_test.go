package align

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"powerd/analysis/align/aligntest"
	"powerd/quarch"
)

// ols is the mean of all arrivals in place of the line below them: what is usual.
func ols(cells []cell, mid float64) (line, bool) {
	var n, sx, sy, sxx, sxy float64
	for _, c := range cells {
		x := c.x - mid
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+c.y, sxx+x*x, sxy+x*c.y
	}
	rate := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	if !(math.Abs(rate) < 1) {
		return line{}, false
	}
	return line{x0: mid, y0: (sy - rate*sx) / n, rate: rate, measured: true}, true
}

// The matrix finds out whoever breaks what it rests on: a mean in place of the hull, a
// block that is taken to arrive at its start, half the U95.
func TestMatrixFindsWhatIsBroken(t *testing.T) {
	passive := hour("usbcdc", 50)
	caused := passive
	caused.link, caused.events = "ftdi16", aligntest.Beacon
	slow := passive
	slow.periodUs = 4096
	claims := group{p95: 150 * us, max: 200 * us}
	fails := func(o outcome) bool { return len(claims.check(o)) > 0 }

	for _, s := range []scenario{passive, caused, slow} {
		if o := s.run(nil); len((group{}).check(o)) > 0 {
			t.Errorf("sound, but: %s", o.row())
		}
	}
	if o := passive.run(func(e *Estimator) { e.floor = ols }); !fails(o) {
		t.Errorf("a mean of arrivals passes: %s", o.row())
	}
	mod := slow.module()
	early := func(yield func(quarch.Arrival) bool) {
		for a := range mod.Arrivals() {
			a.First -= min(a.First, a.N) // the end is where the start was
			if !yield(a) {
				return
			}
		}
	}
	if o := slow.judge(mod, Solve(slow.options(mod), early, slow.known(mod)...)); !fails(o) {
		t.Errorf("arrival at a block's start passes: %s", o.row())
	}
	lag := caused
	lag.lagUs = 400
	o := lag.run(nil)
	in := 0
	for i := range o.errors {
		if o.errors[i] <= o.halves[i]/2 {
			in++
		}
	}
	if in*100 >= 99*len(o.errors) {
		t.Errorf("half the U95 passes: %s", o.row())
	}
}

// What is usual, in the same streams, is worse by three times and more, in the 95th
// percentile. The matrix prints it for all rows.
func TestAgainstWhatIsUsual(t *testing.T) {
	for _, link := range []string{"usbcdc", "tcp", "ftdi16"} {
		o := hour(link, 50).run(nil)
		r := o.ratios()
		t.Logf("%s: %.0f us; start stamp and nominal rate %.0f x, least of 60 %.0f x, mean %.0f x", link, o.p95*1e-3, r[0], r[1], r[2])
		if !(min(r[0], r[1], r[2]) >= 3) {
			t.Errorf("%s: factors %.1f; all must be above 3", link, r)
		}
	}
}

// What a causal map has given stays given; it is extended and no more.
func TestCausalMapIsFrozen(t *testing.T) {
	s := hour("tcp", -200)
	s.causal, s.seconds, s.events = true, 300, aligntest.Beacon
	mod := s.module()
	e := NewEstimator(s.options(mod))
	for _, k := range s.known(mod) {
		k.tell(e)
	}
	type given struct{ k, at, u float64 }
	var all []given
	next := 2.0
	for a := range mod.Arrivals() {
		e.Add(a)
		if k := float64(a.First); k*mod.PeriodNs > next*1e9 {
			next += 7.3
			at, u := e.Map().TimeOf(k)
			all = append(all, given{k, at, u})
		}
	}
	m := e.Map()
	for _, g := range all {
		if at, u := m.TimeOf(g.k); at != g.at || u != g.u {
			t.Errorf("stripe %.0f was given %.3f ± %.3f, is %.3f ± %.3f", g.k, g.at, g.u, at, u)
		}
	}
}

// A wall clock that jumps by an hour leaves the map as it is, to the last bit.
func TestWallStepLeavesTheMapAlone(t *testing.T) {
	s := hour("usbcdc", 50)
	s.seconds = 200
	mod := s.module()
	a := Solve(s.options(mod), mod.Arrivals(), Clocks(mod.Clocks(0)))
	b := Solve(s.options(mod), mod.Arrivals(), Clocks(mod.Clocks(-3600e9)))
	for k := 0.0; k < mod.Stripes(); k += 12345 {
		x, u := a.TimeOf(k)
		if y, v := b.TimeOf(k); x != y || u != v {
			t.Fatalf("stripe %.0f: %.3f became %.3f", k, x, y)
		}
	}
}

// A host clock that is slewed by 2500 ppm is no module with a wrong period: rates are
// judged by the clock that nobody slews. A module with a wrong period is refused.
func TestRateIsJudgedByTheRawClock(t *testing.T) {
	s := hour("usbcdc", 0)
	s.seconds = 300
	mod := s.module()
	mod.Slew = aligntest.Slew{FromS: 0, ToS: 300, PPM: 2500}
	m := Solve(s.options(mod), mod.Arrivals(), Clocks(mod.Clocks(0)))
	if m.Status != StatusOK || math.Abs(m.DriftPPM-2503) > 5 {
		t.Errorf("slewed host: %s %s, %+.1f ppm against its clock", m.Status, m.Reason, m.DriftPPM)
	}
	if m = Solve(s.options(mod), mod.Arrivals()); m.Status != StatusNone || !strings.Contains(m.Reason, "wrong period") {
		t.Errorf("without the raw clock: %s %s", m.Status, m.Reason)
	}
	mod.Slew, mod.PPM = aligntest.Slew{}, 2500
	if m = Solve(s.options(mod), mod.Arrivals(), Clocks(mod.Clocks(0))); m.Status != StatusNone || !strings.Contains(m.Reason, "wrong period") {
		t.Errorf("wrong period: %s %s", m.Status, m.Reason)
	}
}

// A change of offset never changes a joule: durations come from the rate, and the rate
// from no offset.
func TestDurationsDoNotKnowTheOffset(t *testing.T) {
	s := hour("tcp", 50)
	s.seconds = 300
	mod := s.module()
	o := s.options(mod)
	o.LeastDelayNs = 0 // so that the bound is all there is from below
	near := Solve(o, mod.Arrivals(), Bound{NotBeforeNs: int64(mod.StartNs - 50e3), Kind: "stream start"})
	far := Solve(o, mod.Arrivals(), Bound{NotBeforeNs: int64(mod.StartNs - 2e6), Kind: "stream start"})
	a, _ := near.Offset()
	b, _ := far.Offset()
	if math.Abs(a-b) < 10e3 {
		t.Fatalf("offsets %.0f ns apart: the bounds should move them", a-b)
	}
	x, u := near.SecondsBetween(1000, 3e6)
	if y, _ := far.SecondsBetween(1000, 3e6); x != y {
		t.Errorf("%.9f s became %.9f s", x, y)
	}
	if want := (mod.Truth(3e6) - mod.Truth(1000)) * 1e-9; math.Abs(x-want) > u+3e6*64e-6*5e-6 { // and the warm-up's 5 ppm
		t.Errorf("%.6f ± %.6f s, are %.6f", x, u, want)
	}
}

// Times scale: a module of twice the period that is otherwise the same has the same rate.
func TestScalingThePeriodKeepsTheRate(t *testing.T) {
	var got []float64
	for _, us := range []float64{32, 64} {
		s := hour("usbcdc", 137)
		s.periodUs, s.seconds, s.warm = us, 300, false
		mod := s.module()
		m := Solve(s.options(mod), mod.Arrivals())
		got = append(got, m.DriftPPM)
		if math.Abs(m.DriftPPM-137) > m.DriftU95PPM {
			t.Errorf("%g us: %.2f ± %.2f ppm", us, m.DriftPPM, m.DriftU95PPM)
		}
	}
	if math.Abs(got[0]-got[1]) > 1 {
		t.Errorf("%.2f and %.2f ppm", got[0], got[1])
	}
}

// An event that arrivals contradict is never silent.
func TestContradictingEventsAreNeverSilent(t *testing.T) {
	s := hour("usbcdc", 50)
	s.seconds, s.events, s.everyS = 300, aligntest.Beacon, 20
	mod := s.module()
	known := s.known(mod)
	for i, k := range known {
		if v, ok := k.(Event); ok {
			v.NotBeforeNs, v.DoneNs = v.NotBeforeNs+20e6, v.DoneNs+20e6
			known[i] = v
		}
	}
	if m := Solve(s.options(mod), mod.Arrivals(), known...); m.Status == StatusOK {
		t.Errorf("events 20 ms after the arrivals of their stripes: %s, %s", m.Status, m.Method)
	}
}

// BenchmarkAlignLinks is what a block costs on each link, with all that is looked for.
func BenchmarkAlignLinks(b *testing.B) {
	for _, l := range aligntest.Links(64e3) {
		for _, causal := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/causal=%v", l.Name, causal), func(b *testing.B) {
				s := hour(l.Name, 50)
				s.seconds, s.events, s.causal, s.loss = 600, aligntest.Beacon, causal, "stripe"
				mod := s.module()
				all, known := slices.Collect(mod.Arrivals()), s.known(mod)
				b.ResetTimer()
				for b.Loop() {
					e := NewEstimator(s.options(mod))
					for _, k := range known {
						k.tell(e)
					}
					for _, a := range all {
						e.Add(a)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/block")
			})
		}
	}
}
