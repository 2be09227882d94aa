package latency_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"powerd/analysis/latency"
	"powerd/engine"
)

// bins counts samples in bins of 1/64 of an octave, as engines do, with their exact moments.
func bins(us []float64) engine.Latency {
	counts := map[[2]int64]uint64{}
	l := engine.Latency{N: uint64(len(us))}
	sum, squares := 0.0, 0.0
	for _, x := range us {
		ns := int64(x * 1e3)
		width := int64(1)
		for ns/width >= 128 {
			width *= 2
		}
		low := ns / width * width
		counts[[2]int64{low, low + width}]++
		sum, squares, l.MaxUs = sum+x, squares+x*x, max(l.MaxUs, x)
	}
	n := float64(len(us))
	l.MeanUs = sum / n
	l.StdUs = math.Sqrt(max(0, squares/n-l.MeanUs*l.MeanUs))
	var h engine.Histogram
	for ends, n := range counts {
		h = append(h, engine.Bin{LowNs: ends[0], HighNs: ends[1], IOs: n})
	}
	l.Histogram = engine.MergeHistograms(h)
	return l
}

func drawn(r *rand.Rand, n int, meanUs float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = meanUs * (0.8 + 0.2*r.ExpFloat64())
	}
	return out
}

// exact is the latency that q of all sorted samples do not exceed.
func exact(us []float64, q float64) float64 { return us[int(math.Ceil(q*float64(len(us))-1e-9))-1] }

// Reads of 100 µs and nearly as many writes of 1000 µs. The percentile of both is that of all the
// samples sorted, within half a bin (1/128); the mean of both directions' percentiles, which
// is what many tools print, is far off: half of all IOs are done in 140 µs, and not in 500.
func TestPercentilesOfBothDirectionsComeFromAllSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	reads, writes := drawn(r, 220_000, 100), drawn(r, 200_000, 1000)
	f := latency.Join(bins(reads), bins(writes))
	all := slices.Sorted(slices.Values(slices.Concat(reads, writes)))
	for _, c := range []struct {
		q   float64
		got *float64
	}{{0.50, f.P50}, {0.99, f.P99}, {0.999, f.P999}, {0.9999, f.P9999}} {
		want := exact(all, c.q)
		if c.got == nil || math.Abs(*c.got/want-1) > 1.0/128 {
			t.Errorf("%g: %v, of the sorted samples %g", c.q, c.got, want)
		}
	}
	slices.Sort(reads)
	slices.Sort(writes)
	if average := (exact(reads, 0.5) + exact(writes, 0.5)) / 2; average < 3**f.P50 {
		t.Errorf("this load is no test: the average %g is near the median %g", average, *f.P50)
	}
}

// Rounds put together are the same as all their samples in one round: five rounds, of which
// the third is three times slower and has a third of the IOs.
func TestRoundsPutTogetherAreOneLongRound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var parts []*latency.Figures
	var all []float64
	for _, c := range []struct {
		n      int
		meanUs float64
	}{{30_000, 100}, {30_000, 101}, {10_000, 300}, {30_000, 99}, {30_000, 100}} {
		us := drawn(r, c.n, c.meanUs)
		parts, all = append(parts, latency.Join(bins(us), engine.Latency{})), append(all, us...)
	}
	got, want := latency.Add(parts), latency.Join(bins(all), engine.Latency{})
	for name, pair := range map[string][2]*float64{
		"mean": {got.Mean, want.Mean}, "std": {got.Std, want.Std}, "max": {got.Max, want.Max},
		"p50": {got.P50, want.P50}, "p99": {got.P99, want.P99}, "p999": {got.P999, want.P999}, "p9999": {got.P9999, want.P9999},
	} {
		if pair[0] == nil || pair[1] == nil || math.Abs(*pair[0]/(*pair[1])-1) > 1e-9 {
			t.Errorf("%s: %v of rounds, %v of all", name, pair[0], pair[1])
		}
	}
	// One round alone does not carry its 99.99th: 30 000 IOs leave 3 beyond it.
	if parts[0].P9999 != nil || !strings.Contains(parts[0].Reason("p9999"), "3 of 30000") {
		t.Errorf("one round: %v, %q", parts[0].P9999, parts[0].Reason("p9999"))
	}
}

