package idle

import (
	"math"
	"slices"

	"powerd/quarch"
)

// Pulses are bumps of power that come at regular times: a drive's own housekeeping, or
// somebody who polls it. Which of the two, power cannot tell.
type Pulses struct {
	PeriodS    float64     `json:"period_s"`
	PeriodU95S float64     `json:"period_u95_s"`
	HeightW    float64     `json:"height_w"` // mean power inside a pulse, above what is around it
	LengthS    float64     `json:"length_s"`
	Count      int         `json:"count"` // that were seen
	Rail       quarch.Rail `json:"rail"`  // that carries most of it
	HeightA    float64     `json:"height_a"`
	PeakW      float64     `json:"peak_w"` // total mean power inside a pulse

	starts []int // cells at which the pulses begin
	cells  int   // that one lasts
}

// pulse is a stretch of cells [from, to) above what is around them.
type pulse struct{ from, to int }

const (
	minPulses = 4
	hitShare  = 0.8  // of the times at which one is due
	jitter    = 0.01 // of the period: how far a poll may miss its time
)

// findPulses looks for regular pulses in the cells of the total, each cellS long; nil
// if there are none. Short ones are looked for first, longer ones that the noise of
// single cells hides in means of eight and of sixty-four.
func findPulses(total []float64, cellS float64) *Pulses {
	for _, width := range []int{1, 8, 64} {
		xs := joined(total, width)
		if len(xs) < 64 {
			return nil
		}
		found := standOut(xs, cellS*float64(width))
		if r := findRhythm(found, len(xs)); r != nil {
			return r.pulses(found, total, width, cellS)
		}
	}
	return nil
}

// joined returns means of width neighbours.
func joined(xs []float64, width int) []float64 {
	if width == 1 {
		return xs
	}
	out := make([]float64, len(xs)/width)
	for i := range out {
		out[i] = mean(xs[i*width : (i+1)*width])
	}
	return out
}

// standOut returns the stretches that rise above the noise around them. What is around
// is the median of half a minute, so that neither drift nor a pulse of seconds hides
// what stands out.
func standOut(xs []float64, cellS float64) []pulse {
	const (
		nearS = 15
		sigma = 6
		least = 0.002 // of the power
		close = 2     // cells between two parts of one pulse
	)
	base := baseline(xs, cellS, nearS)
	rest := make([]float64, len(xs))
	var level float64
	var n int
	for i, x := range xs {
		rest[i] = x - base[i]
		if !math.IsNaN(rest[i]) {
			level, n = level+math.Abs(base[i]), n+1
		}
	}
	if n == 0 {
		return nil
	}
	noise := spreadOf(rest)
	threshold := max(sigma*noise, least*level/float64(n), 1e-12)
	var out []pulse
	for i, x := range rest {
		if !(x > threshold) {
			continue
		}
		if k := len(out); k > 0 && i-out[k-1].to <= close {
			out[k-1].to = i + 1
			continue
		}
		out = append(out, pulse{i, i + 1})
	}
	return out
}

// baseline returns the median of the medians of the seconds within nearS of each cell.
func baseline(xs []float64, cellS, nearS float64) []float64 {
	per := max(1, int(math.Round(1/cellS)))
	var medians []float64
	for i := 0; i < len(xs); i += per {
		medians = append(medians, median(present(xs[i:min(len(xs), i+per)])))
	}
	around := max(1, int(nearS/(float64(per)*cellS)))
	smooth := make([]float64, len(medians))
	for i := range medians {
		smooth[i] = median(present(medians[max(0, i-around):min(len(medians), i+around+1)]))
	}
	out := make([]float64, len(xs))
	for i := range out {
		out[i] = smooth[i/per]
	}
	return out
}

// median returns the median, NaN of none. It sorts xs.
func median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	slices.Sort(xs)
	return (xs[len(xs)/2] + xs[(len(xs)-1)/2]) / 2
}

// spreadOf returns the standard deviation of the bulk of xs, whatever stands out of it.
func spreadOf(xs []float64) float64 {
	size := present(xs)
	for i, x := range size {
		size[i] = math.Abs(x)
	}
	return 1.4826 * median(size)
}

// pulses measures the pulses of a rhythm that was found in means of width cells.
func (r *rhythm) pulses(found []pulse, total []float64, width int, cellS float64) *Pulses {
	period, u95 := r.period()
	p := &Pulses{
		PeriodS: period * cellS * float64(width), PeriodU95S: u95 * cellS * float64(width), Count: len(r.hits),
	}
	var lengths []float64
	for _, k := range r.hits {
		lengths = append(lengths, float64((found[k].to-found[k].from)*width))
		p.starts = append(p.starts, found[k].from*width)
	}
	p.cells = int(math.Round(median(lengths)))
	p.PeakW, p.HeightW = p.height(total)
	p.LengthS = float64(p.cells) * cellS
	if p.cells >= 4 { // shorter ones have no inside to tell the height by
		_, spread := p.above(total, -1)
		p.LengthS = spread * float64(p.cells+2) / p.HeightW * cellS
	}
	return p
}

// height returns the mean of xs inside the pulses, and how much that is above what was
// before them. Their first and last cells, which they may fill in part only, are left
// out of longer ones.
func (p *Pulses) height(xs []float64) (inside, above float64) {
	if p.cells >= 4 {
		return p.above(xs, 1)
	}
	return p.above(xs, 0)
}

// above is height over the pulses' cells less so many at either end.
func (p *Pulses) above(xs []float64, less int) (inside, above float64) {
	var in, diff []float64
	for _, from := range p.starts {
		to := min(len(xs), from+p.cells-less)
		before := present(xs[max(0, from-2-4*p.cells):max(0, from-2)])
		now := present(xs[max(0, min(from+less, to)):to])
		if len(before) == 0 || len(now) == 0 {
			continue
		}
		in, diff = append(in, mean(now)), append(diff, mean(now)-median(before))
	}
	return mean(in), mean(diff)
}

// remove returns xs without the mean shape of the pulses, which leaves the noise on
// and between them.
func (p *Pulses) remove(xs []float64) []float64 {
	const beside = 2 // cells before and after, which a pulse may touch
	shape := make([]float64, p.cells+2*beside)
	n := make([]float64, len(shape))
	out := slices.Clone(xs)
	each := func(do func(j, i int, base float64)) {
		for _, from := range p.starts {
			base := median(present(xs[max(0, from-beside-4*p.cells):max(0, from-beside)]))
			if math.IsNaN(base) {
				continue
			}
			for j := range shape {
				if i := from - beside + j; i >= 0 && i < len(xs) && !math.IsNaN(xs[i]) {
					do(j, i, base)
				}
			}
		}
	}
	each(func(j, i int, base float64) { shape[j], n[j] = shape[j]+xs[i]-base, n[j]+1 })
	each(func(j, i int, _ float64) { out[i] -= shape[j] / n[j] })
	return out
}

// countU95W returns what the mean power of a window of so many seconds is unsure by
// because its borders may leave one pulse more or less inside.
func (p *Pulses) countU95W(seconds float64) float64 {
	if p == nil {
		return 0
	}
	return 2 / math.Sqrt(3) * p.HeightW * p.LengthS / seconds
}
