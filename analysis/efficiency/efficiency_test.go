package efficiency

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

// clock is a module's clock for tests: stripe k begins at k·periodNs.
type clock struct{ periodNs, u95Ns float64 }

func (c clock) TimeOf(k float64) (ns, u95Ns float64) { return k * c.periodNs, c.u95Ns }
func (c clock) IndexAt(ns float64) float64           { return ns / c.periodNs }

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

// power returns the stats of a window over stripes of the given watts at 5 V.
func power(t *testing.T, periodNs int64, u95Ns float64, w analysis.Window, watts ...float64) *window.Stats {
	t.Helper()
	return &cut(t, periodNs, u95Ns, []analysis.Window{w}, watts)[0]
}

// judged returns the cell of r over stripes of the given watts, cut by r's parts.
func judged(t *testing.T, r *engine.Result, periodNs int64, u95Ns float64, watts ...float64) *Cell {
	t.Helper()
	ws := []analysis.Window{{StartNs: r.StartNs, EndNs: r.EndNs}}
	for _, p := range Parts(r) {
		ws = append(ws, p.Window)
	}
	st := cut(t, periodNs, u95Ns, ws, watts)
	return Judge(Input{Job: job(), Result: r, Power: &st[0], Parts: st[1:]})
}

func cut(t *testing.T, periodNs int64, u95Ns float64, ws []analysis.Window, watts []float64) []window.Stats {
	t.Helper()
	tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	for _, x := range watts {
		tr.V, tr.A = append(tr.V, 5000), append(tr.A, int32(math.Round(x/5*1e6)))
	}
	c, err := window.NewCutter(clock{periodNs: float64(periodNs), u95Ns: u95Ns}, nil, ws...)
	if err != nil {
		t.Fatal(err)
	}
	c.Add(&quarch.Block{PeriodNs: periodNs, Traces: []quarch.Trace{tr}})
	return c.Stats()
}

func job() engine.Job {
	return engine.Job{Step: "randread", RW: "randread", BlockBytes: 4096, QueueDepth: 32, Jobs: 1}
}

// reads returns a result of n reads of 4 KiB in a window.
func reads(n uint64, w analysis.Window) *engine.Result {
	return &engine.Result{
		Engine: "fio", StartNs: w.StartNs, EndNs: w.EndNs, EdgeU95Ns: 2e6,
		Read: engine.Direction{IOs: n, Bytes: 4096 * n},
	}
}

// A second by second trace: the engine ran from 2 s to 6 s at 50,000 IOPS and
// the drive drew 5 W then, 0.5 W before and after. 50,000 / 5000 mW is 10.0
// IOPS/mW; with the power of all 8 s, 2.75 W, it would seem to be 18.18.
func TestBothSidesAreOfTheSameWindow(t *testing.T) {
	data, err := os.ReadFile("testdata/window.csv")
	if err != nil {
		t.Fatal(err)
	}
	var watts []float64
	var ios uint64
	for line := range strings.Lines(string(data)) {
		var s, p, n float64
		if k, _ := fmt.Sscanf(line, "%g,%g,%g", &s, &p, &n); k == 3 {
			watts, ios = append(watts, p), ios+uint64(n)
		}
	}
	w := analysis.Window{StartNs: 2e9, EndNs: 6e9}
	in := Input{Job: job(), Result: reads(ios, w), Power: power(t, 1e9, 0, w, watts...)}
	c := Judge(in)
	near(t, "IOPS/mW", c.IOPSPerMW, 10.0, 1e-9)
	near(t, "IOPS/W", c.IOPSPerW, 10_000, 1e-6)
	near(t, "IOPS", c.IOPS, 50_000, 1e-9)
	near(t, "MB/s", c.MBPerS, 204.8, 1e-9) // 50,000 × 4096 B
	near(t, "MB/s/mW", c.MBPerSPerMW, 0.04096, 1e-9)
	near(t, "MB/s/W", c.MBPerSPerW, 40.96, 1e-9)
	near(t, "energy per IO", c.UJPerIO, 100, 1e-9) // 5 W / 50,000
	near(t, "energy", c.EnergyJ, 20, 1e-9)
	if c.State != "not_judged" || c.ReadPct != 100 {
		t.Errorf("state %q, reads %d %%", c.State, c.ReadPct)
	}

	in.Power = power(t, 1e9, 0, analysis.Window{EndNs: 8e9}, watts...)
	if c = Judge(in); c.IOPSPerMW != nil || c.MeanW != nil || c.why != "power and IO are not of the same window" {
		t.Errorf("power of all 8 s: %v, %q", c.IOPSPerMW, c.why)
	}
}

