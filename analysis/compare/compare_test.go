package compare_test

import (
	"fmt"
	"math"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/compare"
	"powerd/analysis/efficiency"
	"powerd/analysis/idle"
	"powerd/analysis/inrush"
	"powerd/analysis/saturation"
	"powerd/quarch"
)

// typical is a module of 1 %, 2 mA and 1 mV.
var typical = accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3, OffsetVolts: 1e-3}

// cell is one of 4 KiB random reads at QD 32 that does so many IOPS at so many watts from
// 12 V; uRel is the relative ± of its IOPS, scatter that of its ratios without the module's.
func cell(step string, iops, watts, uRel, scatter float64) *efficiency.Cell {
	module := typical.U95Watts(12, watts/12)
	rel := math.Hypot(scatter, module/watts)
	return &efficiency.Cell{
		Step: step, Engine: "fio", RW: "randread", BSBytes: 4096, ReadPct: 100, QD: 32, Jobs: 1, Round: 1, State: efficiency.StateNotJudged,
		Rates: efficiency.Rates{IOPS: &iops, MBPerS: analysis.Some(iops * 4096e-6), IOPSU95Rel: &uRel},
		MeanW: &watts, MeanU95W: analysis.Some(math.Hypot(watts*scatter, module)),
		Rails: map[quarch.Rail]*efficiency.Rail{quarch.Rail12V: {MeanV: analysis.Some(12), MeanA: analysis.Some(watts / 12)}},
		Ratios: efficiency.Ratios{
			IOPSPerMW: analysis.Some(iops / watts * 1e-3), IOPSPerW: analysis.Some(iops / watts), MBPerSPerW: analysis.Some(iops * 4096e-6 / watts),
			MBPerSPerMW: analysis.Some(iops * 4096e-9 / watts), U95Rel: &rel, U95ScatterRel: &scatter,
		},
	}
}

func runs(cells ...[]*efficiency.Cell) []*compare.Run {
	var out []*compare.Run
	for i, c := range cells {
		out = append(out, &compare.Run{Label: string(rune('A' + i)), Drive: fmt.Sprintf("drive %d", i+1), Module: typical, RatesBy: 1, CapacityBytes: 400e9, Cells: c})
	}
	return out
}

func figure(t *testing.T, r *compare.Result, name, quantity string) compare.Figure {
	t.Helper()
	for _, list := range [][]*compare.Match{r.Cells, r.Idle, r.StartUp, r.Saturation} {
		for _, m := range list {
			if m.Name != name && m.Rail+" "+m.Name != name {
				continue
			}
			for _, f := range m.Figures {
				if f.Name == quantity {
					return f
				}
			}
		}
	}
	t.Fatalf("%s of %s was not compared", quantity, name)
	return compare.Figure{}
}

func near(t *testing.T, what string, got *float64, want, within float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: none, want %g", what, want)
	} else if !(math.Abs(*got-want) <= within) {
		t.Errorf("%s = %.6g, want %.6g ± %.1g", what, *got, want, within)
	}
}

// 100,000 ± 3 % IOPS against 104,000 ± 4 %: they differ by 4000, and √(3000² + 4160²) =
// 5129, so there is no difference. At 106,000 it is 6000 above √(3000² + 4240²) = 5194:
// higher, at 1.06 ± 1.06·√(0.03² + 0.04²) = 1.06 ± 0.053.
func TestADifferenceIsHeldAgainstBothUncertainties(t *testing.T) {
	for _, c := range []struct {
		iops    float64
		verdict string
		u       float64
	}{
		{104_000, compare.NoDifference, math.Hypot(3000, 4160)},
		{106_000, compare.Higher, math.Hypot(3000, 4240)},
		{94_000, compare.Lower, math.Hypot(3000, 3760)},
	} {
		r := compare.Compare(runs([]*efficiency.Cell{cell("a", 100_000, 6, 0.03, 0.01)}, []*efficiency.Cell{cell("b", c.iops, 6, 0.04, 0.01)}), compare.Options{})
		x := figure(t, r, "randread-4k-qd32", "iops").Against[0]
		if x.Verdict != c.verdict {
			t.Errorf("%g IOPS: %s, want %s", c.iops, x.Verdict, c.verdict)
		}
		near(t, "Δ", x.Delta, c.iops-100_000, 1e-6)
		near(t, "U of Δ", x.DeltaU95, c.u, 1e-6)
		near(t, "ratio", x.Ratio, c.iops/100_000, 1e-12)
		near(t, "U of the ratio", x.U95, c.iops/100_000*0.05, 1e-12)
	}
}

