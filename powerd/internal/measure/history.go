package measure

import (
	"math"
	"time"

	"powerd/powerd/internal/live"
	"powerd/quarch"
)

const (
	historySeconds = 600
	secondNs       = int64(time.Second)
	previewLate    = live.Late
)

// history keeps the mean total power of the last seconds of host time. A second
// without samples of every rail is unknown.
type history struct {
	began   bool
	next    int64 // second of host time that is being added up
	watts   map[quarch.Rail]mean
	seconds []float64 // those before next, NaN = unknown; at most historySeconds
}

// mean is a sum with its weight.
type mean struct{ sum, n float64 }

// add takes the mean power of n stripes of a rail that ended at host time endNs.
func (h *history) add(endNs int64, rail quarch.Rail, watts, n float64, rails []quarch.Rail) {
	second := (endNs - 1) / secondNs
	h.upTo(second, rails)
	if second < h.next || n == 0 { // the map moved back: its second is told already
		return
	}
	m := h.watts[rail]
	h.watts[rail] = mean{m.sum + watts*n, m.n + n}
}

// upTo ends all seconds before the given one.
func (h *history) upTo(second int64, rails []quarch.Rail) {
	if !h.began {
		h.began, h.next, h.watts = true, second, map[quarch.Rail]mean{}
	}
	if second-h.next > historySeconds { // all that is kept would be unknown
		h.next = second - historySeconds
		clear(h.watts)
	}
	for ; h.next < second; h.next++ {
		h.seconds = append(h.seconds, total(h.watts, rails))
		clear(h.watts)
	}
	if over := len(h.seconds) - historySeconds; over > 0 {
		h.seconds = append(h.seconds[:0], h.seconds[over:]...)
	}
}

// total adds rails up, if all of them are there.
func total(watts map[quarch.Rail]mean, rails []quarch.Rail) float64 {
	if len(rails) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, r := range rails {
		m := watts[r]
		sum += m.sum / m.n // NaN without samples
	}
	return sum
}

// told returns the seconds up to now, as far as their samples must have come.
func (h *history) told(now quarch.Clock, rails []quarch.Rail) *Seconds {
	if !h.began {
		return nil
	}
	h.upTo(max(h.next, (now.MonoNs-previewLate.Nanoseconds())/secondNs), rails)
	out := &Seconds{TotalW: make([]*float64, len(h.seconds))}
	out.EndUTC = time.Unix(0, now.UTCNs-(now.MonoNs-h.next*secondNs)).UTC().Format(time.RFC3339Nano)
	for i, w := range h.seconds {
		if !math.IsNaN(w) {
			rounded := math.Round(w*1e4) / 1e4 // 0.1 mW: a preview, of 600 values
			out.TotalW[i] = &rounded
		}
	}
	return out
}
