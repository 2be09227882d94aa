package idle

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/quarch"
)

// clock is a module's clock for tests: stripe k begins at k·periodNs.
type clock struct{ periodNs, u95Ns float64 }

func (c clock) TimeOf(k float64) (ns, u95Ns float64) { return k * c.periodNs, c.u95Ns }
func (c clock) IndexAt(ns float64) float64           { return ns / c.periodNs }

// rail returns n stripes of a rail whose amperes are given in mA.
func rail(r quarch.Rail, n int, milliAmps func(i int) float64) quarch.Trace {
	t := quarch.Trace{Rail: r, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for i := range n {
		t.V = append(t.V, int32(r.NominalVolts()*1e3))
		t.A = append(t.A, int32(math.Round(1e3*milliAmps(i))))
	}
	return t
}

// analyze returns the result of a window with one level.
func analyze(t *testing.T, periodNs int64, o Options, endNs int64, blocks ...*quarch.Block) *Result {
	t.Helper()
	rs := analyzeAll(t, periodNs, o, endNs, blocks...)
	if len(rs) != 1 {
		t.Fatalf("%d levels, want one", len(rs))
	}
	return rs[0]
}

func analyzeAll(t *testing.T, periodNs int64, o Options, endNs int64, blocks ...*quarch.Block) []*Result {
	t.Helper()
	a, err := New(clock{periodNs: float64(periodNs)}, analysis.Window{Name: "idle", EndNs: endNs}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		a.Add(b)
	}
	rs := a.Results()
	if _, err := json.Marshal(rs); err != nil {
		t.Fatal(err)
	}
	return rs
}

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

// A meter in steps of 10 mA on a drive that idles near 2 mA toggles between two
// readings. Its mean has no digits: below resolution is the answer, 10 mA × 12 V
// = 0.12 W with it.
func TestACoarseMeterIsBelowResolution(t *testing.T) {
	data, err := os.ReadFile("testdata/coarse_meter.csv")
	if err != nil {
		t.Fatal(err)
	}
	var mA []float64
	for line := range strings.Lines(string(data)) {
		var s, a float64
		if n, _ := fmt.Sscanf(line, "%g,%g", &s, &a); n == 2 {
			mA = append(mA, a)
		}
	}
	b := &quarch.Block{PeriodNs: 1e9, Traces: []quarch.Trace{rail(quarch.Rail12V, len(mA), func(i int) float64 { return mA[i] })}}
	r := analyze(t, 1e9, Options{Step: "idle", ResolutionAmps: map[quarch.Rail]float64{quarch.Rail12V: 0.01}}, int64(len(mA))*1e9, b)
	if r.Rails[quarch.Rail12V].MeanW != nil || r.Total.MeanW != nil {
		t.Fatal("a mean is given")
	}
	if r.Withheld[0].What != "idle.idle.rails.12v" || r.Withheld[0].Why != "below resolution (10 mA, 0.12 W)" {
		t.Errorf("withheld %+v", r.Withheld)
	}
	if c := Table([]*Result{r}).At(0, "mean_w"); c.Valid || c.Why != "below resolution (10 mA, 0.12 W)" {
		t.Errorf("table cell %+v", c)
	}
}

// 1 … 1000 mA at 5 V, each once: 5 mW … 5 W. Mean 2.5025 W, median 2.5, 99th
// percentile 4.95, minimum 0.005, maximum 5; sample deviation of 1 … n is
// √(n(n+1)/12) = 288.82 mA.
func TestFiguresOfAKnownDistribution(t *testing.T) {
	r := analyze(t, 1e6, Options{}, 1e9, &quarch.Block{
		PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, 1000, func(i int) float64 { return float64((i*367)%1000 + 1) })},
	})
	f := r.Rails[quarch.Rail5V]
	near(t, "mean", f.MeanW, 2.5025, 1e-9)
	near(t, "median", f.P50W, 2.5, 0.003*2.5)
	near(t, "99th percentile", f.P99W, 4.95, 0.003*4.95)
	near(t, "minimum", f.MinW, 0.005, 1e-12)
	near(t, "maximum", f.MaxW, 5, 1e-12)
	near(t, "deviation", f.StdW, 5*0.288819, 1e-5)
	near(t, "mean current", f.MeanA, 0.5005, 1e-9)
	near(t, "mean voltage", f.MeanV, 5, 1e-12)
	near(t, "total", r.Total.MeanW, 2.5025, 1e-9)
}

