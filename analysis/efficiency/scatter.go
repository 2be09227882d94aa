package efficiency

import (
	"math"

	"powerd/analysis"
)

const (
	minPairs  = 4 // fewer tell no scatter: Student's factor would exceed 4
	minJoined = 5 // of joined pairs: Student's factor is 2.8 then
)

// noScatter returns why parts tell no scatter.
func noScatter(parts []Part) string {
	switch {
	case len(parts) == 0:
		return "the engine logged no intervals that tell the scatter"
	case len(parts) < minPairs:
		return "the window is too short to tell its scatter"
	}
	return "the samples cover too few of the engine's intervals to tell the scatter"
}

// pair is what was counted in a part of a window, and what it is divided by: joules
// for a ratio, seconds for a rate.
type pair struct{ count, per float64 }

// RelU95 returns the relative half-width of the 95 % interval of Σcount/Σper as parts in
// time order, which need not be equally long, tell it; NaN if they are fewer than four.
func RelU95(count, per []float64) float64 {
	pairs := make([]pair, len(count))
	for i := range pairs {
		pairs[i] = pair{count[i], per[i]}
	}
	return scatter(pairs)
}

// scatter returns the relative half-width of the 95 % interval of Σcount/Σper, as
// its pairs, which need not be equally long, tell it. With R = Σcount/Σper and the
// residuals d = count − R·per, whose sum is zero,
//
//	u95 = t(n−1) · √(n/(n−1) · Σd²) / Σcount
//
// which is the delta method: the scatter of both sides and their covariance stand
// in d. As long as neighbours are alike (lag-1 correlation of the residuals above
// the −1/n of independent ones) and enough would be left, pairs are joined in twos
// and the largest u95 counts. NaN if the pairs are too few, or nothing was counted.
func scatter(pairs []pair) float64 {
	u := math.NaN()
	if len(pairs) < minPairs {
		return u
	}
	for {
		n := float64(len(pairs))
		var sum pair
		for _, p := range pairs {
			sum.count, sum.per = sum.count+p.count, sum.per+p.per
		}
		ratio := sum.count / sum.per
		var squares, products, before float64
		for _, p := range pairs {
			d := p.count - ratio*p.per
			squares += d * d
			products += d * before
			before = d
		}
		if x := analysis.Student95(n-1) * math.Sqrt(n/(n-1)*squares) / math.Abs(sum.count); !(x <= u) {
			u = x
		}
		if len(pairs)/2 < minJoined || !(products > -squares/n) {
			return u
		}
		pairs = twos(pairs)
	}
}

// twos joins neighbours; a last one that has none goes to the pair before it.
func twos(pairs []pair) []pair {
	out := make([]pair, len(pairs)/2)
	for i, p := range pairs {
		q := &out[min(i/2, len(out)-1)]
		q.count, q.per = q.count+p.count, q.per+p.per
	}
	return out
}
