package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// clipped is a stretch of host time in which a rail's current read as the end of
// the module's range.
type clipped struct {
	rail           quarch.Rail
	startNs, endNs float64
}

// apartNs is how far two stretches lie apart that are kept as two.
const apartNs = 0.1e9

// saturates notes the stripes of b whose current is at the end of the range or beyond:
// at least so much flowed, and nobody knows how much.
func (s *stream) saturates(b *quarch.Block, rangeAmps float64) {
	for i := range b.Traces {
		t := &b.Traces[i]
		limit := int32(min(math.Ceil(rangeAmps/t.LSBAmps-1e-6), math.MaxInt32)) // 13 A are 13,000,000 µA
		if len(t.A) == 0 || slices.Max(t.A) < limit {
			continue
		}
		for k, a := range t.A {
			if a < limit {
				continue
			}
			from, _ := s.m.TimeOf(float64(b.First) + float64(k))
			to, _ := s.m.TimeOf(float64(b.First) + float64(k) + 1)
			s.saturated = joined(s.saturated, clipped{t.Rail, from, to})
		}
	}
}

// joined appends a stretch, to the last one of its rail if that is near.
func joined(all []clipped, next clipped) []clipped {
	for i, last := range slices.Backward(all) {
		if last.rail != next.rail {
			continue
		}
		if next.startNs-last.endNs <= apartNs {
			all[i].endNs = max(last.endNs, next.endNs)
			return all
		}
		break
	}
	return append(all, next)
}

// offScale returns why nothing can be said of a window's power: a current was beyond
// what the module can read. Empty if none was.
func (s *stream) offScale(w analysis.Window, rangeAmps float64) string {
	var rails []string
	for _, x := range s.saturated {
		if name := strings.ToUpper(string(x.rail)); x.endNs > float64(w.StartNs) && x.startNs < float64(w.EndNs) && !slices.Contains(rails, name) {
			rails = append(rails, name)
		}
	}
	if len(rails) == 0 {
		return ""
	}
	return fmt.Sprintf("the current of %s reads %g A in it, the end of the module's range: at least so much flowed, and nobody knows how much",
		strings.Join(rails, ", "), rangeAmps)
}

// conclude ends a task, unless its window holds a current beyond the module's range.
func (t *task) conclude(d *Document) error {
	if why := t.stream.offScale(t.window, accuracy.RangeAmps(d.Module.Model)); why != "" {
		d.withhold(t.what, why)
		return nil
	}
	return t.end()
}
