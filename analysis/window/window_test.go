package window

import (
	"bufio"
	"iter"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/engine"
	"powerd/quarch"
)

// clock is a module's clock for tests: stripe k begins at startNs + k·periodNs.
type clock struct{ startNs, periodNs, u95Ns float64 }

func (c clock) TimeOf(k float64) (ns, u95Ns float64) { return c.startNs + k*c.periodNs, c.u95Ns }
func (c clock) IndexAt(ns float64) float64           { return (ns - c.startNs) / c.periodNs }

// stream yields blocks.
func stream(blocks ...*quarch.Block) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for _, b := range blocks {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// constant returns n stripes of 5 V at the given mA.
func constant(first uint64, n int, periodNs int64, milliAmps int32) *quarch.Block {
	t := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for range n {
		t.V, t.A = append(t.V, 5000), append(t.A, milliAmps*1000)
	}
	return &quarch.Block{First: first, PeriodNs: periodNs, Traces: []quarch.Trace{t}}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s = %g, want %g ± %g", what, got, want, within)
	}
}

// readCSV reads the rows of a table of testdata; an empty field is NaN.
func readCSV(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if line == "" || line[0] == '#' || line[0] == 't' {
			continue
		}
		var row []float64
		for f := range strings.SplitSeq(line, ",") {
			x, err := strconv.ParseFloat(f, 64)
			if f == "" {
				x, err = math.NaN(), nil
			}
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return rows
}

// fromRows makes blocks of rows t_us, v5_mV, i5_uA [, v12_mV, i12_uA]: a row's
// time is the start of its stripe, what is absent between two is lost.
func fromRows(rows [][]float64, periodUs float64) iter.Seq2[*quarch.Block, error] {
	count := func(x float64) int32 {
		if math.IsNaN(x) {
			return quarch.Missing
		}
		return int32(x)
	}
	var blocks []*quarch.Block
	var next uint64
	for _, r := range rows {
		k := uint64(r[0] / periodUs)
		b := &quarch.Block{First: k, Lost: k - next, PeriodNs: int64(periodUs * 1e3)}
		next = k + 1
		for i, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
			if 2+2*i < len(r) {
				b.Traces = append(b.Traces, quarch.Trace{
					Rail: rail, LSBVolts: 1e-3, LSBAmps: 1e-6,
					V: []int32{count(r[1+2*i])}, A: []int32{count(r[2+2*i])},
				})
			}
		}
		blocks = append(blocks, b)
	}
	return stream(blocks...)
}

// 100 samples a second for 2 s, of which the first 24 of every 50 arrive. The
// duration is the clock's, 2 s, not 96 samples' worth; the mean is that of what
// arrived: 400 mA, 2 W; the energy is of 0.96 s.
func TestBurstyLossIsCoverageNotTime(t *testing.T) {
	st, err := Cut(fromRows(readCSV(t, "bursty_loss.csv"), 10_000), clock{periodNs: 1e7}, nil,
		analysis.Window{Name: "run", EndNs: 2e9})
	if err != nil {
		t.Fatal(err)
	}
	s := st[0]
	near(t, "duration", s.Window.Seconds(), 2, 0)
	near(t, "coverage", s.Total.Coverage, 0.48, 1e-12)
	near(t, "mean current", s.Rails[0].MeanA, 0.4, 1e-12)
	near(t, "energy", s.Total.EnergyJ, 2*0.96, 1e-9)
	if s.Stripes != 96 || s.Lost != 78 { // 26 + 26 + 26 between blocks; the last 26 never announced themselves
		t.Errorf("%d stripes, %d lost", s.Stripes, s.Lost)
	}
}

// A host that slept from 10 s to 610 s: 20 s between neighbouring readings at
// 5 W are 100 J, and 600 s are unknown. Holding the last reading gives 3100 J.
func TestAnOutageIsUnknown(t *testing.T) {
	b := &quarch.Block{}
	tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for _, r := range readCSV(t, "outage.csv") {
		b.AtNs = append(b.AtNs, int64(r[0]*1e9))
		tr.V, tr.A = append(tr.V, 5000), append(tr.A, int32(r[1]/5*1e6))
	}
	b.Traces = []quarch.Trace{tr}
	st, err := Cut(stream(b), clock{periodNs: 1e9}, nil, analysis.Window{Name: "all", EndNs: 620e9})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "energy", st[0].Total.EnergyJ, 100, 1e-9)
	near(t, "covered", st[0].CoveredS(), 20, 1e-9)
	near(t, "unknown", st[0].UnknownS(), 600, 1e-9)
	near(t, "mean", st[0].Total.MeanW, 5, 1e-12)
}

