package pairing

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// binNs is the length of the means that everything rests on.
const binNs = 10_000_000

// trace is the total power in bins of host time. A bin without a sample is NaN.
type trace struct {
	startNs int64 // of bin 0
	watts   []float64
	u95Ns   float64 // of a sample's place, the widest; with half a sample's length
	stepW   float64 // the module's resolution
	spacing int     // typical distance of bins with samples
}

// binSum sums one rail's watts by bin.
type binSum struct {
	sum, n []float64
	stepW  float64 // of one count of its current; 0 = no value came yet
}

// add adds a value in bin k.
func (s *binSum) add(k int, w float64) {
	for len(s.sum) <= k {
		s.sum, s.n = append(s.sum, 0), append(s.n, 0)
	}
	s.sum[k], s.n[k] = s.sum[k]+w, s.n[k]+1
}

// collect sorts a stream's stripes into bins.
func collect(m analysis.TimeMap, blocks iter.Seq2[*quarch.Block, error]) (*trace, error) {
	t := &trace{}
	rails := map[quarch.Rail]*binSum{}
	started := false
	for b, err := range blocks {
		switch {
		case err != nil:
			return nil, fmt.Errorf("judge a pairing: %w", err)
		case b.Len() == 0:
			continue
		case !started:
			started = true
			t.startNs = int64(middle(m, b, 0))
		}
		t.place(m, b)
		for k := range b.Traces {
			r := b.Traces[k].Rail
			if rails[r] == nil {
				rails[r] = &binSum{}
			}
			rails[r].addAll(m, t.startNs, b, &b.Traces[k])
		}
	}
	t.addUp(rails)
	t.spacing = spacing(t.watts)
	return t, nil
}

// addAll adds the values of one rail of a block.
func (s *binSum) addAll(m analysis.TimeMap, startNs int64, b *quarch.Block, t *quarch.Trace) {
	for i := range t.V {
		w, ok := t.Watts(i)
		k := math.Floor((middle(m, b, i) - float64(startNs)) / binNs)
		if !ok || k < 0 {
			continue
		}
		s.add(int(k), float64(w))
		if v, ok := t.Volts(i); ok && s.stepW == 0 {
			s.stepW = math.Abs(float64(v)) * t.LSBAmps
		}
	}
}

// middle returns the host time of the middle of stripe i of b.
func middle(m analysis.TimeMap, b *quarch.Block, i int) float64 {
	if b.PeriodNs == 0 {
		return float64(b.AtNs[i])
	}
	ns, _ := m.TimeOf(float64(b.First) + float64(i) + 0.5)
	return ns
}

// addUp makes the total of the rails that ever had a value: the others' channels are
// there in name only. Where one of them has none, nothing is known of the total.
func (t *trace) addUp(rails map[quarch.Rail]*binSum) {
	size := 0
	for _, r := range quarch.ByRail(rails) {
		size = max(size, len(r.sum))
		t.stepW += r.stepW
	}
	t.watts = make([]float64, size)
	for _, r := range quarch.ByRail(rails) {
		if len(r.sum) == 0 {
			continue
		}
		for k := range t.watts {
			if k < len(r.sum) {
				t.watts[k] += r.sum[k] / r.n[k] // 0/0 is NaN: missing
			} else {
				t.watts[k] = math.NaN()
			}
		}
	}
}

// place widens u95Ns by what is not known of a block's place.
func (t *trace) place(m analysis.TimeMap, b *quarch.Block) {
	for _, k := range []uint64{b.First, b.End()} {
		if _, u := m.TimeOf(float64(k)); u+float64(b.PeriodNs)/2 > t.u95Ns {
			t.u95Ns = u + float64(b.PeriodNs)/2
		}
	}
}

// spacing returns the median distance of bins with samples, at least 1.
func spacing(watts []float64) int {
	var gaps []int
	last := -1
	for k, w := range watts {
		if math.IsNaN(w) {
			continue
		}
		if last >= 0 {
			gaps = append(gaps, k-last)
		}
		last = k
	}
	if len(gaps) == 0 {
		return 1
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// mean returns the mean of the bins in [from, to) that have samples, and how many do.
func (t *trace) mean(from, to int) (watts float64, n int) {
	var sum float64
	for _, w := range t.watts[max(0, from):max(0, min(to, len(t.watts)))] {
		if !math.IsNaN(w) {
			sum, n = sum+w, n+1
		}
	}
	return sum / float64(n), n
}
