package window

import "math"

// blocking estimates the standard error of a mean of correlated values, in
// memory that grows with the logarithm of their number.
type blocking struct{ levels []level }

// level holds the means of 2^l neighbours.
type level struct {
	n        float64
	mean, m2 float64
	pending  float64 // first of a pair that waits for the second
	waiting  bool
}

func (b *blocking) add(x float64) {
	for l := 0; ; l++ {
		if l == len(b.levels) {
			b.levels = append(b.levels, level{})
		}
		v := &b.levels[l]
		v.n++
		d := x - v.mean
		v.mean += d / v.n
		v.m2 += d * (x - v.mean)
		v.waiting = !v.waiting
		if v.waiting {
			v.pending = x
			return
		}
		x = (v.pending + x) / 2
	}
}

// u95 returns the half-width of the mean's 95 % interval; NaN if too few values
// came to tell.
func (b *blocking) u95() float64 {
	const enough = 16
	u := math.NaN()
	for _, v := range b.levels {
		if v.n < enough {
			break
		}
		// Student's factor, within 0.5 % for 15 and more degrees of freedom
		t := 1.96 + 2.5/(v.n-1)
		if s := t * math.Sqrt(v.m2/(v.n-1)/v.n); !(s <= u) {
			u = s
		}
	}
	return u
}
