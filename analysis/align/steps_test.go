package align

import (
	"fmt"
	"math"
	"os"
	"testing"

	"powerd/analysis/align/aligntest"
)

// silent returns what is found of stripes that vanish, or come twice, at 300 s of a
// stream whose link counts nothing.
func silent(link aligntest.Link, periodNs float64, stripes int64, seconds float64, seed uint64) (*Map, aligntest.Module) {
	m := aligntest.Module{
		PeriodNs: periodNs, StartNs: 5e12, PPM: 50, WarmPPM: 5, Link: link, Stalls: true, Seed: seed, Seconds: seconds,
	}
	if stripes != 0 {
		m.Faults = []aligntest.Fault{{AtS: 300, Stripes: stripes}}
	}
	o := Options{PeriodNs: int64(periodNs), LeastDelayNs: 250e3, Uncounted: true}
	return Solve(o, m.Arrivals()), m
}

// Stripes vanish or come twice without a word. A millisecond of them and more is found
// within 5 s, its size is right to one stripe or to 20 µs, and the stripes after it are
// placed as if nothing had been.
func TestSilentLossIsFoundAndMeasured(t *testing.T) {
	periods, sizes, seeds := []float64{4, 1024}, []float64{1, 64, -10}, uint64(1)
	if os.Getenv("POWERD_TEST_LONG") == "1" {
		periods, sizes, seeds = []float64{4, 64, 1024}, []float64{1, 1.5, 10, 64, -1, -10, -64}, 5
	}
	for _, link := range []aligntest.Link{aligntest.USBCDC(), aligntest.TCP()} {
		for _, periodUs := range periods {
			for _, ms := range sizes {
				for seed := range seeds {
					periodNs := periodUs * 1e3
					stripes := int64(math.Copysign(math.Ceil(math.Abs(ms)*1e6/periodNs), ms))
					t.Run(fmt.Sprintf("%s/%gus/%+gms/%d", link.Name, periodUs, ms, seed), func(t *testing.T) {
						m, mod := silent(link, periodNs, stripes, 330, seed)
						if len(m.Steps) != 1 {
							t.Fatalf("%d steps found: %+v", len(m.Steps), m.Steps)
						}
						s := m.Steps[0]
						want := float64(stripes) * periodNs
						if off := math.Abs(s.Ns - want); off > math.Max(periodNs, 20e3)+1 {
							t.Errorf("%.4f ms found, are %.4f", s.Ns*1e-6, want*1e-6)
						}
						if off := math.Abs(s.Ns - want); off > s.U95Ns || s.U95Ns > 4*math.Max(periodNs, 40e3) || s.Stripes != int64(math.Round(s.Ns/periodNs)) {
							t.Errorf("%d stripes, %.4f ± %.4f ms found, are %.4f", s.Stripes, s.Ns*1e-6, s.U95Ns*1e-6, want*1e-6)
						}
						at := 300e9 / periodNs
						if late := (s.FoundAt - at) * periodNs; late < 0 || late > 5.1e9+math.Abs(want) {
							t.Errorf("found %.2f s later", late*1e-9)
						}
						if n := float64(mod.Link.BlockNs/periodNs) + 1; s.From > at+n || s.To < at-n {
							t.Errorf("placed between stripes %.0f and %.0f, is at %.0f", s.From, s.To, at)
						}
						for _, sec := range []float64{299, 301, 329} {
							k := sec * 1e9 / periodNs
							if ns, u := m.TimeOf(k); math.Abs(ns-mod.Truth(k)) > u {
								t.Errorf("at %g s off by %.0f µs, U95 %.0f µs", sec, (ns-mod.Truth(k))*1e-3, u*1e-3)
							}
						}
						if m.Status != StatusDegraded {
							t.Errorf("status %s", m.Status)
						}
					})
				}
			}
		}
	}
}

// A host that stands still, a link that sends again and a crystal that warms up are no
// loss: not once in six hours.
func TestNoFalseAlarm(t *testing.T) {
	seconds := 3600.0
	if os.Getenv("POWERD_TEST_LONG") == "1" {
		seconds = 6 * 3600
	}
	for _, link := range []aligntest.Link{aligntest.USBCDC(), aligntest.TCP()} {
		for seed := range uint64(2) {
			if m, _ := silent(link, 64e3, 0, seconds, seed); len(m.Steps) != 0 {
				t.Errorf("%s: %d steps found in %.0f s: %+v", link.Name, len(m.Steps), seconds, m.Steps)
			}
		}
	}
}

// A link that is slow for seconds on end, again and again, as of a host that has much to
// do, loses nothing by it; neither does one that is slow when its stream begins.
func TestASlowHostIsNoStep(t *testing.T) {
	slow := func(s float64) float64 { // ms
		switch {
		case s < 8: // all is starting up
			return 1.5
		case int(s)%40 < 5:
			return 1
		}
		return 0
	}
	for seed := range uint64(3) {
		m := aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: 50, Link: aligntest.USBCDC(), Seconds: 400, Seed: seed}
		e := NewEstimator(Options{PeriodNs: 64e3, LeastDelayNs: 250e3, Uncounted: true})
		for a := range m.Arrivals() {
			s := float64(a.First) * 64e-6
			if s > 60 || s < 20 { // before it is slow for the first time the link is as it is
				a.ReadAtNs += int64(slow(s) * 1e6)
			}
			e.Add(a)
		}
		if steps := e.Map().Steps; len(steps) > 0 {
			t.Errorf("seed %d: %+v", seed, steps)
		}
	}
}

// A link that says nothing for 4 s and then delivers twice as fast until it has caught up,
// 8 s of stream later, has lost nothing: while it is late it may look so, and no longer once stripes
// come that could not be there yet if so many had been lost. Slower and faster ones alike.
func TestALinkThatCatchesUpHasLostNothing(t *testing.T) {
	for _, c := range []struct{ silentS, perS float64 }{{4, 2}, {3, 1.2}, {6, 10}} {
		m := aligntest.Module{PeriodNs: 64e3, StartNs: 5e12, PPM: 50, Link: aligntest.TCP(), Seconds: 420, Seed: 1}
		e := NewEstimator(Options{PeriodNs: 64e3, LeastDelayNs: 250e3, Uncounted: true})
		for a := range m.Arrivals() {
			if s := float64(a.First)*64e-6 - 300; s > 0 {
				a.ReadAtNs += int64(1e9 * max(0, c.silentS-s*(1-1/c.perS)))
			}
			e.Add(a)
		}
		got := e.Map()
		if len(got.Steps) > 0 {
			t.Errorf("%g s of silence, then %g times as fast: %+v", c.silentS, c.perS, got.Steps)
		}
		for _, sec := range []float64{299, 400, 419} {
			k := sec * 1e9 / 64e3
			if ns, u := got.TimeOf(k); math.Abs(ns-m.Truth(k)) > u {
				t.Errorf("%g s of silence: at %g s off by %.0f µs, U95 %.0f µs", c.silentS, sec, (ns-m.Truth(k))*1e-3, u*1e-3)
			}
		}
	}
}
