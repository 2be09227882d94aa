package quarch

import "math"

// Sum is an exact sum of counts or of products of counts. It holds 2^102, which
// is 2^40 products of the largest counts there can be: 50 days of them at
// 250 kS/s. Sums of adjacent ranges add up exactly, in any order, and equal sums
// are == each other.
type Sum struct {
	hi int64 // in units of fold
	lo int64 // 0 <= lo < fold
}

const (
	foldBits = 40
	fold     = int64(1) << foldBits
)

// Add adds x.
func (s *Sum) Add(x int64) {
	s.hi += x >> foldBits
	s.lo += x & (fold - 1)
	s.hi += s.lo >> foldBits
	s.lo &= fold - 1
}

// addShifted adds x·2^bits, for bits < foldBits.
func (s *Sum) addShifted(x int64, bits uint) {
	s.hi += x >> (foldBits - bits)
	s.Add((x << bits) & (fold - 1))
}

// Plus returns s + o.
func (s Sum) Plus(o Sum) Sum {
	s.hi += o.hi
	s.Add(o.lo)
	return s
}

// Minus returns s - o.
func (s Sum) Minus(o Sum) Sum {
	s.hi -= o.hi
	s.Add(-o.lo)
	return s
}

// Float returns the sum, rounded once to float64 (twice above 2^93).
func (s Sum) Float() float64 { return float64(s.hi)*float64(fold) + float64(s.lo) }

// Stat summarises one quantity over a set of stripes, in counts. Stats of
// disjoint sets merge; the sum is exact, the spread is float64.
type Stat struct {
	N        uint64 // values; missing ones are not counted
	Min, Max int64  // counts; valid if N > 0
	Total    Sum
	mean, m2 float64 // running, by Chan, Golub, LeVeque (1979)
}

// Add adds one value.
func (s *Stat) Add(x int64) {
	if s.N == 0 || x < s.Min {
		s.Min = x
	}
	if s.N == 0 || x > s.Max {
		s.Max = x
	}
	s.N++
	s.Total.Add(x)
	d := float64(x) - s.mean
	s.mean += d / float64(s.N)
	s.m2 += d * (float64(x) - s.mean)
}

// AddAll adds values of at most 2^62 in size, a few integer operations each.
func (s *Stat) AddAll(xs []int64) {
	for len(xs) > 0 {
		n := min(len(xs), maxChunk)
		c := sumUp(xs[:n])
		s.Merge(c.stat())
		xs = xs[n:]
	}
}

// Merge adds the values of o, which must not be in s already.
func (s *Stat) Merge(o Stat) {
	if o.N == 0 {
		return
	}
	if s.N == 0 {
		*s = o
		return
	}
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	n := float64(s.N + o.N)
	d := o.mean - s.mean
	s.m2 += o.m2 + d*d*float64(s.N)*float64(o.N)/n
	s.mean += d * float64(o.N) / n
	s.N += o.N
	s.Total = s.Total.Plus(o.Total)
}

// Mean returns the exact mean in counts; NaN if there is none.
func (s *Stat) Mean() float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return s.Total.Float() / float64(s.N)
}

// Std returns the standard deviation (n−1) in counts; 0 for one value, NaN for
// none.
func (s *Stat) Std() float64 {
	switch s.N {
	case 0:
		return math.NaN()
	case 1:
		return 0
	}
	return math.Sqrt(s.m2 / float64(s.N-1))
}

// RailSummary summarises one rail: volts, amperes, and their product by stripe.
type RailSummary struct {
	Rail              Rail
	LSBVolts, LSBAmps float64
	V, A, W           Stat   // counts of V, of A, and of V·A
	Missing           uint64 // stripes without both values
}

// Add adds the stripes [i, j) of t.
func (r *RailSummary) Add(t *Trace, i, j int) {
	r.Rail, r.LSBVolts, r.LSBAmps = t.Rail, t.LSBVolts, t.LSBAmps
	var products [1 << 9]int64
	for i < j {
		k := min(j, i+len(products))
		r.addSome(t.V[i:k], t.A[i:k], products[:0])
		i = k
	}
}

