package inrush

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

func near(t *testing.T, what string, got *float64, want, within float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s withheld, want %g", what, want)
		return
	}
	if !(math.Abs(*got-want) <= within) {
		t.Errorf("%s = %g, want %g ± %g", what, *got, want, within)
	}
}

// why returns the reason for which something is withheld.
func why(c *Cycle, what string) string {
	for _, w := range c.Withheld {
		if w.What == what {
			return w.Why
		}
	}
	return ""
}

func peak(t *testing.T, ps []Peak, us float64) Peak {
	t.Helper()
	for _, p := range ps {
		if p.WindowUs == us {
			return p
		}
	}
	t.Fatalf("no peak over %g µs", us)
	return Peak{}
}

// expand reads rows of dur_us, mV, mA into stripes.
func expand(t *testing.T, name string, periodUs float64) *quarch.Block {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for line := range strings.Lines(string(data)) {
		var us, mV, mA float64
		if n, _ := fmt.Sscanf(line, "%g,%g,%g", &us, &mV, &mA); n == 3 {
			for range int(us / periodUs) {
				tr.V, tr.A = append(tr.V, int32(mV)), append(tr.A, int32(mA*1000))
			}
		}
	}
	return &quarch.Block{PeriodNs: int64(periodUs * 1e3), Traces: []quarch.Trace{tr}}
}

