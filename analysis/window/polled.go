package window

import (
	"fmt"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// The time between two readings is unknown if they lie further apart than three
// typical spacings and half a second. A busy host spreads its polls by tens of
// milliseconds without losing one, and a fast link is not worse for being fast.
const (
	unknownAfter   = 3
	unknownAfterNs = 500e6
)

// polled keeps the readings of a polled link, which are few.
type polled struct {
	rails   []quarch.Rail
	factors []float64 // 0 = not in use: no part of the total
	at      []int64
	v, a    [][]float64 // a rail's readings in SI; NaN where missing
}

func (p *polled) add(b *quarch.Block) {
	if p.v == nil {
		p.v, p.a = make([][]float64, len(p.rails)), make([][]float64, len(p.rails))
	}
	p.at = append(p.at, b.AtNs...)
	for k, r := range p.rails {
		t := b.Trace(r)
		for i := range b.AtNs {
			v, a := math.NaN(), math.NaN()
			if t != nil {
				if x, ok := t.Volts(i); ok {
					v = float64(x)
				}
				if x, ok := t.Amps(i); ok {
					a = float64(x)
				}
			}
			p.v[k], p.a[k] = append(p.v[k], v), append(p.a[k], a)
		}
	}
}

// spacing returns the typical distance of two readings in ns.
func (p *polled) spacing() float64 {
	if len(p.at) < 2 {
		return math.NaN()
	}
	gaps := make([]int64, len(p.at)-1)
	for i := range gaps {
		gaps[i] = p.at[i+1] - p.at[i]
	}
	slices.Sort(gaps)
	return float64(gaps[len(gaps)/2])
}

// near returns the readings inside w and one beside each of its borders.
func (p *polled) near(w analysis.Window) *polled {
	i, _ := slices.BinarySearch(p.at, w.StartNs)
	j, _ := slices.BinarySearch(p.at, w.EndNs)
	i, j = max(0, i-1), min(len(p.at), j+1)
	out := &polled{rails: p.rails, factors: p.factors, at: p.at[i:j]}
	for k := range p.v {
		out.v, out.a = append(out.v, p.v[k][i:j]), append(out.a, p.a[k][i:j])
	}
	return out
}

// weights returns how much of w each reading stands for, in ns.
func (p *polled) weights(w analysis.Window, spacing float64) []float64 {
	out := make([]float64, len(p.at))
	for i := 1; i < len(p.at); i++ {
		a, b := float64(p.at[i-1]), float64(p.at[i])
		if b-a > max(unknownAfter*spacing, unknownAfterNs) {
			continue
		}
		lo, mid, hi := max(a, float64(w.StartNs)), (a+b)/2, min(b, float64(w.EndNs))
		out[i-1] += max(0, min(mid, hi)-lo)
		out[i] += max(0, hi-max(mid, lo))
	}
	return out
}

// stats returns the figures of w, where two readings are typically spacing ns apart.
func (p *polled) stats(w analysis.Window, spacing float64) Stats {
	st := Stats{Window: w, Polled: true, SpacingS: spacing * 1e-9}
	weight := p.weights(w, spacing)
	total := make([]float64, len(p.at))
	if !slices.ContainsFunc(p.factors, func(f float64) bool { return f != 0 }) { // nothing is known, which is not zero watts
		for i := range total {
			total[i] = math.NaN()
		}
	}
	for k, r := range p.rails {
		watts := make([]float64, len(p.at))
		for i := range watts {
			watts[i] = p.v[k][i] * p.a[k][i]
			if p.factors[k] != 0 {
				total[i] += watts[i]
			}
		}
		x := RailStats{Rail: r, Power: p.power(watts, weight, w)}
		x.MeanV, x.TypeAU95V = weighted(p.v[k], weight), p.scatter(p.v[k], w)
		x.MeanA, x.TypeAU95A = weighted(p.a[k], weight), p.scatter(p.a[k], w)
		st.Rails = append(st.Rails, x)
	}
	st.Total = p.power(total, weight, w)
	for i, t := range p.at {
		if t >= w.StartNs && t < w.EndNs && !math.IsNaN(total[i]) {
			st.Stripes++
		}
	}
	st.Edges[0].StepW, st.Edges[1].StepW = p.step(total, w.StartNs), p.step(total, w.EndNs)
	return st
}

// step returns the size of the step between the readings beside a time.
func (p *polled) step(total []float64, ns int64) float64 {
	i, _ := slices.BinarySearch(p.at, ns)
	if i == 0 || i == len(p.at) {
		return math.NaN()
	}
	return math.Abs(total[i] - total[i-1])
}

// power sums readings by the time they stand for; minimum, maximum and spread
// are of the readings inside w.
func (p *polled) power(watts, weight []float64, w analysis.Window) Power {
	out := Power{MinW: math.NaN(), MaxW: math.NaN(), StdW: math.NaN(), EnergyJ: math.NaN(), MeanW: weighted(watts, weight)}
	var n, mean, m2, covered float64
	for i, x := range watts {
		if math.IsNaN(x) {
			continue
		}
		covered += weight[i]
		if p.at[i] < w.StartNs || p.at[i] >= w.EndNs {
			continue
		}
		n++
		d := x - mean
		mean += d / n
		m2 += d * (x - mean)
		if !(out.MinW <= x) {
			out.MinW = x
		}
		if !(out.MaxW >= x) {
			out.MaxW = x
		}
	}
	if n > 1 {
		out.StdW = math.Sqrt(m2 / (n - 1))
	}
	out.TypeAU95W = p.scatter(watts, w)
	out.Coverage = covered / float64(w.EndNs-w.StartNs)
	if covered > 0 {
		out.EnergyJ = out.MeanW * covered * 1e-9
	}
	return out
}

// scatter returns the U95 of the mean of readings inside w from their own scatter.
func (p *polled) scatter(xs []float64, w analysis.Window) float64 {
	var cells blocking
	for i, x := range xs {
		if !math.IsNaN(x) && p.at[i] >= w.StartNs && p.at[i] < w.EndNs {
			cells.add(x)
		}
	}
	return cells.u95()
}

// weighted returns the weighted mean of xs without the missing ones; NaN if
// there is none.
func weighted(xs, weight []float64) float64 {
	var sum, n float64
	for i, x := range xs {
		if !math.IsNaN(x) {
			sum, n = sum+weight[i]*x, n+weight[i]
		}
	}
	return sum / n
}

// minReadings is how many readings of a polled link a 99th percentile needs.
const minReadings = 100

// ReadingsPerS is the rate of a polled link.
func (s *Stats) ReadingsPerS() float64 { return 1 / s.SpacingS }

// PollingNote says what a polled link cannot show.
func (s *Stats) PollingNote() string {
	return fmt.Sprintf("polled at %.3g readings/s: extremes and percentiles are of readings, short events are not seen", s.ReadingsPerS())
}

// NoP99 says why a polled link's readings give no 99th percentile; "" if they do.
func (s *Stats) NoP99() string {
	if !s.Polled || s.Stripes >= minReadings {
		return ""
	}
	return fmt.Sprintf("%d readings, a 99th percentile needs %d", s.Stripes, minReadings)
}
