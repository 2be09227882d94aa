package align

import (
	"iter"
	"math"

	"powerd/quarch"
)

// Recounted returns the map of the stripes as Recount numbers them. It has the same
// steps, by that number.
func (m *Map) Recounted() *Map {
	if len(m.Steps) == 0 {
		return m
	}
	out := *m
	out.warp, out.Steps = nil, nil
	for _, s := range m.Steps {
		s.From, s.To, s.FoundAt = m.Number(s.From), m.Number(s.To), m.Number(s.FoundAt)
		s.At = uint64(math.Max(0, math.Round(m.Number(float64(s.At)))))
		if s.Stripes > 0 { // it stands before the first stripe that was lost
			s.At -= min(s.At, uint64(s.Stripes))
			s.From = math.Min(s.From, float64(s.At))
		}
		out.Steps = append(out.Steps, s)
	}
	return &out
}

// Number returns which stripe k of those that came is when those that vanished count, and
// those that came twice count once.
func (m *Map) Number(k float64) float64 { return streamOf(m.warp, k, m.periodNs) / m.periodNs }

// Came is the inverse of Number.
func (m *Map) Came(number float64) float64 { return indexOf(m.warp, number*m.periodNs, m.periodNs) }

// Recount yields the blocks of the stream with the numbers that their stripes have when
// those that vanished count: they are lost just before a block then. What came for the
// second time is left out. An error is handed on.
func (m *Map) Recount(blocks iter.Seq2[*quarch.Block, error]) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		var reached int64 // how much later than they came stripes were counted so far
		begun := false
		for b, err := range blocks {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for from, n := uint64(0), uint64(b.Len()); from < n; {
				shift, to, twice := m.stretch(b.First + from)
				to = min(to-b.First, n)
				piece := b
				if from > 0 || to < n {
					piece = b.Slice(int(from), int(to))
				}
				from = to
				if twice {
					continue
				}
				counted := *piece
				counted.First = uint64(max(0, int64(piece.First)+shift))
				if begun && shift > reached {
					counted.Lost += uint64(shift - reached)
				}
				begun, reached = true, shift
				if !yield(&counted, nil) {
					return
				}
			}
		}
	}
}

// stretch returns by how much stripe k's number is higher than its count, the first
// stripe after it of which that is not so, and whether it came for the second time.
func (m *Map) stretch(k uint64) (shift int64, end uint64, twice bool) {
	end = math.MaxUint64
	for _, s := range m.Steps {
		if k < s.At {
			return shift, s.At, false
		}
		if s.Stripes < 0 && k < s.At+uint64(-s.Stripes) {
			return shift, s.At + uint64(-s.Stripes), true
		}
		shift += s.Stripes
	}
	return shift, end, false
}