// A rail that draws the same all the time has that as its percentiles, and a
// negative current stays one.
func TestPercentilesOfAConstant(t *testing.T) {
	for _, mA := range []float64{-3, 0, 71.44} {
		r := analyze(t, 1e6, Options{}, 1e9, &quarch.Block{
			PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail12V, 1000, func(int) float64 { return mA })},
		})
		near(t, "median", r.Total.P50W, 12e-3*mA, 1e-12)
		near(t, "99th percentile", r.Total.P99W, 12e-3*mA, 1e-12)
		near(t, "U95 of no scatter", r.Total.U95W, 0, 1e-12)
	}
}

// Two of a hundred milliseconds lost: 98 % is below the required 99 %.
func TestBelowRequiredCoverageNothingIsGiven(t *testing.T) {
	a := &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, 50, func(int) float64 { return 100 })}}
	b := &quarch.Block{First: 52, Lost: 2, PeriodNs: 1e6, Traces: []quarch.Trace{rail(quarch.Rail5V, 48, func(int) float64 { return 100 })}}
	r := analyze(t, 1e6, Options{Step: "idle"}, 100e6, a, b)
	if r.Total.MeanW != nil || r.Total.P99W != nil || r.Rails[quarch.Rail5V].MeanA != nil {
		t.Error("a figure is given")
	}
	if len(r.Withheld) == 0 || r.Withheld[0].Why != "samples cover 98.0 % of the window, 99.0 % are required" {
		t.Errorf("withheld %v", r.Withheld)
	}
	r = analyze(t, 1e6, Options{RequiredCoverage: 0.95}, 100e6, a, b)
	near(t, "mean where 95 % do", r.Total.MeanW, 0.5, 1e-12)
}

// The module misses half of what the 12 V rail carries. The 5 V row shows that it has
// all samples, the other two that half is not there.
func TestEachRailShowsItsOwnCoverage(t *testing.T) {
	five := rail(quarch.Rail5V, 100, func(int) float64 { return 100 })
	twelve := rail(quarch.Rail12V, 100, func(int) float64 { return 100 })
	for i := 50; i < 100; i++ {
		twelve.V[i], twelve.A[i] = quarch.Missing, quarch.Missing
	}
	r := analyze(t, 1e6, Options{Step: "idle"}, 100e6, &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{five, twelve}})
	tab := Table([]*Result{r})
	for row, want := range []struct {
		rail     string
		coverage float64
	}{{"5v", 1}, {"12v", 0.5}, {"total", 0.5}} {
		if c := tab.At(row, "coverage"); tab.At(row, "rail").Text != want.rail || !c.Valid || math.Abs(c.Value-want.coverage) > 1e-9 {
			t.Errorf("row %s: coverage %+v, want %v of %s", tab.At(row, "rail").Text, c, want.coverage, want.rail)
		}
	}
}

// 11 readings a second for 5 s: a mean, its rate, but no 99th percentile.
func TestPolledReadingsSayTheirRate(t *testing.T) {
	const n = 56
	b := &quarch.Block{Traces: []quarch.Trace{rail(quarch.Rail5V, n, func(int) float64 { return 420 })}}
	for i := range n {
		b.AtNs = append(b.AtNs, int64(float64(i)*1e9/11))
	}
	r := analyze(t, 90_909_091, Options{Step: "idle", Rails: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}}, 5e9, b)
	near(t, "mean", r.Rails[quarch.Rail5V].MeanW, 2.1, 1e-9)
	near(t, "rate", r.ReadingsPerS, 11, 1e-6)
	if r.Rails[quarch.Rail5V].P99W != nil {
		t.Error("a 99th percentile of 56 readings is given")
	}
	if len(r.NotMeasured) != 1 || r.NotMeasured[0] != quarch.Rail12V {
		t.Errorf("not measured: %v", r.NotMeasured)
	}
	tab := Table([]*Result{r})
	if c := tab.At(1, "mean_w"); c.Valid || c.Why != "12V not measured" || tab.At(1, "rail").Text != "12v" {
		t.Errorf("12 V in the table: %+v", c)
	}
}

func BenchmarkIdle(b *testing.B) {
	const n = 4096
	blk := &quarch.Block{PeriodNs: 64e3, Traces: []quarch.Trace{
		rail(quarch.Rail5V, n, func(i int) float64 { return 420 + float64(i%17) }),
		rail(quarch.Rail12V, n, func(i int) float64 { return 71 + float64(i%13) }),
	}}
	for b.Loop() {
		a, err := New(clock{periodNs: 64e3}, analysis.Window{EndNs: 100 * n * 64e3}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range uint64(100) {
			blk.First = i * n
			a.Add(blk)
		}
	}
	b.ReportMetric(float64(b.N)*100*n/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}