func analyze(t *testing.T, periodNs int64, o Options, endNs int64, blocks ...*quarch.Block) *Cycle {
	t.Helper()
	if n := len(blocks); n > 0 {
		endNs = min(endNs, int64(blocks[n-1].End())*periodNs)
	}
	a, err := New(clock{periodNs: float64(periodNs)}, analysis.Window{EndNs: endNs}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		a.Add(b)
	}
	c := a.Result()
	if _, err := json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// One trace, four peaks. 40 µs at 3.6 A, 360 µs at 2.4 A, 3.6 ms at 1.1 A, then
// 0.45 A: 100 µs hold (40·3.6 + 60·2.4)/100 = 2.88 A, 1 ms (40·3.6 + 360·2.4 +
// 600·1.1)/1000 = 1.668 A, and 4.096 ms, which a module that averages 1024
// samples would show, (40·3.6 + 360·2.4 + 3600·1.1 + 96·0.45)/4096 = 1.223 A.
func TestEveryPeakNamesItsWindow(t *testing.T) {
	b := expand(t, "inrush_5v.rle", 4)
	c := analyze(t, 4000, Options{Step: "cycle", WindowsUs: []float64{100, 1000, 4096, 500e3}}, 200e6, b)
	ps := c.Rails[quarch.Rail5V].Peaks
	near(t, "raw peak", peak(t, ps, 4).Amps, 3.600, 1e-9)
	near(t, "peak over 100 µs", peak(t, ps, 100).Amps, 2.880, 1e-9)
	near(t, "peak over 1 ms", peak(t, ps, 1000).Amps, 1.668, 1e-9)
	near(t, "peak over 4.096 ms", peak(t, ps, 4096).Amps, 1.2234375, 1e-6)
	near(t, "peak power over 100 µs", peak(t, ps, 100).Watts, 14.4, 1e-8)
	near(t, "time of the 100 µs peak", peak(t, ps, 100).AtS, 50e-6, 1e-12) // begins at the origin
	near(t, "total's raw peak", peak(t, c.Total.Peaks, 4).Watts, 18, 1e-8)
	near(t, "charge", c.Rails[quarch.Rail5V].ChargeC, 3.6*40e-6+2.4*360e-6+1.1*3.6e-3+0.45*0.1, 1e-9)
	if got := why(c, "inrush.cycle.rails.5v.peaks.500ms"); !strings.Contains(got, "500 ms long") {
		t.Errorf("a 500 ms window in a trace of 104 ms: %q", got)
	}
	if got := why(c, "inrush.cycle.rails.5v.start_v"); !strings.Contains(got, "too fast") {
		t.Errorf("start voltage of a step: %q", got)
	}
}

// Asking 64 µs samples for the peak of 100 µs is refused: one sample is not 100 µs.
func TestAWindowShorterThanTenStripesIsRefused(t *testing.T) {
	b := expand(t, "inrush_5v.rle", 40) // what matters is the period that the block states
	b.PeriodNs = 64_000
	c := analyze(t, 64_000, Options{Step: "cycle"}, 300e6, b)
	if got := why(c, "inrush.cycle.rails.5v.peaks.100us"); got != "peak over 100 µs needs ≤ 10 µs samples; these are 64 µs" {
		t.Errorf("withheld because %q", got)
	}
	ps := c.Rails[quarch.Rail5V].Peaks
	if ps[0].WindowUs != 64 || ps[1].WindowUs != 1000 || c.ResolutionUs != 64 {
		t.Errorf("first peaks %v", ps)
	}
}

// The published start-up of an SSD: 5 V peak of about 1060 mA around 400 ms after
// the rails began to rise, 12 V above 400 mA from 2209 to 2796 ms in a 10 ms
// mean, life at 3.9 V.
func TestStartUpOfAnSSD(t *testing.T) {
	const startedMs = 50
	c := ssdCycle(t, 1, Options{
		Step: "cycle", LimitsA: map[quarch.Rail][]float64{quarch.Rail12V: {0.4, 2}},
		ReadyNs: (startedMs + 3278) * 1e6, ReadyU95Ns: 3e6,
	})
	five, twelve := c.Rails[quarch.Rail5V], c.Rails[quarch.Rail12V]
	near(t, "start voltage", five.StartV, 3.900, 0.030)
	if five.StartU95V != nil && math.Abs(*five.StartV-3.9) > *five.StartU95V {
		t.Errorf("start voltage %.3f ± %.3f V does not hold 3.9 V", *five.StartV, *five.StartU95V)
	}
	if got := why(c, "inrush.cycle.rails.12v.start_v"); !strings.Contains(got, "no threshold of its own") {
		t.Errorf("12 V follows 5 V: %q", got)
	}
	// Plateau 1.04 A + 4 mA leakage; the largest of some 1300 values with σ = 4 mA
	// lies 3.3 σ higher, give or take one σ.
	near(t, "raw peak", peak(t, five.Peaks, 16).Amps, 1.044+3.3*0.004, 0.004)
	near(t, "1 ms peak", peak(t, five.Peaks, 1e3).Amps, 1.045, 0.002)
	near(t, "100 ms peak", peak(t, five.Peaks, 100e3).Amps, 0.807, 0.006)
	near(t, "500 ms peak", peak(t, five.Peaks, 500e3).Amps, 0.704, 0.006)
	near(t, "time of the 1 ms peak", peak(t, five.Peaks, 1e3).AtS, 0.400, 0.024) // the plateau lasts from 378 to 423 ms
	// 40 mΩ × 1.044 A below the unloaded 5 V.
	near(t, "droop", five.DroopV, 0.0418, 0.002)

	a := twelve.Above[0]
	near(t, "above 0.4 A from", a.FirstS, 2.209, 0.004)
	near(t, "above 0.4 A to", a.LastS, 2.796, 0.004)
	near(t, "above 0.4 A for", &a.TotalS, 0.587, 0.006)
	if twelve.Above[1].FirstS != nil || twelve.Above[1].TotalS != 0 {
		t.Errorf("above 2 A: %+v", twelve.Above[1])
	}
	// Rails began at 50 ms and have 1 % after 1 ms of the ramp.
	near(t, "time to ready", c.TimeToReadyS, 3.277, 1e-3)
	near(t, "its U95", c.TimeToReadyU95S, 5e-3, 1e-9) // 4 ms of the map and 3 ms of the command, squared
	near(t, "energy to ready", c.EnergyToReadyJ, 16.46, 0.05)
	// 5 ms at 4.0 W before and 5 ms at some 3.2 W after, as it falls to idle: half of 36 mJ.
	near(t, "its U95", c.EnergyToReadyU95J, 0.018, 0.002)
}

func ssdCycle(t *testing.T, averaging int, o Options) *Cycle {
	t.Helper()
	a, err := New(clock{periodNs: float64(averaging) * 16e3, u95Ns: 4e6}, analysis.Window{EndNs: 4e9}, o)
	if err != nil {
		t.Fatal(err)
	}
	startUp(averaging, 4000, 50, 1, a.Add)
	return a.Result()
}

// The ramp rises 50 mV in 1 ms, so that a module without error knows the threshold to
// ± 25 mV. One of 1 % and 1 mV reads 3.9 V to 2·(39 + 1)/√3 = 46.2 mV: √(25² + 46.2²).
func TestStartVoltageIsAsGoodAsTheModule(t *testing.T) {
	spec := accuracy.Spec{GainPct: 1, OffsetVolts: 1e-3}
	for _, x := range []struct {
		spec accuracy.Spec
		want float64
	}{{accuracy.Spec{}, 0.025}, {spec, 0.0525}} {
		c := ssdCycle(t, 1, Options{Step: "cycle", Accuracy: x.spec})
		near(t, "± of the start voltage", c.Rails[quarch.Rail5V].StartU95V, x.want, 0.004)
	}
}

// The threshold is found from samples of 64 µs and 256 µs as well; from 4 ms
// there is none, and neither is a 10 ms mean.
func TestStartVoltageAtOtherRates(t *testing.T) {
	limits := map[quarch.Rail][]float64{quarch.Rail12V: {0.4}}
	for _, averaging := range []int{4, 16} {
		c := ssdCycle(t, averaging, Options{Step: "cycle", LimitsA: limits})
		near(t, fmt.Sprintf("start voltage at %d µs", averaging*16), c.Rails[quarch.Rail5V].StartV, 3.9, 0.03)
	}
	c := ssdCycle(t, 256, Options{Step: "cycle", LimitsA: limits})
	if got := why(c, "inrush.cycle.rails.12v.above"); got != "a mean over 10 ms needs ≤ 1 ms samples; these are 4.096 ms" {
		t.Errorf("above: %q", got)
	}
}

func TestPolledReadingsHaveNoPeaks(t *testing.T) {
	b := &quarch.Block{Traces: []quarch.Trace{{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}}}
	for i := range 12 {
		b.AtNs = append(b.AtNs, int64(float64(i)*1e9/11))
		b.Traces[0].V, b.Traces[0].A = append(b.Traces[0].V, 5000), append(b.Traces[0].A, 0)
	}
	c := analyze(t, 90_909_091, Options{Step: "cycle"}, 1e9, b)
	if len(c.Rails) != 0 || c.Total != nil || why(c, "inrush.cycle") != "not measurable at 11 readings/s" {
		t.Errorf("%+v", c)
	}
}

func TestWithoutARiseThereIsNoCycle(t *testing.T) {
	on := expand(t, "inrush_5v.rle", 4).Slice(6000, 8000)
	off := expand(t, "inrush_5v.rle", 4).Slice(0, 2000)
	if c := analyze(t, 4000, Options{}, 1e9, on); why(c, "inrush") != "a rail was on already when the window began" {
		t.Errorf("on from the start: %v", c.Withheld)
	}
	if c := analyze(t, 4000, Options{}, 1e9, off); why(c, "inrush") != "no rail rose in the window" {
		t.Errorf("off to the end: %v", c.Withheld)
	}
	if c := analyze(t, 4000, Options{}, 1e9); why(c, "inrush") != "the window has no samples" {
		t.Errorf("empty: %v", c.Withheld)
	}
}

// Stripes lost in the middle: 2 A before, 2 A after. A window over the gap would
// be a guess, so the 1 ms peak comes from one side, and the loss is told.
func TestNoWindowReachesOverAGap(t *testing.T) {
	make2A := func(first uint64, n int, mA int32) *quarch.Block {
		b := &quarch.Block{First: first, PeriodNs: 64_000, Traces: []quarch.Trace{{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}}}
		for range n {
			b.Traces[0].V, b.Traces[0].A = append(b.Traces[0].V, 5*mA/2), append(b.Traces[0].A, mA*1000)
		}
		return b
	}
	after := make2A(40, 10, 2000)
	after.Lost = 10
	rest := make2A(50, 2000, 0) // so that the loss is 10 of 2030 stripes, which is borne
	c := analyze(t, 64_000, Options{Step: "cycle"}, 1e9, make2A(0, 20, 0), make2A(20, 10, 2000), after, rest)
	for _, p := range c.Rails[quarch.Rail5V].Peaks { // 640 of 1000 µs at 2 A, the rest at 0
		if p.WindowUs == 1000 && math.Abs(*p.Amps-1.28) > 1e-9 {
			t.Errorf("over 1 ms %v A, want 1.28: over the gap it would be 2", *p.Amps)
		}
	}
	if c.Rails[quarch.Rail5V].EnergyJ == nil {
		t.Errorf("0.5 %% lost, and no energy: %v", c.Withheld)
	}
	if c.LostStripes != 10 || len(c.Warnings) != 1 || c.Warnings[0].Code != "lost_in_inrush" {
		t.Errorf("%d lost, warnings %v", c.LostStripes, c.Warnings)
	}
}

// A quarter of the start-up is missing: its highest peak may lie there, and its
// joules do. Nothing is said of either but why.
func TestAHoleInTheStartUpTakesItsFigures(t *testing.T) {
	b := expand(t, "inrush_5v.rle", 4)
	n := b.Len()
	tail := b.Slice(3*n/4, n)
	tail.Lost = uint64(n / 4)
	c := analyze(t, 4000, Options{Step: "cycle"}, 1e9, b.Slice(0, n/2), tail)
	r := c.Rails[quarch.Rail5V]
	if r == nil || len(r.Peaks) > 0 || r.EnergyJ != nil || r.ChargeC != nil || len(c.Total.Peaks) > 0 || c.Total.EnergyJ != nil {
		t.Errorf("figures of a start-up with a hole: %+v, total %+v", r, c.Total)
	}
	if c.Coverage == nil || *c.Coverage > 0.8 || *c.Coverage < 0.6 {
		t.Errorf("coverage %v; a quarter of all, or a little more of what follows the origin, is lost", c.Coverage)
	}
	for _, what := range []string{"rails.5v.peaks", "rails.5v.energy_j", "total.energy_j"} {
		if got := why(c, "inrush.cycle."+what); !strings.Contains(got, "99.0 % are required") {
			t.Errorf("%s is withheld because %q", what, got)
		}
	}
}

// Whatever the stripes, the window and the blocks: the highest mean is that of
// the best of all windows, tried one by one on a fine grid.
func TestSlidingMeansMatchBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Int64Range(-1000, 1000), 1, 60).Draw(t, "xs")
		tenths := rapid.IntRange(10, 200).Draw(t, "window in tenths of a stripe")
		s := newSlider([]float64{float64(tenths) / 10}, 4000)
		for i := 0; i < len(xs); {
			n := min(len(xs)-i, rapid.IntRange(1, 20).Draw(t, "block"))
			s.add(uint64(i), xs[i:i+n])
			i += n
		}
		best := math.Inf(-1)
		for from := 0; from+tenths <= 10*len(xs); from++ {
			var sum int64
			for k := from; k < from+tenths; k++ {
				sum += xs[k/10]
			}
			best = max(best, float64(sum)/float64(tenths))
		}
		w := s.windows[0]
		if w.found != !math.IsInf(best, -1) {
			t.Fatalf("found %v in %d stripes, window of %d tenths", w.found, len(xs), tenths)
		}
		if w.found && math.Abs(w.mean()-best) > 1e-6 {
			t.Fatalf("highest mean %g, want %g", w.mean(), best)
		}
	})
}