// 2 s at 5 W between 2 W, borders of the trace good to 1 ms, of the engine to
// 2 ms. Alignment: 2 × 1 ms × 3 W / (5 W × 2 s) = 0.06 %. Engine: √2 × 2 ms / 2 s
// = 0.1414 %. Ten even intervals: no scatter. Together √(0.06² + 0.1414²) = 0.1536 %.
func TestU95HoldsBothSidesBorders(t *testing.T) {
	w := analysis.Window{StartNs: 1e9, EndNs: 3e9}
	var watts []float64
	for i := range 400 {
		if i < 100 || i >= 300 {
			watts = append(watts, 2)
		} else {
			watts = append(watts, 5)
		}
	}
	r := reads(1000, w)
	for i := range int64(10) {
		r.Intervals = append(r.Intervals, engine.Interval{StartNs: 1e9 + i*200e6, EndNs: 1e9 + (i+1)*200e6, Reads: 100, ReadBytes: 409_600})
	}
	c := judged(t, r, 10e6, 1e6, watts...)
	near(t, "relative U95 of IOPS", c.IOPSU95Rel, 0.001414, 1e-6)
	near(t, "relative U95", c.U95Rel, 0.001536, 1e-6)
	near(t, "U95 of the mean power", c.MeanU95W, 0.003, 1e-9)
	cell := Table([]*Cell{c}).At(0, "iops_per_mw")
	if !cell.Valid || math.Abs(cell.U95-0.001536*cell.Value) > 1e-6 {
		t.Errorf("table cell %+v", cell)
	}
}

// What cannot be supported has a reason; what the engine alone knows stays.
func TestWithheldCellsSayWhy(t *testing.T) {
	w := analysis.Window{EndNs: 1e9}
	flat := func(x float64) []float64 {
		xs := make([]float64, 100)
		for i := range xs {
			xs[i] = x
		}
		return xs
	}
	good := power(t, 10e6, 0, w, flat(5)...)
	polled := *good
	polled.Polled, polled.Stripes = true, 11
	tests := []struct {
		name string
		in   Input
		why  string
		iops bool // the engine's figure stands
	}{
		{"half of the samples lost", Input{Result: reads(100, w), Power: power(t, 10e6, 0, w, flat(5)[:48]...)}, "samples cover 48.0 % of the window, 99.0 % are required", true},
		{"no IO", Input{Result: reads(0, w), Power: good}, "no IO was completed", true},
		{"power is not positive", Input{Result: reads(100, w), Power: power(t, 10e6, 0, w, flat(-0.01)...)}, "mean power is -0.01 W", true},
		{"meter too coarse", Input{Result: reads(100, w), Power: power(t, 10e6, 0, w, flat(0.01)...), ResolutionAmps: map[quarch.Rail]float64{quarch.Rail5V: 0.01}}, "power is below resolution (0.05 W of 0.01 W)", true},
		{"engine window not known", Input{Result: &engine.Result{Read: engine.Direction{IOs: 5}}, Power: good}, "the engine's window is not known", false},
		{"polled too slowly", Input{Result: reads(100, w), Power: &polled}, "11 readings in the window, 30 are needed", true},
		{"stream ended early", Input{Result: reads(100, w), Power: good, Truncated: "module overrun"}, "the sample stream was cut short: module overrun", true},
		{"no samples at all", Input{Result: reads(100, w)}, "no samples", true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.in.Job = job()
			c := Judge(tc.in)
			if c.IOPSPerMW != nil || c.UJPerIO != nil || c.why != tc.why {
				t.Errorf("withheld because %q, want %q", c.why, tc.why)
			}
			if (c.IOPS != nil) != tc.iops {
				t.Errorf("IOPS given: %v", c.IOPS != nil)
			}
			if cell := Table([]*Cell{c}).At(0, "iops_per_mw"); cell.Valid || cell.Why != tc.why {
				t.Errorf("table cell %+v", cell)
			}
			if _, err := json.Marshal(c); err != nil {
				t.Error(err)
			}
		})
	}
}

