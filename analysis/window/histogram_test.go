package window

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A percentile from the histogram is that of the sorted values, to 0.4 %.
func TestPercentilesMatchSortedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1, 100), 1, 200).Draw(t, "xs")
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		var h Histogram
		h.Add(xs)
		slices.Sort(xs)
		want := xs[int(math.Ceil(q*float64(len(xs))))-1]
		if got := h.Quantile(q); math.Abs(got-want) > 0.004*math.Abs(want)+1e-7 {
			t.Fatalf("quantile %g of %v = %g, want %g", q, xs, got, want)
		}
	})
}
