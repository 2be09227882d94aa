package idle

import (
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
)

// scatter is what the cells of a stretch tell of its means.
type scatter struct {
	watts           []float64 // half-width of the 95 % interval of each rail's mean
	amps, volts     []float64
	total           float64 // of the total's
	diffW, diffU95W float64 // second half less first half, of the total; NaN where unknown
	pulses          *Pulses
}

// scatter looks at the cells of runs of seconds; nil stands for the whole window.
// Regular pulses are taken out first: they are no scatter, and only how many of them
// are inside is unsure.
func (a *Analyzer) scatter(runs []run) scatter {
	n := len(a.rails)
	series := make([][]float64, 3*n)
	for k := range series {
		series[k] = a.cells.of(k, runs, a.perSecond)
	}
	total := sum(series[:n])
	cellS := a.cells.size / a.perSecond
	s := scatter{}
	if !a.polled {
		s.pulses = findPulses(total, cellS)
	}
	seconds := float64(len(total)) * cellS
	us := make([]float64, len(series))
	for k, xs := range series {
		u := 0.0
		if s.pulses != nil {
			_, above := s.pulses.height(xs)
			u = s.pulses.countU95W(seconds) * math.Abs(above/s.pulses.HeightW)
			if k < n {
				a.carries(s.pulses, k, above)
			}
			xs = s.pulses.remove(xs)
		}
		us[k] = math.Hypot(window.TypeAU95(present(xs)), u)
	}
	s.watts, s.amps, s.volts = us[:n], us[n:2*n], us[2*n:]
	if s.pulses != nil {
		total = s.pulses.remove(total)
	}
	s.total = math.Hypot(window.TypeAU95(present(total)), s.pulses.countU95W(seconds))
	half := len(total) / 2
	first, second := present(total[:half]), present(total[half:])
	s.diffW = mean(second) - mean(first)
	s.diffU95W = math.Hypot(window.TypeAU95(first), window.TypeAU95(second))
	return s
}

// carries notes a rail's part in the pulses, if it is the largest so far.
func (a *Analyzer) carries(p *Pulses, rail int, aboveW float64) {
	var sum sums
	for i := range a.seconds.list {
		sum.merge(&a.seconds.list[i].rails[rail])
	}
	if amps := aboveW / (sum.v / sum.n); p.Rail == "" || math.Abs(amps) > math.Abs(p.HeightA) {
		p.Rail, p.HeightA = a.rails[rail], amps
	}
}

// of returns the cells of a series in runs of seconds, one after the other.
func (c *cells) of(series int, runs []run, perSecond float64) []float64 {
	all := c.series[series]
	if runs == nil {
		return slices.Clone(all)
	}
	var out []float64
	for _, r := range runs {
		from, to := int(math.Ceil(float64(r.from)*perSecond/c.size)), int(float64(r.to)*perSecond/c.size)
		out = append(out, all[min(from, len(all)):min(to, len(all))]...)
	}
	return out
}

// sum adds rails cell by cell; a cell that one of them lacks is NaN.
func sum(rails [][]float64) []float64 {
	if len(rails) == 0 {
		return nil
	}
	n := 0
	for _, r := range rails {
		n = max(n, len(r))
	}
	out := make([]float64, n)
	for _, r := range rails {
		for i := range out {
			if i < len(r) {
				out[i] += r[i]
			} else {
				out[i] = math.NaN()
			}
		}
	}
	return out
}

// uncertain gives the means of the k-th rail their ±: their own scatter, and the
// module's accuracy.
func (a *Analyzer) uncertain(f *Figures, k int, s scatter) {
	f.U95NoiseW = analysis.Some(s.watts[k])
	if f.MeanV != nil && f.MeanA != nil {
		f.U95W = analysis.Some(math.Hypot(s.watts[k], a.o.Accuracy.U95Watts(*f.MeanV, *f.MeanA)))
		f.U95A = analysis.Some(math.Hypot(s.amps[k], a.o.Accuracy.U95Amps(*f.MeanA)))
		f.U95V = analysis.Some(math.Hypot(s.volts[k], a.o.Accuracy.U95Volts(*f.MeanV)))
	}
}

// uncertainTotal does so for the total. The rails' errors are independent.
func (a *Analyzer) uncertainTotal(r *Result, noise float64) {
	r.Total.U95NoiseW = analysis.Some(noise)
	u := noise
	for _, f := range quarch.ByRail(r.Rails) {
		if f.MeanV != nil && f.MeanA != nil {
			u = math.Hypot(u, a.o.Accuracy.U95Watts(*f.MeanV, *f.MeanA))
		}
	}
	r.Total.U95W = analysis.Some(u)
}
