package align

import (
	"math"
	"slices"
	"sort"

	"powerd/quarch"
)

// hostClock turns CLOCK_MONOTONIC, which an NTP daemon may make run up to 500 ppm
// faster or slower for minutes, into CLOCK_MONOTONIC_RAW, which nobody touches, and
// back. Without a reading they are the same.
type hostClock struct {
	points []reading
}

type reading struct{ monoNs, rawNs int64 }

const (
	straightNs  = 2e3   // readings so near to the line of the earlier ones are left out
	straightFor = 300e9 // but one so often
	noSlew      = 0.01  // rate of the one clock against the other
)

// add takes note of a reading. Of those that lie on one line only the ends are kept.
func (h *hostClock) add(c quarch.Clock) {
	r := reading{c.MonoNs, c.RawNs}
	n := len(h.points)
	if n > 0 && (r.monoNs <= h.points[n-1].monoNs || r.rawNs <= h.points[n-1].rawNs) {
		return
	}
	if n > 0 {
		last := h.points[n-1]
		if d := float64(r.rawNs-last.rawNs) - float64(r.monoNs-last.monoNs); math.Abs(d) > noSlew*float64(r.monoNs-last.monoNs) {
			return // no daemon slews as much: it is no reading of these two clocks
		}
	}
	if n >= 2 {
		a, b := h.points[n-2], h.points[n-1]
		rate := float64(b.rawNs-a.rawNs) / float64(b.monoNs-a.monoNs)
		off := float64(r.rawNs-a.rawNs) - rate*float64(r.monoNs-a.monoNs)
		if math.Abs(off) < straightNs && r.monoNs-a.monoNs < straightFor {
			h.points[n-1] = r
			return
		}
	}
	h.points = append(h.points, r)
}

func (h *hostClock) clone() hostClock { return hostClock{points: slices.Clone(h.points)} }

// knows reports whether a reading at or after a time is there, or none at all.
func (h *hostClock) knows(monoNs int64) bool {
	return len(h.points) == 0 || monoNs <= h.points[len(h.points)-1].monoNs
}

// raw turns a CLOCK_MONOTONIC into CLOCK_MONOTONIC_RAW.
func (h *hostClock) raw(monoNs float64) float64 {
	a, rate := h.segment(func(r reading) bool { return float64(r.monoNs) > monoNs })
	return float64(a.rawNs) + (monoNs-float64(a.monoNs))*rate
}

// mono turns a CLOCK_MONOTONIC_RAW into CLOCK_MONOTONIC.
func (h *hostClock) mono(rawNs float64) float64 {
	a, rate := h.segment(func(r reading) bool { return float64(r.rawNs) > rawNs })
	return float64(a.monoNs) + (rawNs-float64(a.rawNs))/rate
}

// segment returns a point of the line on which a time lies, and its rate: RAW per
// MONOTONIC. after reports whether a reading is later than that time.
func (h *hostClock) segment(after func(reading) bool) (reading, float64) {
	switch n := len(h.points); n {
	case 0:
		return reading{}, 1
	case 1:
		return h.points[0], 1
	default:
		i := sort.Search(n, func(i int) bool { return after(h.points[i]) })
		i = min(max(i, 1), n-1)
		a, b := h.points[i-1], h.points[i]
		return a, float64(b.rawNs-a.rawNs) / float64(b.monoNs-a.monoNs)
	}
}