// Without a ± on either side a difference is not judged, and says whose is not known; the
// ratio is given all the same. A withheld figure brings its reason.
func TestWithoutUncertaintyNothingIsJudged(t *testing.T) {
	a, b := cell("a", 100_000, 6, 0.03, 0.01), cell("b", 200_000, 6, 0.03, 0.01)
	b.IOPSU95Rel = nil
	b.MeanW, b.MeanU95W, b.Ratios = nil, nil, efficiency.Ratios{}
	list := runs([]*efficiency.Cell{a}, []*efficiency.Cell{b})
	list[1].Withheld = []analysis.Withheld{{What: "efficiency.b.mean_w", Why: "samples cover 48 % of the window"}}
	r := compare.Compare(list, compare.Options{})
	x := figure(t, r, "randread-4k-qd32", "iops").Against[0]
	if x.Verdict != compare.NotJudged || x.Why != "B has no ±" || x.U95 != nil {
		t.Errorf("%+v", x)
	}
	near(t, "ratio", x.Ratio, 2, 1e-12)
	if x := figure(t, r, "randread-4k-qd32", "iops_per_mw").Against[0]; x.Why != "B: samples cover 48 % of the window" || x.Ratio != nil {
		t.Errorf("%+v", x)
	}
}

// One module of 1 % and 2 mA reads 6 W and 3 W at 12 V. Taken as two modules, 2/√3 of
// 1 % of amperes with 2 mA (2.2 % of 0.25 A is the larger) and 1 % of volts stay in the
// ratio. Taken as one, gain drops out of the ratio and the two offsets remain:
// 2 mA of 0.5 A and of 0.25 A differ by 0.4 %, 1 mV of 12 V is the same in both.
func TestOneModule(t *testing.T) {
	a, b := []*efficiency.Cell{cell("a", 100_000, 6, 0, 0)}, []*efficiency.Cell{cell("b", 100_000, 3, 0, 0)}
	two := figure(t, compare.Compare(runs(a, b), compare.Options{}), "randread-4k-qd32", "iops_per_mw").Against[0]
	rel := func(amps float64) float64 { // 2/√3·(0.01 + 2 mA/I) and 2/√3·(0.01 + 1 mV/12 V)
		return 2 / math.Sqrt(3) * math.Hypot(0.01+2e-3/amps, 0.01+1e-3/12)
	}
	near(t, "two modules", two.U95, 2*math.Hypot(rel(0.5), rel(0.25)), 1e-9)
	one := figure(t, compare.Compare(runs(a, b), compare.Options{OneModule: true}), "randread-4k-qd32", "iops_per_mw").Against[0]
	near(t, "one module", one.U95, 2*2/math.Sqrt(3)*(2e-3/0.25-2e-3/0.5), 1e-9)
	if one.Verdict != compare.Higher {
		t.Errorf("verdict %s", one.Verdict)
	}
	watts := figure(t, compare.Compare(runs(a, b), compare.Options{OneModule: true}), "randread-4k-qd32", "mean_w").Against[0]
	// Δ = 3 W: gain 1 % of it, twice (amperes, volts), and 1 mV on 0.25 A of difference.
	near(t, "one module, Δ of watts", watts.DeltaU95, 2/math.Sqrt(3)*math.Hypot(0.03, 0.03+1e-3*0.25), 1e-9)
}

