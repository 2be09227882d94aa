package pairing

import "math"

// level is the power of one part.
type level struct {
	watts    float64
	size     int     // bins of the part
	coverage float64 // share of it with samples
}

// levels returns the levels of n parts.
func (t *trace) levels(l labels, n int) []level {
	out := make([]level, n)
	for p := range out {
		var sum float64
		var count int
		v := &out[p]
		for i, part := range l {
			if part != p {
				continue
			}
			v.size++
			if w := t.watts[i]; !math.IsNaN(w) {
				sum, count = sum+w, count+1
			}
		}
		v.watts = sum / float64(count)
		if v.size > 0 {
			v.coverage = min(1, float64(count*t.spacing)/float64(v.size))
		}
	}
	return out
}

// blockSizes are the lengths in bins of the blocks that tell the noise: 10 to 250 ms.
func blockSizes() []int { return []int{1, 2, 5, 10, 25} }

// leastFreedom is how many degrees of freedom a length of blocks needs to count.
const leastFreedom = 8

// noise says how uncertain the mean of a part is.
type noise struct {
	trace  *trace
	labels labels
	block  []float64 // variance of a block's mean in W², by block size; NaN if too few blocks tell
}

// newNoise learns the scatter of blocks within the parts without reads.
func newNoise(t *trace, l labels, parts int) *noise {
	n := &noise{trace: t, labels: l}
	for _, size := range blockSizes() {
		var ss, freedom float64
		for p := 0; p < parts; p += 2 {
			ms := t.means(l, p, size)
			mean := average(ms)
			for _, m := range ms {
				ss += (m - mean) * (m - mean)
			}
			freedom += math.Max(0, float64(len(ms)-1))
		}
		v := math.NaN()
		if freedom >= leastFreedom {
			v = ss / freedom
		}
		n.block = append(n.block, v)
	}
	return n
}

// variance returns the variance of a part's mean in W², as the block size has it that
// makes it largest; NaN if none tells.
func (n *noise) variance(part int) float64 {
	most := math.NaN()
	for i, size := range blockSizes() {
		blocks := len(n.trace.means(n.labels, part, size))
		if v := n.block[i] / float64(blocks); blocks > 0 && !(v <= most) && !math.IsNaN(v) {
			most = v
		}
	}
	return most
}

// delta returns ΔP of burst b and its σ.
func (n *noise) delta(levels []level, b int) (watts, sigma float64) {
	before, in, after := 2*b, 2*b+1, 2*b+2
	watts = levels[in].watts - (levels[before].watts+levels[after].watts)/2
	moved := levels[after].watts - levels[before].watts
	return watts, math.Sqrt(n.variance(in) + (n.variance(before)+n.variance(after))/4 + moved*moved/12)
}

func average(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
