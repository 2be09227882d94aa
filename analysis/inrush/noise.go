package inrush

import (
	"math"
	"slices"

	"powerd/analysis"
)

const (
	fastNs   = 10e6 // what changes more slowly is the drive's current and no noise
	kept     = 4096 // differences of a level
	enough   = 100  // differences that tell a scatter within 12 %
	perSigma = 0.6745
)

// noise estimates how much a mean over a window scatters, from the differences of
// neighbouring blocks of stripes all along the trace. Their median is taken, so that
// the steps of a start-up do not count. Blocks of 1, 2, 4 … stripes, up to 10 ms, are
// compared: where neighbouring stripes are alike, long blocks show more scatter than
// short ones foretell, and the most counts.
type noise struct{ levels []noiseLevel }

// noiseLevel is one length of block.
type noiseLevel struct {
	stripes int
	stride  uint64
	next    uint64    // stripe at or after which the next pair of blocks ends
	diffs   []float64 // in counts, of sums
}

func newNoise(periodNs int64) *noise {
	n := &noise{}
	for stripes := 1; stripes == 1 || float64(stripes)*float64(periodNs) <= fastNs; stripes *= 2 {
		n.levels = append(n.levels, noiseLevel{stripes: stripes, stride: uint64(stripes)})
	}
	return n
}

// reach returns how many stripes a pair of the longest blocks needs.
func (n *noise) reach() int { return 2 * n.levels[len(n.levels)-1].stripes }

// look takes in the pairs that end after sums[from-1], prefix sums whose first is
// before stripe first.
func (n *noise) look(sums []int64, first uint64, from int) {
	for i := range n.levels {
		l := &n.levels[i]
		e := max(from, 2*l.stripes)
		if l.next > first {
			e = max(e, int(min(l.next-first, uint64(len(sums)))))
		}
		for ; e < len(sums); e += int(l.stride) {
			d := float64(sums[e] - 2*sums[e-l.stripes] + sums[e-2*l.stripes])
			l.diffs = append(l.diffs, math.Abs(d))
			l.next = first + uint64(e) + l.stride
			if len(l.diffs) == kept {
				l.thin()
			}
		}
	}
}

// thin keeps every other difference and looks half as often from now on.
func (l *noiseLevel) thin() {
	for i := range kept / 2 {
		l.diffs[i] = l.diffs[2*i]
	}
	l.diffs = l.diffs[:kept/2]
	l.next += l.stride
	l.stride *= 2
}

// sigma returns the standard deviation of a mean over a window of so many stripes,
// in counts; NaN if nothing was seen that tells. Nothing is looked at afterwards: it
// sorts what was kept, once for all windows.
func (n *noise) sigma(window float64) float64 {
	most := math.NaN()
	for i := range n.levels {
		l := &n.levels[i]
		if i > 0 && (float64(l.stripes) > window || len(l.diffs) < enough) || len(l.diffs) == 0 {
			break
		}
		slices.Sort(l.diffs)
		d := l.diffs[len(l.diffs)/2] / perSigma
		// Two sums differ: of n stripes each has half of d², and a mean over w stripes
		// scatters by the sum's variance over n·w.
		if s := d / math.Sqrt(2*float64(l.stripes)*window); !(s <= most) {
			most = s
		}
	}
	return most
}

// peakU95 returns the U95 of the highest mean of a window, in the unit of lsb: see the
// package's text for what it holds. module is the U95 of the module's own error.
func (a *Analyzer) peakU95(s *slider, i int, lsb, module float64) *float64 {
	size := s.windows[i].size()
	sigma := s.noise.sigma(size) * lsb
	many := max(1, float64(a.taken)/size)
	return analysis.Some(sigma*math.Sqrt(2*math.Log(many)) + math.Hypot(module, 2*sigma))
}

// moduleW returns the U95 of the module's own error of a rail's highest mean power
// over a window, at the rail's nominal voltage.
func (a *Analyzer) moduleW(r *railState, i int) float64 {
	volts := r.rail.NominalVolts()
	return a.o.Accuracy.U95Watts(volts, r.watts.windows[i].mean()*r.lsbW/volts)
}

// moduleTotalW is moduleW of all rails together: at most that of each at its own
// highest.
func (a *Analyzer) moduleTotalW(i int) float64 {
	u := 0.0
	for _, r := range a.rails {
		if r.watts.windows[i].found {
			u = math.Hypot(u, a.moduleW(r, i))
		}
	}
	return u
}
