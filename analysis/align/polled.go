package align

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"powerd/quarch"
)

// Polled returns the map of a polled link: the host stamped each round itself,
// so there is no second clock. U95 is half the typical distance of two rounds,
// which holds the round's own length and its transport.
func Polled(blocks iter.Seq2[*quarch.Block, error]) (*Map, error) {
	var index, at []int64
	for b, err := range blocks {
		if err != nil {
			return nil, fmt.Errorf("read polled blocks: %w", err)
		}
		if b.PeriodNs != 0 || len(b.AtNs) != b.Len() {
			return nil, fmt.Errorf("map polled blocks: block at stripe %d has no host time for each of its readings", b.First)
		}
		for i, t := range b.AtNs {
			if n := len(at); n > 0 && t <= at[n-1] {
				return nil, fmt.Errorf("map polled blocks: reading %d at %d ns is not after the one before it", b.First+uint64(i), t)
			}
			index, at = append(index, int64(b.First)+int64(i)), append(at, t)
		}
	}
	if len(at) < 2 {
		return nil, errors.New("map polled blocks: fewer than two readings")
	}
	gaps := make([]int64, len(at)-1)
	for i := range gaps {
		gaps[i] = (at[i+1] - at[i]) / (index[i+1] - index[i])
	}
	slices.Sort(gaps)
	median := gaps[len(gaps)/2]
	m := &Map{Method: "polled", Status: StatusOK, baseNs: at[0], periodNs: math.Max(1, float64(median))}
	for i := range at {
		x := float64(index[i]) * m.periodNs
		y := float64(at[i]-at[0]) - x
		m.points = append(m.points, point{x, y, float64(median) / 2, float64(median), y})
	}
	if u := float64(median) / 2; u > wideNs {
		m.Status = StatusDegraded
		m.Reason = fmt.Sprintf("polled about %.3g times a second: readings are placed within ± %.0f ms", 1e9/float64(median), u*1e-6)
	}
	return m, nil
}
