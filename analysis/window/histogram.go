package window

import "math"

const (
	perOctave = 256
	lowest    = -24 // 2^-24 W = 60 nW: everything smaller counts as zero
	octaves   = 40
	side      = perOctave * octaves
)

// Histogram counts values by size, to find percentiles in fixed memory. The zero
// Histogram is empty.
type Histogram struct {
	counts   []uint64 // negative ones, zero, positive ones
	n        uint64
	min, max float64
}

// Add counts values; NaN stands for none.
func (h *Histogram) Add(xs []float64) {
	if h.counts == nil {
		h.counts = make([]uint64, 2*side+1)
		h.min, h.max = math.Inf(1), math.Inf(-1)
	}
	for _, x := range xs {
		if math.IsNaN(x) {
			continue
		}
		h.n++
		if x < h.min { // min and max of the language are slow on floats
			h.min = x
		}
		if x > h.max {
			h.max = x
		}
		h.counts[bin(x)]++
	}
}

// bin returns the place of x: bins rise with the value.
func bin(x float64) int {
	const shift = 52 - 8 // keeps 8 bits of the mantissa: 256 an octave
	place := int(math.Float64bits(math.Abs(x))>>shift) - (1023+lowest)*perOctave
	place = min(max(place, -1), side-1) + 1 // 0 = zero
	if x < 0 {
		place = -place
	}
	return side + place
}

// border returns the smallest value of a positive bin.
func border(place int) float64 {
	const shift = 52 - 8
	return math.Float64frombits(uint64(place-1+(1023+lowest)*perOctave) << shift)
}

// Quantile returns the value below which the share q of the values lies; NaN if
// there are none.
func (h *Histogram) Quantile(q float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	want := q * float64(h.n)
	var seen float64
	for i, c := range h.counts {
		if seen += float64(c); seen < want || c == 0 {
			continue
		}
		part := 1 - (seen-want)/float64(c)
		x := 0.0
		switch place := i - side; {
		case place > 0:
			x = border(place) + part*(border(place+1)-border(place))
		case place < 0:
			x = -border(-place+1) + part*(border(-place+1)-border(-place))
		}
		return min(max(x, h.min), h.max)
	}
	return h.max
}