// The root of squares is never too narrow for one module, nor does what is left of its
// errors leave the stated interval more often than one time in twenty: 20,000 modules with
// errors anywhere between the ends, each reading both drives, here of unlike rails.
func TestOneModuleHoldsWhatModulesDo(t *testing.T) {
	rnd := newRandom()
	type rail struct{ v, a float64 }
	a, b := map[quarch.Rail]rail{quarch.Rail5V: {5, 0.42}, quarch.Rail12V: {12, 0.0734}}, map[quarch.Rail]rail{quarch.Rail5V: {5, 0.1}, quarch.Rail12V: {12, 0.2}}
	stated := func(one bool) (u float64) {
		mk := func(rails map[quarch.Rail]rail) []*efficiency.Cell {
			c := cell("x", 100_000, 1, 0, 0)
			w, m := 0.0, 0.0
			c.Rails = map[quarch.Rail]*efficiency.Rail{}
			for name, r := range rails {
				c.Rails[name] = &efficiency.Rail{MeanV: analysis.Some(r.v), MeanA: analysis.Some(r.a)}
				w += r.v * r.a
				m = math.Hypot(m, typical.U95Watts(r.v, r.a))
			}
			c.MeanW, c.MeanU95W = &w, &m
			return []*efficiency.Cell{c}
		}
		x := figure(t, compare.Compare(runs(mk(a), mk(b)), compare.Options{OneModule: one}), "randread-4k-qd32", "mean_w").Against[0]
		return *x.U95 / *x.Ratio
	}
	one, two := stated(true), stated(false)
	if one > two {
		t.Errorf("one module %.4g is wider than two %.4g", one, two)
	}
	outside, n := 0, 20_000
	for range n {
		wa, wb, ra, rb := 0.0, 0.0, 0.0, 0.0
		for _, name := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
			gi, gv, oi, ov := rnd(0.01), rnd(0.01), rnd(2e-3), rnd(1e-3)
			wa, wb = wa+a[name].v*a[name].a, wb+b[name].v*b[name].a
			ra += (a[name].v*(1+gv) + ov) * (a[name].a*(1+gi) + oi)
			rb += (b[name].v*(1+gv) + ov) * (b[name].a*(1+gi) + oi)
		}
		if math.Abs(rb/ra/(wb/wa)-1) > one {
			outside++
		}
	}
	if share := float64(outside) / float64(n); share > 0.05 {
		t.Errorf("%.3g of the ratios lie outside the ± of one module", share)
	}
}

// Cells are matched by what was done, whatever suites call it: a mix of 100 % reads is a
// random read, and results that do not tell the range are of the whole drive. Another
// state, queue depth or demand is another cell.
func TestCellsAreMatchedByWhatWasDone(t *testing.T) {
	mix := cell("rand-4k-r100-qd32", 100_000, 6, 0.01, 0.01)
	mix.RW = "randrw"
	mix.RangePct, mix.EntropyPct = analysis.Some(100), new(int)
	for _, c := range []struct {
		what, why string
		change    func(*efficiency.Cell)
	}{
		{"state", "B has it in state steady", func(c *efficiency.Cell) { c.State = efficiency.StateSteady }},
		{"queue depth", "", func(c *efficiency.Cell) { c.QD = 1 }},
		{"demand", "", func(c *efficiency.Cell) { c.DemandIOPS = 5000 }},
		{"range", "", func(c *efficiency.Cell) { c.RangePct = analysis.Some(75) }},
		{"share of reads", "", func(c *efficiency.Cell) { c.ReadPct, c.RW = 70, "randrw" }},
	} {
		other := cell("other", 100_000, 6, 0.01, 0.01)
		c.change(other)
		r := compare.Compare(runs([]*efficiency.Cell{mix}, []*efficiency.Cell{other}), compare.Options{})
		if len(r.Cells) != 0 || len(r.Missing) != 2 || r.Missing[0].Why != c.why {
			t.Errorf("another %s: %d matches, missing %+v", c.what, len(r.Cells), r.Missing)
		}
	}
	r := compare.Compare(runs([]*efficiency.Cell{mix}, []*efficiency.Cell{cell("randread", 100_000, 6, 0.01, 0.01)}), compare.Options{})
	if len(r.Cells) != 1 || len(r.Missing) != 0 {
		t.Errorf("%d matches, missing %+v", len(r.Cells), r.Missing)
	}
}

