package align

import (
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"powerd/analysis"
	"powerd/quarch"
)

var _ analysis.TimeMap = (*Map)(nil)

func emulated(durationNs float64) module {
	return module{
		periodNs: 64_000, startNs: 5e12, ppm: 130, blockNs: 2.3e6, delay: pty,
		stalls: true, seed: 3, durationNs: durationNs,
	}
}

// A bound is what causality allows: fewer blocks may widen it, never break it.
func TestLosingBlocksNeverBreaksTheBound(t *testing.T) {
	for _, oneIn := range []int{2, 10} {
		m := emulated(200e9)
		m.dropOneIn = oneIn
		got := Solve(Options{PeriodNs: m.periodNs}, m.arrivals(), m.start(2e6))
		for s := 0.0; s < 200e9; s += 1e9 {
			k := s / float64(m.periodNs)
			if at, u := got.TimeOf(k); math.Abs(at-m.truth(k)) > u {
				t.Fatalf("one block in %d lost: at %.0f s off by %.3f ms, U95 %.3f ms", oneIn, s*1e-9, (at-m.truth(k))*1e-6, u*1e-6)
			}
		}
	}
}

func TestShiftingHostTimeShiftsTheMap(t *testing.T) {
	const c = 777_777_777
	m := emulated(200e9)
	all := slices.Collect(m.arrivals())
	a := Solve(Options{PeriodNs: m.periodNs}, slices.Values(all), m.start(2e6))
	for i := range all {
		all[i].ReadAtNs += c
	}
	b := m.start(2e6)
	b.NotBeforeNs += c
	shifted := Solve(Options{PeriodNs: m.periodNs}, slices.Values(all), b)
	for k := 0.0; k < 3e6; k += 12345.6 {
		at, u := a.TimeOf(k)
		at2, u2 := shifted.TimeOf(k)
		if math.Abs(at2-at-c) > 0.01 || math.Abs(u2-u) > 0.01 {
			t.Fatalf("stripe %.1f moved by %.3f ns, want %d", k, at2-at, c)
		}
	}
}

// A block that arrives late says nothing that an earlier one has not said.
func TestLateArrivalsNeverMoveTheMap(t *testing.T) {
	m := emulated(130e9)
	all := slices.Collect(m.arrivals())
	var late []quarch.Arrival
	for _, a := range all {
		late = append(late, a)
		a.ReadAtNs += 3e6 // the same stripes once more, 3 ms later
		late = append(late, a)
	}
	a := Solve(Options{PeriodNs: m.periodNs}, slices.Values(all), m.start(2e6))
	b := Solve(Options{PeriodNs: m.periodNs}, slices.Values(late), m.start(2e6))
	for k := 0.0; k < 2e6; k += 9999 {
		at, _ := a.TimeOf(k)
		if at2, _ := b.TimeOf(k); at2 != at {
			t.Fatalf("stripe %.0f moved by %g ns", k, at2-at)
		}
	}
}

// Knots that lie more than a minute back do not move when more arrives.
func TestKnotsStayOnceFixed(t *testing.T) {
	m := emulated(400e9)
	e := NewEstimator(Options{PeriodNs: m.periodNs})
	e.Bound(m.start(2e6))
	var early []quarch.Knot
	for a := range m.arrivals() {
		e.Add(a)
		if early == nil && float64(a.First)*64e3 > 250e9 {
			early = e.Map().Knots()
		}
		if len(e.cells) > 130*16+2 {
			t.Fatalf("%d cells kept, want those of 130 s at most", len(e.cells))
		}
	}
	final := e.Map().Knots()
	for i, k := range early[:19] { // 0 … 180 s
		if final[i] != k {
			t.Errorf("knot %d was %+v, became %+v", i, k, final[i])
		}
	}
}

func TestARememberedRateServesShortStreams(t *testing.T) {
	m := emulated(3e9) // three seconds tell little of a rate
	m.ppm = -180
	o := Options{PeriodNs: m.periodNs, PriorPPM: -179, PriorU95PPM: 2}
	got := Solve(o, m.arrivals(), m.start(2e6))
	if got.DriftPPM != -179 || got.DriftU95PPM != 2 || got.Method != "prior rate + 1 bound" {
		t.Errorf("%s: drift %g ± %g ppm, want the remembered -179 ± 2", got.Method, got.DriftPPM, got.DriftU95PPM)
	}
}

// A module that averages 1024 samples while 512 are believed sends stripes at
// half the rate: the nominal period is wrong by 10⁶ ppm.
func TestAWrongPeriodIsRefused(t *testing.T) {
	m := emulated(70e9)
	m.ppm = 1e6
	got := Solve(Options{PeriodNs: m.periodNs}, m.arrivals(), m.start(2e6))
	if got.Status != StatusNone || !strings.Contains(got.Reason, "-500") || !strings.Contains(got.Reason, "wrong period") {
		t.Errorf("status %s, reason %q", got.Status, got.Reason)
	}
}