// addSome adds stripes; products has room for as many.
func (r *RailSummary) addSome(vs, as []int32, products []int64) {
	v, a := sumUp(vs), sumUp(as)
	if v.min == int64(Missing) || a.min == int64(Missing) {
		r.addPresent(vs, as, products)
		return
	}
	products = products[:len(vs)]
	as = as[:len(vs)]
	for k, x := range vs {
		products[k] = int64(x) * int64(as[k])
	}
	w := sumUp(products)
	r.V.Merge(v.stat())
	r.A.Merge(a.stat())
	r.W.Merge(w.stat())
}

// addPresent adds stripes of which values are missing.
func (r *RailSummary) addPresent(vs, as []int32, products []int64) {
	for k, x := range vs {
		y := as[k]
		if x != Missing {
			r.V.Add(int64(x))
		}
		if y != Missing {
			r.A.Add(int64(y))
		}
		if x == Missing || y == Missing {
			r.Missing++
			continue
		}
		products = append(products, int64(x)*int64(y))
	}
	r.W.AddAll(products)
}

// Merge adds the stripes of o, which must be another range of the same rail.
func (r *RailSummary) Merge(o *RailSummary) {
	if r.Rail == "" {
		r.Rail, r.LSBVolts, r.LSBAmps = o.Rail, o.LSBVolts, o.LSBAmps
	}
	r.V.Merge(o.V)
	r.A.Merge(o.A)
	r.W.Merge(o.W)
	r.Missing += o.Missing
}

// MeanVolts returns the mean voltage in volts. Like MeanAmps and MeanWatts it is
// NaN where nothing was summed.
func (r *RailSummary) MeanVolts() float64 { return r.V.Mean() * r.LSBVolts }

// MeanAmps returns the mean current in amperes.
func (r *RailSummary) MeanAmps() float64 { return r.A.Mean() * r.LSBAmps }

// MeanWatts returns the mean of the stripes' products in watts.
func (r *RailSummary) MeanWatts() float64 { return r.W.Mean() * r.LSBVolts * r.LSBAmps }

// Joules returns the energy of the summed stripes, Σ P̄·T: exact for averaged
// samples (never a trapezoid, which is for point samples).
func (r *RailSummary) Joules(periodNs int64) float64 {
	return r.W.Total.Float() * r.LSBVolts * r.LSBAmps * float64(periodNs) * 1e-9
}

// maxChunk is how many values a chunk sums at most: few enough that its integers
// hold and its float64 sum of squares stays near its base.
const maxChunk = 1 << 16

// chunk is a sum about its first value in int64, so that a whole block costs a
// few integer operations a stripe. The sum is kept in two halves, since a
// difference of two products of counts takes all of an int64.
type chunk struct {
	n        int
	base     int64
	min, max int64
	hi, lo   int64 // Σ (x − base) = hi·2^32 + lo
	sq       float64
}

// sumUp sums at most maxChunk values.
func sumUp[T int32 | int64](xs []T) chunk {
	if len(xs) == 0 {
		return chunk{}
	}
	least, most := xs[0], xs[0]
	base := int64(least)
	var hi, lo int64
	var sq float64
	for _, x := range xs {
		d := int64(x) - base
		hi += d >> 32
		lo += d & math.MaxUint32
		sq += float64(d) * float64(d)
		least, most = min(least, x), max(most, x)
	}
	return chunk{n: len(xs), base: base, min: int64(least), max: int64(most), hi: hi, lo: lo, sq: sq}
}

func (c *chunk) stat() Stat {
	if c.n == 0 {
		return Stat{}
	}
	s := Stat{N: uint64(c.n), Min: c.min, Max: c.max}
	s.Total.Add(c.lo)
	s.Total.addShifted(c.hi, 32)
	n := float64(c.n)
	m := s.Total.Float() / n // of x − base
	s.mean = float64(c.base) + m
	s.m2 = max(0, c.sq-n*m*m)
	s.Total.addShifted(int64(c.n)*(c.base>>32), 32)
	s.Total.Add(int64(c.n) * (c.base & math.MaxUint32))
	return s
}