// Ten IOs beyond a percentile carry it, nine do not: 99 % takes 1000 IOs, 99.9 % 10 000,
// 99.99 % 100 000, 99.999 % a million. The last needs no excuse.
func TestPercentilesThatTheIOsDoNotCarryAreWithheld(t *testing.T) {
	for _, c := range []struct {
		ios     uint64
		carried int // of p50, p99, p999, p9999, p99999
		why     string
	}{
		{19, 0, "9 of 19 IOs are beyond the 50th percentile, 10 are needed"},
		{20, 1, "0 of 20 IOs are beyond the 99th percentile, 10 are needed"},
		{999, 1, "9 of 999 IOs are beyond the 99th percentile, 10 are needed"},
		{1000, 2, "1 of 1000 IOs are beyond the 99.9th percentile, 10 are needed"},
		{99_999, 3, "9 of 99999 IOs are beyond the 99.99th percentile, 10 are needed"},
		{100_000, 4, ""},
		{999_999, 4, ""},
		{1_000_000, 5, ""},
	} {
		h := engine.Histogram{{LowNs: 100_000, HighNs: 101_000, IOs: c.ios}}
		f := latency.Join(engine.Latency{N: c.ios, MeanUs: 100.5, MaxUs: 100.9, Histogram: h}, engine.Latency{})
		n := 0
		for _, p := range []*float64{f.P50, f.P99, f.P999, f.P9999, f.P99999} {
			if p != nil {
				n++
			}
		}
		why := ""
		if len(f.Lacks) > 0 {
			why = f.Lacks[0].Why
		}
		if n != c.carried || why != c.why {
			t.Errorf("%d IOs: %d percentiles, %q", c.ios, n, why)
		}
	}
}

// A percentile in the open bin is only known to be above its lower end, and none exceeds the
// highest latency, which is exact: 100.4 µs is in the lower half of its bin.
func TestEdgesOfBins(t *testing.T) {
	open := engine.Histogram{{LowNs: 100_000, HighNs: 101_000, IOs: 980}, {LowNs: 17_045_651_456, HighNs: math.MaxInt64, IOs: 20}}
	f := latency.Join(engine.Latency{N: 1000, MeanUs: 400_000, MaxUs: 20e6, Histogram: open}, engine.Latency{})
	if f.P50 == nil || f.P99 != nil || !strings.Contains(f.Reason("p99"), "above 17 s") {
		t.Errorf("%v, %v, %q", f.P50, f.P99, f.Reason("p99"))
	}
	one := engine.Histogram{{LowNs: 100_000, HighNs: 101_000, IOs: 1000}}
	f = latency.Join(engine.Latency{N: 1000, MeanUs: 100.2, MaxUs: 100.4, Histogram: one}, engine.Latency{})
	if f.P99 == nil || *f.P99 != 100.4 {
		t.Errorf("99th percentile %v, the highest is 100.4", f.P99)
	}
}

// A report of an older run has percentiles and no bins: they stand for one direction, as far
// as its IOs carry them.
func TestReportsWithoutBins(t *testing.T) {
	one := engine.Latency{N: 20_000, MeanUs: 80, MaxUs: 900, PercentileUs: map[string]float64{"99": 120, "99.9": 300, "99.99": 700}}
	f := latency.Join(one, engine.Latency{})
	if f.P99 == nil || *f.P99 != 120 || f.P999 == nil || f.P9999 != nil || f.Reason("p9999") == "" || f.P50 != nil {
		t.Errorf("%+v", f)
	}
	both := latency.Join(one, one)
	if both.P99 != nil || both.Reason("p99") == "" || both.Mean == nil {
		t.Errorf("%+v", both)
	}
	if sum := latency.Add([]*latency.Figures{f, f}); sum.P99 != nil || sum.Reason("p99") == "" || *sum.Mean != 80 {
		t.Errorf("%+v", sum)
	}
	if latency.Join(engine.Latency{}, engine.Latency{}) != nil {
		t.Error("latencies of nothing")
	}
}
