package align

import (
	"math"
	"slices"

	"powerd/quarch"
)

const (
	// lateNs is how much more host time than stripes there must be before stripes are
	// called missing: no host is late by as much and stays so.
	lateNs = 0.5e9

	// stretchNs is the length of a stretch of stream of which the least delay is looked
	// at.
	stretchNs = 1e9
)

// Missing returns the seconds of host time for which no stripes came though nothing
// said that they were lost; 0 if they are as many as a clock or a late host explains.
// From some point on all later blocks are then late by as much: either their stripes'
// forerunners are missing, or the host fell behind for good.
func Missing(periodNs int64, arrivals []quarch.Arrival) float64 {
	if periodNs <= 0 || len(arrivals) == 0 {
		return 0
	}
	var stretches []cell
	for _, a := range arrivals {
		x := float64(a.First+a.N) * float64(periodNs)
		y := float64(a.ReadAtNs-arrivals[0].ReadAtNs) - x
		id := int64(x / stretchNs)
		if n := len(stretches); n > 0 && stretches[n-1].id >= id {
			stretches[n-1].y = min(stretches[n-1].y, y)
			continue
		}
		stretches = append(stretches, cell{id: id, x: x, y: y})
	}
	// A delay that a later block does not have was no loss: what counts is the least
	// one from each stretch to the end.
	var missing float64
	least := math.Inf(1)
	for i, s := range slices.Backward(stretches) {
		if rise := least - s.y; !math.IsInf(least, 1) && rise > 0 {
			missing += max(0, rise-MaxPPM*1e-6*(stretches[i+1].x-s.x))
		}
		least = min(least, s.y)
	}
	if missing < lateNs {
		return 0
	}
	return missing * 1e-9
}