// Where a run reads before and after something, the steps' names tell the two apart.
func TestAWorkloadThatComesTwice(t *testing.T) {
	before, after := cell("before", 100_000, 6, 0.01, 0.01), cell("after", 90_000, 6, 0.01, 0.01)
	r := compare.Compare(runs([]*efficiency.Cell{before, after}, []*efficiency.Cell{cell("after", 90_000, 3, 0.01, 0.01)}), compare.Options{})
	if len(r.Cells) != 1 || r.Cells[0].Name != "randread-4k-qd32 (after)" {
		t.Fatalf("matches %+v", r.Cells)
	}
	near(t, "A's", figure(t, r, "randread-4k-qd32 (after)", "iops").Values[0].Value, 90_000, 0)
	if len(r.Missing) != 1 || r.Missing[0].Name != "randread-4k-qd32 (before)" || r.Missing[0].Not[0] != "B" {
		t.Errorf("missing %+v", r.Missing)
	}
}

// Of rounds a run is known by the sum of the steady ones, else by the last, and of a
// saturation by its windows; an interrupted cell is none.
func TestWhatStandsForARun(t *testing.T) {
	round := func(n int, iops float64) *efficiency.Cell {
		c := cell(fmt.Sprintf("w-r%02d", n), iops, 6, 0.01, 0.01)
		c.Round = n
		return c
	}
	sum := cell("w", 42, 6, 0.01, 0.01)
	sum.FirstRound, sum.Round, sum.State = 2, 3, efficiency.StateSteady
	broken := cell("x", 7, 6, 0.01, 0.01)
	broken.QD, broken.Interrupted = 1, true
	window := func(iops float64) *saturation.Window {
		return &saturation.Window{State: efficiency.StateNotJudged, FirstRound: 1, LastRound: 1, IOPS: &iops}
	}
	for name, c := range map[string]struct {
		run  compare.Run
		want map[string]float64
	}{
		"steady":     {compare.Run{Cells: []*efficiency.Cell{round(1, 90), round(2, 43), round(3, 41), sum, broken}}, map[string]float64{"randread-4k-qd32": 42}},
		"not steady": {compare.Run{Cells: []*efficiency.Cell{round(1, 90), round(9, 70), round(10, 60)}}, map[string]float64{"randread-4k-qd32": 60}},
		"saturation": {compare.Run{
			Cells: []*efficiency.Cell{round(1, 90), round(2, 43)}, Saturation: []*saturation.Result{{Step: "w", Fresh: window(90), Last: window(43)}},
		}, map[string]float64{"randread-4k-qd32-fresh": 90, "randread-4k-qd32-last": 43}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := c.run, c.run
			a.Label, b.Label = "A", "B"
			r := compare.Compare([]*compare.Run{&a, &b}, compare.Options{})
			if len(r.Cells) != len(c.want) {
				t.Errorf("%d cells stand for the run, want %d", len(r.Cells), len(c.want))
			}
			for cell, iops := range c.want {
				near(t, cell, figure(t, r, cell, "iops").Values[1].Value, iops, 0)
			}
		})
	}
}

// Rates that were divided by different numbers are shown and not judged; watts hold.
func TestScaledRatesAreNotJudged(t *testing.T) {
	list := runs([]*efficiency.Cell{cell("a", 27_500, 6, 0.01, 0.01)}, []*efficiency.Cell{cell("b", 110_000, 6, 0.01, 0.01)})
	list[0].RatesBy = 4
	r := compare.Compare(list, compare.Options{})
	x := figure(t, r, "randread-4k-qd32", "iops_per_mw").Against[0]
	if x.Verdict != compare.NotJudged || x.Why != "the emulated drives' rates are divided by 4 in A and by 1 in B" || x.Ratio != nil {
		t.Errorf("%+v", x)
	}
	if x := figure(t, r, "randread-4k-qd32", "mean_w").Against[0]; x.Verdict != compare.NoDifference {
		t.Errorf("%+v", x)
	}
	if b := r.Buyers(compare.Economics{})[0]; b.IOPSPerW.Value != nil || b.IOPSPerW.Why == "" {
		t.Errorf("the best of drives whose rates cannot be compared: %+v", b.IOPSPerW)
	}
}

