package window

import (
	"math"

	"powerd/analysis"
	"powerd/quarch"
)

// span sums the stripes of one interval [from, to) of indices.
type span struct {
	from, to float64
	lo, hi   int64 // whole stripes inside: [lo, hi)
	rails    map[quarch.Rail]*railSum
	total    totalSum
	lost     float64
	window   int // which window it is of
	role     role
}

// role says what a span is for.
type role int

const (
	whole role = iota
	beforeStart
	afterStart
	beforeEnd
	afterEnd
)

type railSum struct {
	whole quarch.RailSummary
	edge  edgeSum
	cells blocking // of watts
	amps  blocking
	volts blocking
}

// edgeSum sums parts of stripes, in counts.
type edgeSum struct{ v, a, w, nv, na, nw float64 }

type totalSum struct {
	whole   quarch.Stat
	edge, n float64
	cells   blocking
}

func newSpan(from, to float64, window int, r role) *span {
	return &span{
		from: from, to: to, window: window, role: r,
		lo: int64(math.Ceil(from)), hi: max(int64(math.Ceil(from)), int64(math.Floor(to))),
		rails: map[quarch.Rail]*railSum{},
	}
}

func (s *span) rail(r quarch.Rail) *railSum {
	x := s.rails[r]
	if x == nil {
		x = &railSum{}
		s.rails[r] = x
	}
	return x
}

// add adds what of a block lies in s.
func (s *span) add(p *block) {
	first, end := int64(p.First), int64(p.End())
	lo, hi := max(s.lo, first), min(s.hi, end)
	switch {
	case lo == first && hi == end:
		sums, total := p.sums()
		s.total.whole.Merge(total)
		for i := range s.railsOf(p) {
			s.rail(sums[i].Rail).whole.Merge(&sums[i])
		}
	case lo < hi:
		i, j := int(lo-first), int(hi-first)
		p.addTotal(&s.total.whole, i, j)
		for _, t := range s.railsOf(p) {
			s.rail(t.Rail).whole.Add(t, i, j)
		}
	}
	if left := int64(math.Floor(s.from)); float64(left) < s.from {
		s.addEdge(p, left, min(s.to, float64(left+1))-s.from)
	}
	if right := int64(math.Floor(s.to)); float64(right) < s.to && float64(right) >= s.from {
		s.addEdge(p, right, s.to-float64(right))
	}
	gap := min(s.to, float64(first)) - max(s.from, float64(first)-float64(p.Lost))
	s.lost += max(0, gap)
}

// railsOf returns the traces that s sums: beside a border only the total counts.
func (s *span) railsOf(p *block) []*quarch.Trace {
	if s.role != whole {
		return nil
	}
	return p.traces
}

// addEdge adds the given share of a stripe.
func (s *span) addEdge(p *block, stripe int64, share float64) {
	if stripe < int64(p.First) || stripe >= int64(p.End()) {
		return
	}
	i := int(stripe - int64(p.First))
	for _, t := range s.railsOf(p) {
		e := &s.rail(t.Rail).edge
		v, a := t.V[i], t.A[i]
		if v != quarch.Missing {
			e.v, e.nv = e.v+share*float64(v), e.nv+share
		}
		if a != quarch.Missing {
			e.a, e.na = e.a+share*float64(a), e.na+share
		}
		if v != quarch.Missing && a != quarch.Missing {
			e.w, e.nw = e.w+share*float64(int64(v)*int64(a)), e.nw+share
		}
	}
	if w := p.total[i]; w != noTotal {
		s.total.edge += share * float64(w)
		s.total.n += share
	}
}

// stats turns the sums of a span into figures.
func (s *span) stats(w analysis.Window, rails []quarch.Rail, totalLSB float64) Stats {
	st := Stats{Window: w, Lost: uint64(math.Round(s.lost))}
	size := s.to - s.from
	for _, name := range rails {
		r := s.rail(name)
		st.Rails = append(st.Rails, r.stats(name, size, w.Seconds()))
	}
	t := &s.total
	st.Stripes = t.whole.N
	st.Total = power(&t.whole, t.edge, t.n, totalLSB, size, w.Seconds())
	st.Total.TypeAU95W = t.cells.u95() * totalLSB
	return st
}

func (r *railSum) stats(name quarch.Rail, size, seconds float64) RailStats {
	lsb := r.whole.LSBVolts * r.whole.LSBAmps
	x := RailStats{Rail: name, Summary: r.whole}
	x.Power = power(&r.whole.W, r.edge.w, r.edge.nw, lsb, size, seconds)
	x.TypeAU95W = r.cells.u95() * lsb
	x.TypeAU95A, x.TypeAU95V = r.amps.u95()*r.whole.LSBAmps, r.volts.u95()*r.whole.LSBVolts
	x.MeanV = (r.whole.V.Total.Float() + r.edge.v) / (float64(r.whole.V.N) + r.edge.nv) * r.whole.LSBVolts
	x.MeanA = (r.whole.A.Total.Float() + r.edge.a) / (float64(r.whole.A.N) + r.edge.na) * r.whole.LSBAmps
	return x
}

// power puts whole stripes and edges together.
func power(whole *quarch.Stat, edge, edgeN, lsb, size, seconds float64) Power {
	n := float64(whole.N) + edgeN
	p := Power{
		MeanW: (whole.Total.Float() + edge) / n * lsb,
		MinW:  math.NaN(), MaxW: math.NaN(), StdW: whole.Std() * lsb,
		EnergyJ:   math.NaN(),
		Coverage:  min(1, n/size),
		TypeAU95W: math.NaN(),
	}
	if n > 0 {
		p.EnergyJ = p.MeanW * p.Coverage * seconds
	}
	if whole.N > 0 {
		p.MinW, p.MaxW = float64(whole.Min)*lsb, float64(whole.Max)*lsb
	}
	return p
}
