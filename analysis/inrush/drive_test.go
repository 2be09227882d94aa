package inrush

import (
	"math"
	"math/rand/v2"

	"powerd/quarch"
)

// clock is a module's clock for tests: stripe k begins at k·periodNs.
type clock struct{ periodNs, u95Ns float64 }

func (c clock) TimeOf(k float64) (ns, u95Ns float64) { return k * c.periodNs, c.u95Ns }
func (c clock) IndexAt(ns float64) float64           { return ns / c.periodNs }

// SecondsBetween is exact: what is unsure is where the module's clock stands, not its rate.
func (c clock) SecondsBetween(a, b float64) (s, u95S float64) { return (b - a) * c.periodNs * 1e-9, 0 }

// plateau is a current that a drive heads for, with a lag, until untilMs.
type plateau struct{ untilMs, amps float64 }

// supply is one rail of a drive that starts up: a linear ramp, charging
// currents, leakage, and from 3.9 V at the 5 V rail on the plateaus of an SSD.
type supply struct {
	rail      quarch.Rail
	farads    float64
	leakA     float64 // at nominal voltage
	lagMs     float64
	plateaus  []plateau // after the drive came to life
	noiseA    float64
	noiseV    float64
	resistor  float64
	i         float64 // present plateau current
	lifeAtMs  float64
	rampMs    float64
	startedMs float64 // when the rails begin to rise
}

func ssd(startedMs float64) [2]*supply {
	const rampMs, lifeV = 100, 3.9
	life := startedMs + rampMs*lifeV/5
	return [2]*supply{
		{
			rail: quarch.Rail5V, farads: 120e-6, leakA: 4e-3, lagMs: 3, noiseA: 4e-3, noiseV: 2e-3,
			plateaus: []plateau{{300, 0.36}, {345, 1.04}, {2050, 0.62}, {2750, 0.70}, {3200, 0.50}, {1e9, 0.41742}},
			resistor: 0.04, lifeAtMs: life, rampMs: rampMs, startedMs: startedMs,
		},
		{
			rail: quarch.Rail12V, farads: 68e-6, leakA: 2e-3, lagMs: 4, noiseA: 2e-3, noiseV: 3e-3,
			plateaus: []plateau{{50, 0}, {300, 0.05}, {2100, 0.13}, {2120, 0.13}, {2720, 0.43}, {3200, 0.12}, {1e9, 0.07144}},
			resistor: 0.04, lifeAtMs: life, rampMs: rampMs, startedMs: startedMs,
		},
	}
}

// at returns volts and amperes at a time; it is called with rising times, dtMs
// apart.
func (s *supply) at(ms, dtMs float64, r *rand.Rand) (v, a float64) {
	rise := (ms - s.startedMs) / s.rampMs
	nominal := s.rail.NominalVolts()
	v = nominal * min(1, max(0, rise))
	if ms >= s.lifeAtMs {
		for _, p := range s.plateaus {
			if ms-s.lifeAtMs < p.untilMs {
				s.i += (p.amps - s.i) * (1 - math.Exp(-dtMs/s.lagMs))
				break
			}
		}
	}
	a = s.leakA*v/nominal + s.i
	if rise > 0 && rise < 1 {
		a += s.farads * nominal / (s.rampMs * 1e-3)
	}
	if rise > 0 {
		v -= s.resistor * a
	}
	return v + s.noiseV*r.NormFloat64(), a + s.noiseA*r.NormFloat64()
}

// startUp yields blocks of a drive's start, in stripes of averaging × 16 µs.
func startUp(averaging int, ms, startedMs float64, seed uint64, yield func(*quarch.Block)) {
	const baseMs = 0.016
	r := rand.New(rand.NewPCG(seed, 3))
	rails := ssd(startedMs)
	n := int(ms / baseMs / float64(averaging))
	b := newBlock(0, int64(averaging)*16_000)
	for k := range n {
		for i, s := range rails {
			var sv, sa float64
			for j := range averaging {
				v, a := s.at(baseMs*float64(k*averaging+j), baseMs, r)
				sv, sa = sv+v, sa+a
			}
			t := &b.Traces[i]
			t.V = append(t.V, int32(math.Round(1e3*sv/float64(averaging))))
			t.A = append(t.A, int32(math.Round(1e6*sa/float64(averaging))))
		}
		if b.Len() == 500 || k == n-1 {
			yield(b)
			b = newBlock(b.End(), b.PeriodNs)
		}
	}
}

func newBlock(first uint64, periodNs int64) *quarch.Block {
	return &quarch.Block{First: first, PeriodNs: periodNs, Traces: []quarch.Trace{
		{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}, {Rail: quarch.Rail12V, LSBVolts: 1e-3, LSBAmps: 1e-6},
	}}
}