// A module that reports no 12 V channel says nothing about 12 V; one whose
// channel reads 0 says 0.000 A. Both measure 2.5 W, the first of a part.
func TestARailThatIsAbsentIsNotARailAtZero(t *testing.T) {
	inUse := []quarch.Rail{quarch.Rail5V, quarch.Rail12V}
	w := analysis.Window{Name: "idle", EndNs: 4e6}
	absent, err := Cut(fromRows(readCSV(t, "absent_rail.csv"), 1000), clock{periodNs: 1e6}, inUse, w)
	if err != nil {
		t.Fatal(err)
	}
	zero, err := Cut(fromRows(readCSV(t, "zero_rail.csv"), 1000), clock{periodNs: 1e6}, inUse, w)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "total without the channel", absent[0].Total.MeanW, 2.5, 1e-12)
	near(t, "total with the channel at 0", zero[0].Total.MeanW, 2.5, 1e-12)
	if r := absent[0].NotMeasured; len(r) != 1 || r[0] != quarch.Rail12V || absent[0].Rail(quarch.Rail12V) != nil {
		t.Errorf("absent channel: not measured %v", r)
	}
	if len(zero[0].NotMeasured) != 0 {
		t.Errorf("channel at zero: not measured %v", zero[0].NotMeasured)
	}
	near(t, "12 V current", zero[0].Rail(quarch.Rail12V).MeanA, 0, 0)
	near(t, "12 V voltage", zero[0].Rail(quarch.Rail12V).MeanV, 12, 1e-12)
}

// 5 V at 1 A, then at 2 A from stripe 10 on: 5 W, 10 W. A window from 9.25 to
// 11.5 stripes holds 0.75 of a stripe at 5 W and 1.5 at 10 W.
func TestEdgesCountWithTheirShare(t *testing.T) {
	blocks := stream(constant(0, 10, 1e6, 1000), constant(10, 10, 1e6, 2000))
	st, err := Cut(blocks, clock{periodNs: 1e6}, nil, analysis.Window{StartNs: 9.25e6, EndNs: 11.5e6})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "energy", st[0].Total.EnergyJ, (0.75*5+1.5*10)*1e-3, 1e-15)
	near(t, "mean", st[0].Total.MeanW, (0.75*5+1.5*10)/2.25, 1e-12)
	near(t, "coverage", st[0].Total.Coverage, 1, 1e-12)
	if st[0].Stripes != 1 {
		t.Errorf("%d whole stripes, want 1", st[0].Stripes)
	}
}

// A second at 5 W between seconds at 2 W, borders misplaced by up to 1 ms: each
// may add or take 1 ms × 3 W = 3 mJ, so the mean is uncertain by 6 mW.
func TestEdgeUncertaintyIsStepTimesMisplacement(t *testing.T) {
	blocks := stream(constant(0, 1000, 1e6, 400), constant(1000, 1000, 1e6, 1000), constant(2000, 1000, 1e6, 400))
	st, err := Cut(blocks, clock{periodNs: 1e6, u95Ns: 1e6}, nil, analysis.Window{StartNs: 1e9, EndNs: 2e9})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", st[0].Total.MeanW, 5, 1e-12)
	near(t, "step", st[0].Edges[0].StepW, 3, 1e-12)
	near(t, "U95 from the edges", st[0].EdgeU95W(), 0.006, 1e-9)
}

func TestAWindowThatEndsBeforeItStartsIsAnError(t *testing.T) {
	if _, err := NewCutter(clock{periodNs: 1e6}, nil, analysis.Window{Name: "w", StartNs: 2, EndNs: 1}); err == nil {
		t.Error("no error")
	}
}