// Ten IOs in 1 ms are a burst into a cache, not 10,000 IOPS: rates and ratios need
// 100 ms. What was drawn meanwhile is still known.
func TestNoRatesOfAnInstant(t *testing.T) {
	w := analysis.Window{EndNs: 1e6}
	c := Judge(Input{Job: job(), Result: reads(10, w), Power: power(t, 1e6, 0, w, 5)})
	const why = "the window lasts 1 ms, rates need 100 ms"
	if c.IOPS != nil || c.MBPerS != nil || c.IOPSPerMW != nil || c.UJPerIO != nil {
		t.Errorf("a rate or a ratio is given: %+v", c)
	}
	if c.Reason("iops") != why || c.Reason("iops_per_mw") != why {
		t.Errorf("withheld %v", c.Withheld)
	}
	if c.IOs != 10 || c.MeanW == nil {
		t.Errorf("%d IOs and %v W; both were measured", c.IOs, c.MeanW)
	}
	for _, column := range []string{"iops", "iops_per_mw"} {
		if cell := Table([]*Cell{c}).At(0, column); cell.Valid || cell.Why != why {
			t.Errorf("table cell %s: %+v", column, cell)
		}
	}
}

// A job that was stopped early is a measurement of what it did, and says so.
func TestAnInterruptedJobIsMarked(t *testing.T) {
	w := analysis.Window{EndNs: 1e9}
	r := reads(100, w)
	r.Interrupted = true
	c := Judge(Input{Job: job(), Result: r, Power: power(t, 1e9, 0, w, 5)})
	if c.IOPSPerMW == nil || !c.Interrupted || c.Warnings[0].Code != "interrupted" {
		t.Errorf("%+v", c)
	}
}

// 3000 reads with mean 100 µs and deviation 10, 1000 writes with 200 and 20: mean
// (3000·100 + 1000·200)/4000 = 125 µs; variance (3000·(100 + 625) + 1000·(400 +
// 5625))/4000 = 2050, deviation 45.28. Percentiles of the two cannot be merged.
func TestLatencyOfMixedLoads(t *testing.T) {
	w := analysis.Window{EndNs: 1e9}
	r := reads(300, w)
	r.Read.Latency = engine.Latency{N: 3000, MeanUs: 100, StdUs: 10, MaxUs: 300, PercentileUs: map[string]float64{"99": 120}}
	c := Judge(Input{Job: job(), Result: r, Power: power(t, 1e9, 0, w, 5)})
	near(t, "99th percentile of reads alone", c.Latency.P99, 120, 0)

	r.Write.Latency = engine.Latency{N: 1000, MeanUs: 200, StdUs: 20, MaxUs: 250, PercentileUs: map[string]float64{"99": 240}}
	c = Judge(Input{Job: job(), Result: r, Power: power(t, 1e9, 0, w, 5)})
	near(t, "mean", c.Latency.Mean, 125, 1e-9)
	near(t, "deviation", c.Latency.Std, 45.2769, 1e-4)
	near(t, "maximum", c.Latency.Max, 300, 0)
	if c.Latency.P99 != nil || c.Reason("latency_us.percentiles") == "" {
		t.Error("a merged percentile is given")
	}
}
