package record

import (
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
)

// spread counts how watts are spread over a window's whole stripes.
type spread struct {
	lo, hi float64       // stripes
	inUse  []quarch.Rail // nil = those that the module gives

	seen  bool
	watts window.Watts
	rails []*window.Histogram // of each of watts.Rails
	total window.Histogram
}

func newSpread(from, to float64, inUse []quarch.Rail) *spread {
	return &spread{lo: math.Ceil(from), hi: math.Floor(to), inUse: inUse}
}

func (s *spread) add(b *quarch.Block) {
	if !s.seen && b.Len() > 0 {
		s.begin(b)
	}
	lo, hi := max(s.lo, float64(b.First)), min(s.hi, float64(b.End()))
	if len(s.watts.Rails) == 0 || lo >= hi {
		return
	}
	s.watts.Read(b, int(lo)-int(b.First), int(hi)-int(b.First))
	for k, each := range s.watts.Each {
		s.rails[k].Add(each)
	}
	s.total.Add(s.watts.Total)
}

// begin learns from the first block which of the rails in use there are.
func (s *spread) begin(b *quarch.Block) {
	s.seen = true
	for _, r := range window.Measured(b) {
		if analysis.Uses(s.inUse, r) {
			s.watts.Rails, s.rails = append(s.watts.Rails, r), append(s.rails, &window.Histogram{})
		}
	}
}

// rail returns a rail's spread, nil of one that the drive does not use.
func (s *spread) rail(r quarch.Rail) *window.Histogram {
	if k := slices.Index(s.watts.Rails, r); k >= 0 {
		return s.rails[k]
	}
	return nil
}
