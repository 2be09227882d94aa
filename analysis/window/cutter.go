package window

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"powerd/analysis"
	"powerd/quarch"
)

// Cut sums the blocks of a stream in each of windows, in one pass. rails are the
// drive's rails in use, whose watts the total is; nil stands for those that the module
// gives.
func Cut(blocks iter.Seq2[*quarch.Block, error], m analysis.TimeMap, rails []quarch.Rail, windows ...analysis.Window) ([]Stats, error) {
	c, err := NewCutter(m, rails, windows...)
	if err != nil {
		return nil, err
	}
	for b, err := range blocks {
		if err != nil {
			return nil, fmt.Errorf("cut windows: %w", err)
		}
		c.Add(b)
	}
	return c.Stats(), nil
}

// Cutter sums blocks, which come in order, in windows, which may overlap.
type Cutter struct {
	m       analysis.TimeMap
	windows []analysis.Window
	inUse   []quarch.Rail

	spans  []*span // by start
	next   int     // first span that has not begun
	active []*span

	rails    []quarch.Rail // that the stream has, fixed by its first block
	factors  []float64     // from a rail's LSB to the total's; 0 = not in use
	totalLSB float64
	seen     bool
	block    block
	cell     cell

	polled *polled
}

// NewCutter returns a Cutter; see Cut.
func NewCutter(m analysis.TimeMap, rails []quarch.Rail, windows ...analysis.Window) (*Cutter, error) {
	c := &Cutter{m: m, windows: windows, inUse: rails}
	for i, w := range windows {
		if w.EndNs <= w.StartNs {
			return nil, fmt.Errorf("cut window %q: it ends at %d ns, not after its start at %d ns", w.Name, w.EndNs, w.StartNs)
		}
		from, to := m.IndexAt(float64(w.StartNs)), m.IndexAt(float64(w.EndNs))
		c.spans = append(c.spans, newSpan(from, to, i, whole))
		a, b := c.reach(w.StartNs, to-from), c.reach(w.EndNs, to-from)
		c.spans = append(c.spans,
			newSpan(from-2*a, from-a, i, beforeStart), newSpan(from+a, from+2*a, i, afterStart),
			newSpan(to-2*b, to-b, i, beforeEnd), newSpan(to+b, to+2*b, i, afterEnd))
	}
	slices.SortStableFunc(c.spans, func(a, b *span) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	return c, nil
}

// reach returns how many stripes beside a border tell the step across it: as many as the
// border may be misplaced by, at least four, at most a quarter of the window. They begin as
// far from it: wherever in between the step really is, all of it is seen.
func (c *Cutter) reach(ns int64, size float64) float64 {
	_, u := c.m.TimeOf(c.m.IndexAt(float64(ns)))
	if math.IsInf(u, 1) {
		return size / 4
	}
	return min(size/4, max(4, c.m.IndexAt(float64(ns)+u)-c.m.IndexAt(float64(ns))))
}

// Add adds a block. It keeps nothing of it.
func (c *Cutter) Add(b *quarch.Block) {
	if b.Len() == 0 {
		return
	}
	if !c.seen {
		c.begin(b)
	}
	if c.polled != nil {
		c.polled.add(b)
		return
	}
	if len(c.rails) == 0 {
		return // values of no rail: nothing is known, which is not zero watts
	}
	first, end := float64(b.First)-float64(b.Lost), float64(b.End())
	for c.next < len(c.spans) && c.spans[c.next].from < end {
		c.active = append(c.active, c.spans[c.next])
		c.next++
	}
	c.active = slices.DeleteFunc(c.active, func(s *span) bool { return s.to <= first })
	if len(c.active) == 0 {
		return
	}
	c.block.set(b, c.rails, c.factors)
	for _, s := range c.active {
		s.add(&c.block)
	}
	c.cell.add(&c.block, c.rails, c.active)
}

// begin learns from the first block which rails the stream has.
func (c *Cutter) begin(b *quarch.Block) {
	c.seen = true
	c.rails = Measured(b)
	lsb := math.Inf(1)
	for _, r := range c.rails {
		if c.uses(r) {
			lsb = min(lsb, b.Trace(r).LSBWatts())
		}
	}
	c.totalLSB = lsb
	for _, r := range c.rails {
		factor := 0.0
		if c.uses(r) {
			factor = b.Trace(r).LSBWatts() / lsb
		}
		c.factors = append(c.factors, factor)
	}
	if b.PeriodNs == 0 {
		c.polled = &polled{rails: c.rails, factors: c.factors}
		return
	}
	c.cell.size = max(1, int64(math.Ceil(cellNs/float64(b.PeriodNs))))
}

// uses reports whether the drive uses a rail, so that it counts in the total.
func (c *Cutter) uses(r quarch.Rail) bool { return analysis.Uses(c.inUse, r) }

// Measured returns the rails of which a block, which is a stream's first, has
// power: the others' channels are there in name only.
func Measured(b *quarch.Block) []quarch.Rail {
	var rails []quarch.Rail
	for i := range b.Traces {
		t := &b.Traces[i]
		for k := range t.V {
			if _, ok := t.Watts(k); ok {
				rails = append(rails, t.Rail)
				break
			}
		}
	}
	return rails
}

// Stats returns the figures of the windows, in the order they were given.
func (c *Cutter) Stats() []Stats {
	out := make([]Stats, len(c.windows))
	if c.polled != nil {
		spacing := c.polled.spacing()
		for i, w := range c.windows {
			out[i] = c.polled.near(w).stats(w, spacing)
		}
	} else {
		var sides [5]map[int]float64
		for r := range sides {
			sides[r] = map[int]float64{}
		}
		for _, s := range c.spans {
			if s.role == whole {
				out[s.window] = s.stats(c.windows[s.window], c.rails, c.totalLSB)
			}
			sides[s.role][s.window] = (s.total.whole.Total.Float() + s.total.edge) / (float64(s.total.whole.N) + s.total.n) * c.totalLSB
		}
		for i := range out {
			out[i].Edges[0].StepW = math.Abs(sides[afterStart][i] - sides[beforeStart][i])
			out[i].Edges[1].StepW = math.Abs(sides[afterEnd][i] - sides[beforeEnd][i])
		}
	}
	for i, w := range c.windows {
		for k, ns := range []int64{w.StartNs, w.EndNs} {
			_, out[i].Edges[k].U95Ns = c.m.TimeOf(c.m.IndexAt(float64(ns)))
		}
		for k := range out[i].Rails {
			out[i].Rails[k].Unused = !c.uses(out[i].Rails[k].Rail)
		}
		for _, r := range c.inUse {
			if out[i].Rail(r) == nil {
				out[i].NotMeasured = append(out[i].NotMeasured, r)
			}
		}
	}
	return out
}