func TestTables(t *testing.T) {
	c := ssdCycle(t, 4, Options{Step: "cycle"})
	tab := Table([]*Cycle{c})
	// 64 µs, 1, 10, 100, 500 ms and 1 s for two rails and the total
	if len(tab.Rows) != 18 || tab.At(17, "rail").Text != "total" || tab.At(17, "amps").Valid || !tab.At(17, "watts").Valid {
		t.Errorf("%d rows, last %+v", len(tab.Rows), tab.Rows[len(tab.Rows)-1])
	}
	start := StartTable([]*Cycle{c})
	if len(start.Rows) != 3 || start.At(0, "rail").Text != "5v" || !start.At(0, "start_v").Valid || start.At(1, "start_v").Why == "" || start.At(2, "time_to_ready_s").Valid {
		t.Errorf("start table %+v", start.Rows)
	}
}

func BenchmarkInrush(b *testing.B) {
	const n = 4096
	blk := newBlock(0, 4000)
	for i := range n {
		for k := range blk.Traces {
			blk.Traces[k].V = append(blk.Traces[k].V, 5000)
			blk.Traces[k].A = append(blk.Traces[k].A, int32(400_000+(i*7919)%9001))
		}
	}
	off := newBlock(0, 4000)
	for k := range off.Traces {
		off.Traces[k].V, off.Traces[k].A = []int32{0}, []int32{0}
	}
	for b.Loop() {
		a, err := New(clock{periodNs: 4000}, analysis.Window{EndNs: 1e12}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		a.Add(off)
		for i := range uint64(500) {
			blk.First = 1 + i*n
			a.Add(blk)
		}
	}
	b.ReportMetric(float64(b.N)*500*n/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}