func TestAWindowWithoutSamplesHasNoFigures(t *testing.T) {
	st, err := Cut(stream(constant(0, 10, 1e6, 100)), clock{periodNs: 1e6}, nil, analysis.Window{StartNs: 1e9, EndNs: 2e9})
	if err != nil {
		t.Fatal(err)
	}
	s := st[0].Total
	if s.Coverage != 0 || !math.IsNaN(s.MeanW) || !math.IsNaN(s.EnergyJ) || !math.IsNaN(s.MinW) {
		t.Errorf("%+v", s)
	}
}

// Channels that never give a value are no channels at 0 W: nothing is covered.
func TestAStreamWithoutValuesHasNoFigures(t *testing.T) {
	w := analysis.Window{StartNs: 0, EndNs: 10e6}
	streamed := constant(0, 10, 1e6, 500)
	for i := range streamed.Traces[0].V {
		streamed.Traces[0].V[i] = quarch.Missing
	}
	polled := streamed.Clone()
	polled.PeriodNs, polled.AtNs = 0, []int64{0, 1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6, 9e6}
	for _, b := range []*quarch.Block{streamed, polled} {
		st, err := Cut(stream(b), clock{periodNs: 1e6}, []quarch.Rail{quarch.Rail5V}, w)
		if err != nil {
			t.Fatal(err)
		}
		if p := st[0].Total; p.Coverage != 0 || !math.IsNaN(p.MeanW) || !math.IsNaN(p.EnergyJ) || len(st[0].NotMeasured) != 1 {
			t.Errorf("total %+v, not measured %v; want nothing covered, and 5v not measured", p, st[0].NotMeasured)
		}
	}
}

// 10 stripes of 1 ms at 5 W, ten lost, ten at 10 W in six columns of 5 ms.
func TestDecimatorLeavesGapsOpen(t *testing.T) {
	second := constant(20, 10, 1e6, 2000)
	second.Lost = 10
	d := NewDecimator(analysis.Window{EndNs: 30e6}, 6, clock{periodNs: 1e6}, -1e9, nil)
	d.Add(constant(0, 10, 1e6, 1000))
	d.Add(second)
	ws := d.Waveforms()
	total := ws[len(ws)-1]
	for c, want := range []float64{5, 5, math.NaN(), math.NaN(), 10, 10} {
		if got := total.Mean[c]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("column %d: %g W, want %g", c, got, want)
		}
	}
	if total.Name != "total_w" || total.StartS != 1 || total.StepS != 0.005 || ws[0].Label != "5 V voltage" {
		t.Errorf("%s from %g s in steps of %g s; first is %q", total.Name, total.StartS, total.StepS, ws[0].Label)
	}
}

// Stripes of 10 ms drawn in columns of 4 ms: every column shows the stripe that
// covers its middle.
func TestDecimatorWithFewerStripesThanColumns(t *testing.T) {
	d := NewDecimator(analysis.Window{EndNs: 20e6}, 5, clock{periodNs: 10e6}, 0, nil)
	d.Add(constant(0, 1, 10e6, 1000))
	d.Add(constant(1, 1, 10e6, 2000))
	ws := d.Waveforms()
	for c, want := range []float64{5, 5, 10, 10, 10} { // middles at 2, 6, 10, 14, 18 ms; middle of stripe 1's is 15
		if got := ws[3].Mean[c]; got != want && c != 2 {
			t.Errorf("column %d: %g W, want %g", c, got, want)
		}
	}
}

// 500 IOs in the second half of a second, in two columns of 0.5 s and with none
// reported for the first: it is unknown, not 0.
func TestIntervalsBecomeRates(t *testing.T) {
	ws := Intervals(analysis.Window{EndNs: 1e9}, 2, 0, []engine.Interval{
		{StartNs: 0.5e9, EndNs: 1e9, Reads: 400, Writes: 100, ReadBytes: 4e6, WriteBytes: 1e6},
	})
	if !math.IsNaN(ws[0].Mean[0]) || ws[0].Mean[1] != 1000 || ws[1].Mean[1] != 10 {
		t.Errorf("IOPS %v, MB/s %v", ws[0].Mean, ws[1].Mean)
	}
}
