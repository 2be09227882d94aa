package efficiency

import (
	"math"
	"math/rand/v2"
	"testing"

	"powerd/engine"
)

// rows returns a result of equal intervals from second 0 on that hold these reads.
func rows(lengthNs int64, counts ...uint64) *engine.Result {
	r := &engine.Result{Engine: "fio", EdgeU95Ns: 2e6, EndNs: lengthNs * int64(len(counts))}
	for i, n := range counts {
		r.Intervals = append(r.Intervals, engine.Interval{
			StartNs: int64(i) * lengthNs, EndNs: int64(i+1) * lengthNs, Reads: n, ReadBytes: 4096 * n,
		})
		r.Read.IOs, r.Read.Bytes = r.Read.IOs+n, r.Read.Bytes+4096*n
	}
	return r
}

// wandering are the IOPS of ten intervals of 0.3 s: 12,000 to 28,000, 20,000 in the
// mean.
func wandering() []float64 {
	return []float64{12e3, 28e3, 18e3, 24e3, 14e3, 26e3, 16e3, 22e3, 13e3, 27e3}
}

// The squares of what those are off by add up to 338e6, so that one deviates by
// √(338e6/9) = 6128 and the mean by 6128/√10 = 1938; with t(9) = 2.262 that is
// ± 4384, 21.9 %. At even power the ratio is as unsure, though the power itself is
// known to a hair.
func TestWanderingIOsMakeAWideInterval(t *testing.T) {
	var counts []uint64
	var watts []float64
	for _, iops := range wandering() {
		counts = append(counts, uint64(0.3*iops))
		for range 30 {
			watts = append(watts, 5)
		}
	}
	c := judged(t, rows(300e6, counts...), 10e6, 0, watts...)
	near(t, "IOPS", c.IOPS, 20_000, 1e-9)
	near(t, "relative U95 of IOPS", c.IOPSU95Rel, 0.219, 0.001)
	near(t, "relative U95 of the ratios", c.U95Rel, 0.219, 0.001)
	near(t, "U95 of the mean power", c.MeanU95W, 0, 1e-9)
	row := Table([]*Cell{c})
	for column, want := range map[string]float64{"iops": 20_000, "mb_per_s": 81.92, "iops_per_mw": 4, "uj_per_io": 250} {
		if cell := row.At(0, column); math.Abs(cell.Value-want) > 1e-9*want || math.Abs(cell.U95-0.219*want) > 0.001*want {
			t.Errorf("%s = %g ± %g, want %g ± 21.9 %%", column, cell.Value, cell.U95, want)
		}
	}
}

// The same IOs, each of 250 µJ: watts go with IOPS, and the ratio does not scatter
// at all. What is left of its ± is the engine's borders, √2 · 2 ms / 3 s.
func TestIOsAndWattsThatRiseTogetherScatterLittle(t *testing.T) {
	var counts []uint64
	var watts []float64
	for _, iops := range wandering() {
		counts = append(counts, uint64(0.3*iops))
		for range 30 {
			watts = append(watts, iops*250e-6)
		}
	}
	c := judged(t, rows(300e6, counts...), 10e6, 0, watts...)
	near(t, "relative U95 of IOPS", c.IOPSU95Rel, 0.219, 0.001)
	near(t, "relative U95 of the ratios", c.U95Rel, math.Sqrt2*2e-3/3, 1e-6)
}

// Three intervals tell no scatter: no ±, with the reason; the figures stand.
func TestFewIntervalsTellNoScatter(t *testing.T) {
	const why = "the window is too short to tell its scatter"
	watts := make([]float64, 120)
	for i := range watts {
		watts[i] = 5
	}
	c := judged(t, rows(400e6, 4000, 4100, 3900), 10e6, 0, watts...)
	if c.IOPS == nil || c.IOPSPerMW == nil || c.IOPSU95Rel != nil || c.U95Rel != nil {
		t.Errorf("IOPS %v ± %v, IOPS/mW %v ± %v", c.IOPS, c.IOPSU95Rel, c.IOPSPerMW, c.U95Rel)
	}
	if c.Reason("iops_u95_rel") != why || c.Reason("u95_rel") != why {
		t.Errorf("withheld %v", c.Withheld)
	}
	if cell := Table([]*Cell{c}).At(0, "u95_rel"); cell.Valid || cell.Why != why {
		t.Errorf("table cell %+v", cell)
	}
	if c = judged(t, rows(400e6, 4000, 4100, 3900, 4000), 10e6, 0, watts...); c.U95Rel != nil {
		t.Error("a part without samples told a scatter")
	}
}

// fio's rows of an even load of 15,003.7 IOPS: its sampler is 0 to 3 ms late, its
// stamps and spans are cut to whole ms, its rates to whole numbers, and the last row
// is missing. Each may be wrong by 1 ms of 400; the ± may not be more than a fifth
// of a percent, of which √2 · 2 ms / 4 s = 0.07 % are the borders.
func TestCoarseLogsOfAnEvenLoad(t *testing.T) {
	const iops, startMs = 15_003.7, 1000.37
	watts := make([]float64, 600)
	for i := range watts {
		watts[i] = 5
	}
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := &engine.Result{Engine: "fio", EdgeU95Ns: 2e6, StartNs: 1001e6, EndNs: 5001e6}
		r.Read.IOs = uint64(math.Floor(4 * iops))
		r.Read.Bytes = 4096 * r.Read.IOs
		lastMs, stampMs := startMs, math.Floor(startMs)
		for k := range 9 {
			nowMs := startMs + 400*float64(k+1) + 3*rnd.Float64()
			rate := math.Floor(math.Floor(iops*(nowMs-lastMs)/1000) * 1000 / math.Floor(nowMs-lastMs))
			reads := uint64(math.Round(rate * (math.Floor(nowMs) - stampMs) / 1000))
			r.Intervals = append(r.Intervals, engine.Interval{
				StartNs: int64(stampMs+1) * 1e6, EndNs: int64(math.Floor(nowMs)+1) * 1e6, Reads: reads, ReadBytes: 4096 * reads,
			})
			lastMs, stampMs = nowMs, math.Floor(nowMs)
		}
		c := judged(t, r, 10e6, 0, watts...)
		near(t, "relative U95 of IOPS", c.IOPSU95Rel, 0.001, 0.001)
		near(t, "relative U95 of the ratios", c.U95Rel, 0.001, 0.001)
	}
}
