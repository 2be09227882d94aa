package align

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/analysis/align/aligntest"
)

// scenario is a cell of the matrix.
type scenario struct {
	link       string // by its name in aligntest
	periodUs   float64
	ppm        float64
	warm       bool
	stalls     bool
	loss       string // none, stripe, block, 64ms: in silence, half-way
	clock      string // still, step, slew
	seconds    float64
	events     string // kind
	everyS     float64
	lagUs      float64
	remembered bool // the module's rate, to ± 2 ppm
	causal     bool
	seed       uint64
}

func (s scenario) String() string {
	parts := []string{s.link, fmt.Sprintf("%gus", s.periodUs), fmt.Sprintf("%+gppm", s.ppm), fmt.Sprintf("%gs", s.seconds)}
	if s.events != aligntest.None {
		parts = append(parts, fmt.Sprintf("%s/%gs lag %gus", s.events, s.everyS, s.lagUs))
	}
	for name, on := range map[string]bool{"warm": s.warm, "stalls": s.stalls, "remembered": s.remembered, "online": s.causal} {
		if on {
			parts = append(parts, name)
		}
	}
	slices.Sort(parts[min(len(parts), 5):])
	if s.loss != "none" {
		parts = append(parts, "loss "+s.loss)
	}
	if s.clock != "still" {
		parts = append(parts, "clock "+s.clock)
	}
	return strings.Join(parts, " ")
}

// module is the scenario's module in virtual time.
func (s scenario) module() aligntest.Module {
	periodNs := s.periodUs * 1e3
	m := aligntest.Module{
		PeriodNs: periodNs, StartNs: 5e12 + 1.234567e6*float64(s.seed), PPM: s.ppm, Stalls: s.stalls, Seed: s.seed, Seconds: s.seconds,
	}
	for _, l := range aligntest.Links(periodNs) {
		if l.Name == s.link {
			m.Link = l
		}
	}
	if s.warm {
		m.WarmPPM = 5
	}
	stripes := map[string]float64{"stripe": 1, "block": m.Link.BlockNs / periodNs, "64ms": 64e6 / periodNs}[s.loss]
	if n := int64(math.Round(stripes)); n > 0 {
		m.Faults = []aligntest.Fault{{AtS: s.seconds / 2, Stripes: n}}
	}
	if s.clock == "slew" {
		m.Slew = aligntest.Slew{FromS: s.seconds / 4, ToS: s.seconds * 3 / 4, PPM: 500}
	}
	return m
}

// outcome is what a map is worth against the truth, once a second.
type outcome struct {
	scenario
	m        *Map
	errors   []float64 // ns, of each second
	halves   []float64 // U95, ns
	p95, max float64
	usual    [3]float64 // p95 of what others do: see usual
	settled  float64    // max after the first window of an hour: until then a causal map cannot know what a timer of 1 ms hides
	coverage float64
}

// known is what the host knows of the scenario besides its arrivals.
func (s scenario) known(m aligntest.Module) []Known {
	out := []Known{Bound{NotBeforeNs: int64(m.StartNs - 2e6), Kind: "stream start"}}
	if s.clock != "still" {
		out = append(out, Clocks(m.Clocks(1e9)))
	}
	for _, v := range m.Events(s.events, s.everyS, aligntest.Drive{LagNs: s.lagUs * 1e3, ServiceNs: 250e3}) {
		if v.Kind == aligntest.Stop { // how long a drive is busy after its last IO differs: a bound, and no point
			out = append(out, Bound{Stripe: v.Stripe + v.UNs/m.PeriodNs, NotBeforeNs: v.NotBeforeNs, Kind: v.Kind})
			continue
		}
		out = append(out, Event{Stripe: v.Stripe, UNs: v.UNs, NotBeforeNs: v.NotBeforeNs, DoneNs: v.DoneNs, Kind: v.Kind})
	}
	return out
}

func (s scenario) options(m aligntest.Module) Options {
	o := Options{
		PeriodNs: int64(m.PeriodNs), TickNs: int64(m.Link.TickNs), LeastDelayNs: 250e3, WideNs: 1e6,
		Uncounted: s.loss != "none", Causal: s.causal,
	}
	if s.remembered {
		o.PriorPPM, o.PriorU95PPM = s.ppm+1, 2
		if s.warm {
			o.PriorPPM += 5
		}
	}
	return o
}

// run places the scenario's stream. tweak changes the estimator first.
func (s scenario) run(tweak func(*Estimator)) outcome {
	mod := s.module()
	e := NewEstimator(s.options(mod))
	if tweak != nil {
		tweak(e)
	}
	for _, k := range s.known(mod) {
		k.tell(e)
	}
	others := usual{mod: mod}
	for a := range mod.Arrivals() {
		e.Add(a)
		others.add(a)
	}
	out := s.judge(mod, e.Map())
	out.usual = others.p95()
	return out
}

// ratios returns by how much what others do is worse, in the 95th percentile.
func (o outcome) ratios() (out [3]float64) {
	for k, p95 := range o.usual {
		out[k] = p95 / o.p95
	}
	return out
}

// judge compares a map with the truth in each second of the stream.
func (s scenario) judge(mod aligntest.Module, m *Map) outcome {
	out := outcome{scenario: s, m: m}
	in := 0.0
	total := math.Floor(mod.Stripes()) - float64(sum(mod.Faults))
	for x := 0.5; x < s.seconds; x++ {
		k := x * 1e9 / mod.PeriodNs
		if k >= total {
			break
		}
		at, u := m.TimeOf(k)
		err := math.Abs(at - mod.Truth(k))
		out.errors, out.halves = append(out.errors, err), append(out.halves, u)
		if err <= u {
			in++
		}
	}
	out.coverage = in / float64(len(out.errors))
	sorted := slices.Sorted(slices.Values(out.errors))
	out.p95, out.max = sorted[len(sorted)*95/100], sorted[len(sorted)-1]
	out.settled = out.max
	if window := int(windowNs * 1e-9); s.causal && len(out.errors) > 2*window {
		out.settled = slices.Max(out.errors[window:])
	}
	return out
}

func sum(fs []aligntest.Fault) (n int64) {
	for _, f := range fs {
		n += max(0, f.Stripes)
	}
	return n
}

func rms(xs []float64) float64 {
	var ss float64
	for _, x := range xs {
		ss += x * x
	}
	return math.Sqrt(ss / float64(len(xs)))
}

// head names the columns of row.
func head() string {
	return fmt.Sprintf("%-78s %9s %9s %8s %9s %6s %8s %8s %8s  %s", "", "p95 us", "max us", "inside %", "U95 us", "U/rms", "start x", "least x", "mean x", "status")
}

// row is the outcome as a line of the printed table.
func (o outcome) row() string {
	u, r := median(slices.Clone(o.halves)), o.ratios()
	return fmt.Sprintf("%-78s %9.0f %9.0f %8.3f %9.0f %6.2f %8.3g %8.3g %8.3g  %s",
		o, o.p95*1e-3, o.max*1e-3, 100*o.coverage, u*1e-3, u/rms(o.errors), r[0], r[1], r[2], o.m.Status)
}
