package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/analysis/efficiency"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

// A meter's clock is 594 ms behind the host's. Its row k begins when the host has
// row k − 1. With the offset found from arrivals, the job's window of a second
// holds just the ten rows of 6 W; the meter's own stamps would give 3.6 W.
func TestTwoClocksApartByHalfASecond(t *testing.T) {
	data, err := os.ReadFile("testdata/clock_offset.csv")
	if err != nil {
		t.Fatal(err)
	}
	const epochMs, periodNs = 1_790_000_000_000, 100e6
	tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
	var arrivals []quarch.Arrival
	var start align.Bound
	for line := range strings.Lines(string(data)) {
		var meterMs, hostMs int64
		var watts float64
		if n, _ := fmt.Sscanf(line, "%d,%g,%d", &meterMs, &watts, &hostMs); n != 3 {
			continue
		}
		at := (hostMs - epochMs) * 1e6
		if k := uint64(len(tr.V)); k == 0 {
			start = align.Bound{NotBeforeNs: at, Kind: "stream start"}
		} else {
			arrivals = append(arrivals, quarch.Arrival{First: k - 1, N: 1, ReadAtNs: at})
		}
		tr.V, tr.A = append(tr.V, 5000), append(tr.A, int32(watts/5*1e6))
	}
	m := align.Solve(align.Options{PeriodNs: periodNs}, slices.Values(arrivals), start)
	offset, u := m.Offset()
	if math.Abs(offset-594e6) > u || u > 1e6 || m.Status != align.StatusOK {
		t.Errorf("offset %.3f ± %.3f ms, status %s; want 594", offset*1e-6, u*1e-6, m.Status)
	}

	block := func(yield func(*quarch.Block, error) bool) {
		yield(&quarch.Block{PeriodNs: periodNs, Traces: []quarch.Trace{tr}}, nil)
	}
	job := analysis.Window{Name: "job", StartNs: 1594e6, EndNs: 2594e6}
	st, err := window.Cut(block, m, nil, job)
	if err != nil {
		t.Fatal(err)
	}
	if mean := st[0].Total.MeanW; math.Abs(mean-6) > 0.001 {
		t.Errorf("mean of the job %.4f W, want 6.0", mean)
	}
}

// load is a drive of 2 W, of 6 W between two host times.
type load struct{ fromNs, toNs float64 }

// joules returns its energy between two host times.
func (l load) joules(a, b float64) float64 {
	busy := max(0, min(b, l.toNs)-max(a, l.fromNs))
	return (2*(b-a) + 4*busy) * 1e-9
}

// The whole line in virtual time: a module that is 150 ppm slow and whose stripes
// arrive 5 to 9 ms late, a job of 2 s. Mean power and IOPS/mW must hold the truth
// within the U95 that they state.
func TestFromArrivalsToIOPSPerMilliwatt(t *testing.T) {
	const periodNs, ppm, startNs = 1_024_000, 150, 9e12
	truth := func(k float64) float64 { return startNs + k*periodNs*(1+ppm*1e-6) }
	l := load{fromNs: startNs + 61e9, toNs: startNs + 63e9}
	r := rand.New(rand.NewPCG(1, 5))

	var arrivals []quarch.Arrival
	var blocks []*quarch.Block
	const n = 4 // stripes in a block
	for k := uint64(0); truth(float64(k)) < startNs+90e9; k += n {
		tr := quarch.Trace{Rail: quarch.Rail12V, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for i := range uint64(n) {
			a, b := truth(float64(k+i)), truth(float64(k+i+1))
			watts := l.joules(a, b) / (b - a) * 1e9
			tr.V, tr.A = append(tr.V, 12_000), append(tr.A, int32(math.Round((watts/12+1e-3*r.NormFloat64())*1e6)))
		}
		at := truth(float64(k+n)) + 5e6 + 4e6*r.Float64()
		b := &quarch.Block{First: k, PeriodNs: periodNs, ReadAtNs: int64(at), Traces: []quarch.Trace{tr}}
		blocks, arrivals = append(blocks, b), append(arrivals, b.Arrival())
	}
	m := align.Solve(align.Options{PeriodNs: periodNs}, slices.Values(arrivals), align.Bound{NotBeforeNs: startNs - 1e6, Kind: "stream start"})
	if m.Status != align.StatusOK || math.Abs(m.DriftPPM-ppm) > m.DriftU95PPM {
		t.Errorf("%s: drift %.1f ± %.1f ppm, is %d; %s %s", m.Method, m.DriftPPM, m.DriftU95PPM, ppm, m.Status, m.Reason)
	}

	res := &engine.Result{
		Engine: "fio", StartNs: int64(l.fromNs), EndNs: int64(l.toNs), EdgeU95Ns: 2e6,
		Read: engine.Direction{IOs: 120_000, Bytes: 120_000 * 4096},
	}
	windows := []analysis.Window{{Name: "randread", StartNs: res.StartNs, EndNs: res.EndNs}}
	for at := res.StartNs; at < res.EndNs; at += 200e6 {
		res.Intervals = append(res.Intervals, engine.Interval{StartNs: at, EndNs: at + 200e6, Reads: 12_000, ReadBytes: 12_000 * 4096})
	}
	for _, p := range efficiency.Parts(res) {
		windows = append(windows, p.Window)
	}
	c, err := window.NewCutter(m, nil, windows...)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		c.Add(b)
	}
	st := c.Stats()
	cell := efficiency.Judge(efficiency.Input{
		Job:    engine.Job{Step: "randread", RW: "randread", BlockBytes: 4096, QueueDepth: 32, Jobs: 1},
		Result: res, Power: &st[0], Parts: st[1:],
	})
	if cell.IOPSPerMW == nil || cell.U95Rel == nil {
		t.Fatalf("withheld: %v", cell.Withheld)
	}
	// 60,000 IOPS / 6000 mW
	if off := math.Abs(*cell.IOPSPerMW/10 - 1); off > *cell.U95Rel || *cell.U95Rel > 0.01 {
		t.Errorf("%.4f IOPS/mW ± %.2f %%, want 10 ± at most 1 %%", *cell.IOPSPerMW, 100**cell.U95Rel)
	}
	if off := math.Abs(*cell.MeanW - 6); off > *cell.MeanU95W {
		t.Errorf("%.4f ± %.4f W, is 6", *cell.MeanW, *cell.MeanU95W)
	}
}
