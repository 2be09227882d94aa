package window

import (
	"math"
	"slices"

	"powerd/quarch"
)

// noTotal marks a stripe of which a rail is missing.
const noTotal = math.MinInt64

// block is a block with what several spans need of it, worked out once.
type block struct {
	*quarch.Block
	traces  []*quarch.Trace // of the rails that the stream has
	of      []*quarch.Trace // by rail; nil where the block lacks it
	watts   [][]int64       // a rail's products, noTotal where missing
	total   []int64         // their sum in total LSBs, noTotal where one is missing
	present []int64         // scratch
	summed  bool
	rails   []quarch.RailSummary
	all     quarch.Stat
}

// set makes p stand for b. factors scale a rail's LSB to the total's; one of 0 keeps a
// rail out of it. Without any in it, nothing is known of the total.
func (p *block) set(b *quarch.Block, rails []quarch.Rail, factors []float64) {
	p.Block, p.summed = b, false
	p.traces, p.of = p.traces[:0], p.of[:0]
	n := b.Len()
	p.total = slices.Grow(p.total[:0], n)[:n]
	clear(p.total)
	if !slices.ContainsFunc(factors, func(f float64) bool { return f != 0 }) {
		for i := range p.total {
			p.total[i] = noTotal
		}
	}
	for len(p.watts) < len(rails) {
		p.watts = append(p.watts, nil)
	}
	for k, r := range rails {
		t := b.Trace(r)
		w := p.watts[k][:0]
		p.of = append(p.of, t)
		if t == nil { // the rail is gone: nothing is known of the total either
			for i := range p.total {
				if factors[k] != 0 {
					p.total[i] = noTotal
				}
				w = append(w, noTotal)
			}
			p.watts[k] = w
			continue
		}
		p.traces = append(p.traces, t)
		p.watts[k] = p.multiply(t, w, factors[k])
	}
}

// multiply appends a rail's products to w and adds them to the total.
func (p *block) multiply(t *quarch.Trace, w []int64, factor float64) []int64 {
	for i, v := range t.V {
		a := t.A[i]
		if v == quarch.Missing || a == quarch.Missing {
			w = append(w, noTotal)
			if factor != 0 {
				p.total[i] = noTotal
			}
			continue
		}
		x := int64(v) * int64(a)
		w = append(w, x)
		if p.total[i] != noTotal && factor != 0 {
			if factor != 1 {
				x = int64(math.Round(float64(x) * factor))
			}
			p.total[i] += x
		}
	}
	return w
}

// sums returns the sums of the whole block.
func (p *block) sums() ([]quarch.RailSummary, quarch.Stat) {
	if !p.summed {
		p.summed = true
		p.rails = p.rails[:0]
		for _, t := range p.traces {
			var s quarch.RailSummary
			s.Add(t, 0, p.Len())
			p.rails = append(p.rails, s)
		}
		p.all = quarch.Stat{}
		p.addTotal(&p.all, 0, p.Len())
	}
	return p.rails, p.all
}

// addTotal adds the totals of the stripes [i, j) of the block to s.
func (p *block) addTotal(s *quarch.Stat, i, j int) {
	p.present = p.present[:0]
	for _, x := range p.total[i:j] {
		if x != noTotal {
			p.present = append(p.present, x)
		}
	}
	s.AddAll(p.present)
}
