package idle

import (
	"math"

	"powerd/quarch"
)

// sums are those of stripes of one rail or of the total, in SI. Only stripes with
// both volts and amperes count. The squares are about ref, to keep their digits.
type sums struct {
	n, w, sq, v, a, min, max float64
	ref                      float64
}

func (s *sums) add(w, v, a float64) {
	if s.n == 0 {
		s.ref, s.min, s.max = w, w, w
	}
	s.n++
	s.w, s.v, s.a = s.w+w, s.v+v, s.a+a
	s.sq += (w - s.ref) * (w - s.ref)
	if w < s.min { // min and max of the language are slow on floats
		s.min = w
	}
	if w > s.max {
		s.max = w
	}
}

// merge adds the stripes of o.
func (s *sums) merge(o *sums) {
	if o.n == 0 {
		return
	}
	if s.n == 0 {
		*s = *o
		return
	}
	d := o.ref - s.ref // Σ(x − ref)² about another ref
	s.sq += o.sq + 2*d*(o.w-o.n*o.ref) + o.n*d*d
	s.n, s.w, s.v, s.a = s.n+o.n, s.w+o.w, s.v+o.v, s.a+o.a
	s.min, s.max = min(s.min, o.min), max(s.max, o.max)
}

func (s *sums) mean() float64 { return s.w / s.n }

// std returns the standard deviation (n−1).
func (s *sums) std() float64 {
	d := s.w - s.n*s.ref
	return math.Sqrt(max(0, s.sq-d*d/s.n) / (s.n - 1))
}

// second is what one second of the window holds.
type second struct {
	rails []sums
	total sums
}

// seconds are those of a window, by their number from its start; those without
// samples are empty.
type seconds struct {
	from, size float64 // first stripe, stripes a second
	rails      int
	list       []second
}

// at returns the second of a stripe, and the first stripe after it.
func (s *seconds) at(stripe float64) (*second, float64) {
	i := int((stripe - s.from) / s.size)
	for len(s.list) <= i {
		s.list = append(s.list, second{rails: make([]sums, s.rails)})
	}
	return &s.list[i], s.from + float64(i+1)*s.size
}

// addRail adds the stripes of a rail from first on; t has them from i on.
func (s *seconds) addRail(first float64, rail int, watts []float64, t *quarch.Trace, i int) {
	var to *second
	end := math.Inf(-1)
	for k, w := range watts {
		if stripe := first + float64(k); stripe >= end {
			to, end = s.at(stripe)
		}
		if math.IsNaN(w) {
			continue
		}
		v, _ := t.Volts(i + k)
		x, _ := t.Amps(i + k)
		to.rails[rail].add(w, float64(v), float64(x))
	}
}

func (s *seconds) addTotal(first float64, watts []float64) {
	var to *second
	end := math.Inf(-1)
	for k, w := range watts {
		if stripe := first + float64(k); stripe >= end {
			to, end = s.at(stripe)
		}
		if !math.IsNaN(w) {
			to.total.add(w, 0, 0)
		}
	}
}

// means returns the mean total of each second, NaN where less than half of it has
// samples.
func (s *seconds) means() []float64 {
	out := make([]float64, len(s.list))
	for i := range s.list {
		out[i] = math.NaN()
		if t := &s.list[i].total; t.n > 0 && t.n >= s.size/2 {
			out[i] = t.mean()
		}
	}
	return out
}

// binner joins values to means of size stripes each, counted from a first stripe.
type binner struct {
	from, size float64
	give       func(i int, mean, covered float64) // covered: share of the bin with values

	bin    int
	sum, n float64
}

func (b *binner) add(first float64, values []float64) {
	end := b.from + float64(b.bin+1)*b.size
	for k, x := range values {
		if stripe := first + float64(k); stripe >= end {
			b.end()
			b.bin = int((stripe - b.from) / b.size)
			end = b.from + float64(b.bin+1)*b.size
		}
		if !math.IsNaN(x) {
			b.sum, b.n = b.sum+x, b.n+1
		}
	}
}

// end gives the bin under way.
func (b *binner) end() {
	if b.n > 0 {
		b.give(b.bin, b.sum/b.n, min(1, b.n/b.size))
	}
	b.sum, b.n = 0, 0
}
