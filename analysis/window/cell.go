package window

import "powerd/quarch"

// cellNs is the length of the cells whose means tell the scatter: blocking joins
// them further, so it need only be short against what is slow.
const cellNs = 1e6

// cell sums the watts, amperes and volts of size stripes, aligned to their index, for
// all spans at once. A cell with a stripe missing is not used.
type cell struct {
	size   int64
	id     int64
	n      []int64 // rails, then total
	sum    []float64
	amps   []int64 // rails
	volts  []int64
	opened bool
}

func (c *cell) add(p *block, rails []quarch.Rail, active []*span) {
	k := len(rails) + 1
	if !c.opened {
		c.opened, c.id = true, -1
		c.n, c.sum = make([]int64, k), make([]float64, k)
		c.amps, c.volts = make([]int64, k-1), make([]int64, k-1)
	}
	first, n := int64(p.First), p.Len()
	for i := 0; i < n; {
		id := (first + int64(i)) / c.size
		j := int(min(int64(n), (id+1)*c.size-first))
		if id != c.id {
			c.id = id
			clear(c.n)
			clear(c.sum)
			clear(c.amps)
			clear(c.volts)
		}
		for r := range rails {
			c.take(r, p.watts[r][i:j])
			if t := p.of[r]; t != nil { // with a stripe missing it is not used, whatever it sums up to
				c.amps[r] += sumOf(t.A[i:j])
				c.volts[r] += sumOf(t.V[i:j])
			}
		}
		c.take(k-1, p.total[i:j])
		if first+int64(j) == (id+1)*c.size {
			c.give(rails, active)
		}
		i = j
	}
}

func (c *cell) take(r int, watts []int64) {
	var sum, n int64
	for _, w := range watts {
		if w != noTotal {
			sum += w
			n++
		}
	}
	c.sum[r] += float64(sum)
	c.n[r] += n
}

func sumOf(counts []int32) int64 {
	var sum int64
	for _, x := range counts {
		sum += int64(x)
	}
	return sum
}

// give hands a complete cell to the spans that hold it whole.
func (c *cell) give(rails []quarch.Rail, active []*span) {
	lo, hi := c.id*c.size, (c.id+1)*c.size
	for _, s := range active {
		if s.role != whole || lo < s.lo || hi > s.hi {
			continue
		}
		for r, name := range rails {
			if c.n[r] == c.size {
				x := s.rail(name)
				x.cells.add(c.sum[r] / float64(c.size))
				x.amps.add(float64(c.amps[r]) / float64(c.size))
				x.volts.add(float64(c.volts[r]) / float64(c.size))
			}
		}
		if k := len(rails); c.n[k] == c.size {
			s.total.cells.add(c.sum[k] / float64(c.size))
		}
	}
}