// Idle of a rail and of all, with net figures only where every run has a zero.
func TestIdle(t *testing.T) {
	of := func(watts, u float64, net *float64) *idle.Result {
		f := &idle.Figures{MeanW: &watts, U95W: &u, NetW: net, NetU95W: &u}
		return &idle.Result{Step: "idle", Kind: idle.KindActive, Rails: map[quarch.Rail]*idle.Figures{quarch.Rail12V: f}, Total: f}
	}
	list := runs(nil, nil)
	list[0].Idles, list[1].Idles = []*idle.Result{of(3, 0.06, analysis.Some(2.9))}, []*idle.Result{of(1.5, 0.04, nil)}
	r := compare.Compare(list, compare.Options{})
	x := figure(t, r, "total idle active", "mean_w").Against[0]
	near(t, "ratio", x.Ratio, 0.5, 1e-12)
	near(t, "its ±", x.U95, 0.5*math.Hypot(0.02, 0.04/1.5), 1e-12)
	if x.Verdict != compare.Lower || len(r.Idle[0].Figures) != 1 {
		t.Errorf("verdict %s, %d figures", x.Verdict, len(r.Idle[0].Figures))
	}
	list[1].Idles[0].Total.NetW = analysis.Some(1.45)
	if r := compare.Compare(list, compare.Options{}); len(r.Idle[0].Figures) != 2 {
		t.Error("both have a zero, and their net figures are not compared")
	}
}

// Peaks are compared over the windows that both have, the highest of all power-ups; the
// buyer's is of the shortest of these, on the rail that draws most.
func TestStartUp(t *testing.T) {
	cycle := func(resolution float64, amps ...float64) *inrush.Cycle {
		c := &inrush.Cycle{ResolutionUs: resolution, Rails: map[quarch.Rail]*inrush.Rail{quarch.Rail5V: {}, quarch.Rail12V: {}}}
		for i, us := range []float64{100, 1000} {
			if us >= resolution {
				c.Rails[quarch.Rail5V].Peaks = append(c.Rails[quarch.Rail5V].Peaks, inrush.Peak{WindowUs: us, Amps: &amps[i], U95A: analysis.Some(0.01)})
				c.Rails[quarch.Rail12V].Peaks = append(c.Rails[quarch.Rail12V].Peaks, inrush.Peak{WindowUs: us, Amps: analysis.Some(0.4)})
			}
		}
		return c
	}
	list := runs(nil, nil)
	list[0].Cycles = []*inrush.Cycle{cycle(4, 1.05, 1.02), cycle(4, 1.06, 1.01)}
	list[1].Cycles = []*inrush.Cycle{cycle(256, 0, 0.51)}
	r := compare.Compare(list, compare.Options{})
	near(t, "A, 1 ms", figure(t, r, "5v peak over 1 ms", "amps").Values[0].Value, 1.02, 0)
	near(t, "ratio", figure(t, r, "5v peak over 1 ms", "amps").Against[0].Ratio, 0.5, 1e-12)
	for _, m := range r.StartUp {
		if m.WindowUs == 100 {
			t.Errorf("a window that one run has was compared: %+v", m)
		}
	}
	for i, b := range r.Buyers(compare.Economics{}) {
		near(t, "peak", b.PeakA.Value, []float64{1.02, 0.51}[i], 0)
		if b.PeakRail != "5v" || b.PeakWindowUs != 1000 {
			t.Errorf("peak on %s over %g µs", b.PeakRail, b.PeakWindowUs)
		}
	}
}