func TestContradictingBoundsAreNeverSilent(t *testing.T) {
	m := emulated(20e9)
	late := Bound{Stripe: 10e9 / 64e3, NotBeforeNs: int64(m.startNs + 10e9 + 50e6), Kind: "power on"}
	o := Options{PeriodNs: m.periodNs}

	got := Solve(o, m.arrivals(), m.start(2e6), late)
	if got.Status != StatusDegraded || !strings.Contains(got.Reason, `"power on"`) {
		t.Errorf("one of two bounds impossible: status %s, reason %q", got.Status, got.Reason)
	}
	got = Solve(o, m.arrivals(), late)
	if got.Status != StatusNone || !strings.Contains(got.Reason, `"power on"`) {
		t.Errorf("the only bound impossible: status %s, reason %q", got.Status, got.Reason)
	}
	got = Solve(o, m.arrivals())
	if _, u := got.TimeOf(0); got.Status != StatusNone || !math.IsInf(u, 1) {
		t.Errorf("no bound: status %s, U95 %g", got.Status, u)
	}
	if got = Solve(o, func(func(quarch.Arrival) bool) {}); got.Status != StatusNone || got.Reason == "" {
		t.Errorf("no block: status %s, reason %q", got.Status, got.Reason)
	}
}

// 10 ms of stripes vanish half-way without being counted. No map can be right on
// both sides; this one says how wrong it may be.
func TestAnUncountedLossWidensTheBound(t *testing.T) {
	const jump = 10e6
	m := emulated(120e9)
	half := m.durationNs / 2 / float64(m.periodNs)
	all := slices.Collect(m.arrivals())
	for i := range all {
		if float64(all[i].First) > half {
			all[i].ReadAtNs += jump
		}
	}
	got := Solve(Options{PeriodNs: m.periodNs}, slices.Values(all), m.start(2e6))
	if got.Status != StatusDegraded {
		t.Errorf("status %s", got.Status)
	}
	for s := 0.0; s < m.durationNs; s += 1e9 {
		k := s / float64(m.periodNs)
		want := m.truth(k)
		if k > half {
			want += jump
		}
		if at, u := got.TimeOf(k); math.Abs(at-want) > u {
			t.Fatalf("at %.0f s off by %.2f ms, U95 %.2f ms", s*1e-9, (at-want)*1e-6, u*1e-6)
		}
	}
}

func TestPolledReadingsCarryTheirOwnTime(t *testing.T) {
	b := &quarch.Block{ // 10 readings a second, one round missed
		AtNs:   []int64{1_000_000_000, 1_100_000_000, 1_200_000_000, 1_400_000_000, 1_500_000_000},
		Traces: []quarch.Trace{{Rail: quarch.Rail5V, V: make([]int32, 5), A: make([]int32, 5)}},
	}
	var blocks iter.Seq2[*quarch.Block, error] = func(yield func(*quarch.Block, error) bool) { yield(b, nil) }
	m, err := Polled(blocks)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range b.AtNs {
		at, u := m.TimeOf(float64(i))
		if at != float64(want) || u != 50e6 { // half of 100 ms
			t.Errorf("reading %d at %.0f ± %.0f ns, want %d ± 50 ms", i, at, u, want)
		}
	}
	if m.Method != "polled" || m.Status != StatusDegraded {
		t.Errorf("method %s, status %s", m.Method, m.Status)
	}
}

// Whatever arrives, time runs forward and the two directions agree.
func TestMapIsMonotoneAndInvertible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.SampledFrom([]int64{4_000, 64_000, 4_096_000, 131_072_000}).Draw(t, "period")
		e := NewEstimator(Options{PeriodNs: period, TickNs: rapid.SampledFrom([]int64{0, 1e6, 16e6}).Draw(t, "tick")})
		first, at := uint64(rapid.IntRange(0, 1000).Draw(t, "first")), int64(5e12)
		for range rapid.IntRange(1, 60).Draw(t, "blocks") {
			n := uint64(rapid.Int64Range(1, 1+20e9/period).Draw(t, "n"))
			at += rapid.Int64Range(0, 30e9).Draw(t, "wait")
			e.Add(quarch.Arrival{First: first, N: n, ReadAtNs: at})
			first += n
		}
		if rapid.Bool().Draw(t, "bound") {
			e.Bound(Bound{NotBeforeNs: 4e12, Kind: "stream start"})
		}
		m := e.Map()
		before := math.Inf(-1)
		for i := range 50 {
			k := float64(first) * float64(i-3) / 40
			ns, _ := m.TimeOf(k)
			if ns <= before {
				t.Fatalf("time of stripe %g is %g, not after %g", k, ns, before)
			}
			before = ns
			// float64 holds a host time of 5e12 ns to 1/1000 ns; a tenth of a period is far above.
			if back := m.IndexAt(ns); math.Abs(back-k) > 0.01 {
				t.Fatalf("IndexAt(TimeOf(%g)) = %g", k, back)
			}
		}
	})
}

func BenchmarkAlignBlock(b *testing.B) {
	all := slices.Collect(emulated(300e9).arrivals())
	b.ResetTimer()
	for b.Loop() {
		e := NewEstimator(Options{PeriodNs: 64_000})
		for _, a := range all {
			e.Add(a)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/block")
}
