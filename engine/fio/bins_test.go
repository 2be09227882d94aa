package fio

import (
	"math"
	"testing"

	"powerd/engine"
)

// fio's own table of bins, by its formula (stat.c, plat_idx_to_val): bin i of 64 in group g
// begins at base + i·width, is named base + ⌊(i + ½)·width⌋, and the last of all is open.
func TestBinsOfEveryName(t *testing.T) {
	const groups, perGroup = 29, 64
	for group := range groups {
		for i := range int64(perGroup) {
			low, width := i, int64(1)
			if group > 0 {
				width = int64(1) << (group - 1)
				low = (perGroup + i) * width
			}
			name := low + width/2
			want := [2]int64{low, low + width}
			if group == groups-1 && i == perGroup-1 {
				want[1] = math.MaxInt64
			}
			gotLow, gotHigh, ok := binOf(uint64(name))
			if got := [2]int64{gotLow, gotHigh}; !ok || got != want {
				t.Fatalf("group %d, bin %d: %d names %v, want %v", group, i, name, got, want)
			}
			if low >= perGroup && width*perGroup > low {
				t.Fatalf("group %d, bin %d: %d wide at %d, more than 1/64", group, i, width, low)
			}
		}
	}
	if _, _, ok := binOf(1 << lastBits); ok {
		t.Error("there is no bin behind the last one")
	}
}

// A real report of json+ says both: its percentiles, and the bins that they were made of.
// Reads and writes by themselves must come out the same from the bins; their mean lies
// within half a bin of the exact one.
func TestPercentilesFromBinsAreFiosOwn(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-json-plus", ended(1_796_061_000_000, 1_796_061_003_000, 0)))
	for name, l := range map[string]engine.Latency{"read": res.Read.Latency, "write": res.Write.Latency} {
		if l.Histogram.IOs() != l.N || l.N == 0 {
			t.Fatalf("%s: the bins hold %d of %d IOs", name, l.Histogram.IOs(), l.N)
		}
		for key, share := range map[string]float64{"50": 0.5, "99": 0.99, "99.9": 0.999, "99.99": 0.9999} {
			rank := uint64(math.Ceil(share * float64(l.N)))
			for _, b := range l.Histogram {
				if rank <= b.IOs {
					if math.Abs(b.MiddleUs()-l.PercentileUs[key]) > 1e-3 { // fio's names are whole ns
						t.Errorf("%s: %s %% is %g µs by the bins, fio says %g", name, key, b.MiddleUs(), l.PercentileUs[key])
					}
					break
				}
				rank -= b.IOs
			}
		}
		sum := 0.0
		for _, b := range l.Histogram {
			sum += b.MiddleUs() * float64(b.IOs)
		}
		if mean := sum / float64(l.N); math.Abs(mean/l.MeanUs-1) > 1.0/128 {
			t.Errorf("%s: mean %g µs by the bins, fio says %g", name, mean, l.MeanUs)
		}
		if w := l.Histogram.WidestRel(); w > 1.0/64 || w < 1.0/128 {
			t.Errorf("%s: widest bin %g of its lower end", name, w)
		}
	}
	for _, w := range res.Warnings {
		if w.Code == "bins-disagree" {
			t.Errorf("warning: %s", w.Text)
		}
	}
}

// Bins that hold other IOs than were timed, or lie elsewhere than the mean, are believed by
// nobody: there are no percentiles, and a warning says so.
func TestBinsThatDisagree(t *testing.T) {
	for name, c := range map[string]struct {
		bins     map[string]uint64
		n        uint64
		meanNs   float64
		agree    bool
		withBins bool
	}{
		"they agree":              {map[string]uint64{"1000": 5}, 5, 1001, true, true}, // [1000, 1008) holds the name's bin
		"one IO is missing":       {map[string]uint64{"1000": 4}, 5, 1001, false, false},
		"the mean is elsewhere":   {map[string]uint64{"1000": 5}, 5, 1200, false, true},
		"a name that is no bin":   {map[string]uint64{"fast": 5}, 5, 1001, false, false},
		"a report without bins":   {nil, 5, 1001, true, false},
		"longer than there are":   {map[string]uint64{"99999999999": 5}, 5, 1001, false, false},
		"in the last bin, openly": {map[string]uint64{"17112760320": 5}, 5, 60e9, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &moments{N: &c.n, Mean: &c.meanNs, Bins: c.bins}
			d := &document{version: Version{Major: 3, Minor: 33}, Entries: []entry{{Name: "x", Read: &totals{ClatNs: m}}}}
			res := &engine.Result{}
			checkBins(d, warnInto(res))
			if agree := len(res.Warnings) == 0; agree != c.agree {
				t.Errorf("warnings %v", res.Warnings)
			}
			if h := histogramOf(d.version, []*totals{d.Entries[0].Read}); (h != nil) != c.withBins {
				t.Errorf("histogram %v", h)
			}
		})
	}
}
