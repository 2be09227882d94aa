package idle

import "math"

const (
	cellNs   = 1e6     // short against what is slow, long enough to see a pulse in
	maxCells = 1 << 20 // of a window: 17 minutes of them; in longer ones cells are longer
)

// cells are the means of equal short stretches of a window, in time order: what scatter
// and pulses are told from. One with a stripe missing is NaN.
type cells struct {
	from, size float64     // first stripe, stripes a cell
	series     [][]float64 // watts of each rail, then amperes of each, then volts

	id  int
	sum []float64
	n   []float64
}

// newCells divides the stripes [from, to) of so many series. On a polled link (period 0) a
// cell is one reading.
func newCells(from, to float64, periodNs int64, series int) cells {
	size := 1.0
	if periodNs > 0 {
		size = math.Ceil(cellNs / float64(periodNs))
	}
	size = max(size, math.Ceil((to-from)/maxCells))
	c := cells{from: from, size: size, series: make([][]float64, series), sum: make([]float64, series), n: make([]float64, series)}
	for r := range c.series {
		c.series[r] = make([]float64, 0, int(max(0, to-from)/size))
	}
	return c
}

// add adds the values of stripes from first on, by series.
func (c *cells) add(first float64, values [][]float64) {
	n := len(values[0])
	for i := 0; i < n; {
		id := int((first + float64(i) - c.from) / c.size)
		end := min(n, int(c.from+float64(id+1)*c.size-first))
		if id != c.id {
			c.id = id
			clear(c.sum)
			clear(c.n)
		}
		for r, w := range values {
			for _, x := range w[i:end] {
				c.sum[r] += x // a missing one makes it NaN
			}
			c.n[r] += float64(end - i)
			if c.n[r] == c.size {
				for len(c.series[r]) < id {
					c.series[r] = append(c.series[r], math.NaN())
				}
				c.series[r] = append(c.series[r], c.sum[r]/c.size)
			}
		}
		i = end
	}
}

// present returns the cells that have a value.
func present(xs []float64) []float64 {
	out := make([]float64, 0, len(xs))
	for _, x := range xs {
		if !math.IsNaN(x) {
			out = append(out, x)
		}
	}
	return out
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
