package live

import (
	"time"

	"powerd/quarch"
)

// Late is how long after its time a summary may come; what is older than that is no
// more what a rail carries now.
const Late = 2 * time.Second

// inSecond is how many summaries are a second.
const inSecond = 10

// VA is what a rail carried in the last second, as means.
type VA struct {
	Volts float64 `json:"volts"`
	Amps  float64 `json:"amps"`
	Watts float64 `json:"watts"`
}

// Recent keeps what the rails carried in the last second. The zero Recent is ready.
type Recent struct {
	rails map[quarch.Rail][]carried // the last ten summaries
}

// carried is what a rail carried in one summary.
type carried struct {
	endNs int64
	VA
}

// Reset forgets a stream that has ended.
func (r *Recent) Reset() { r.rails = nil }

// Add takes a rail's part of a summary.
func (r *Recent) Add(endNs int64, s *quarch.RailSummary) {
	if s.W.N == 0 {
		return
	}
	if r.rails == nil {
		r.rails = map[quarch.Rail][]carried{}
	}
	keep := r.rails[s.Rail]
	if len(keep) == inSecond {
		keep = append(keep[:0], keep[1:]...)
	}
	r.rails[s.Rail] = append(keep, carried{endNs, VA{s.MeanVolts(), s.MeanAmps(), s.MeanWatts()}})
}

// Last returns what rails carried in the last second, and in all if each of them is
// known.
func (r *Recent) Last(nowNs int64, rails []quarch.Rail) (by map[quarch.Rail]VA, totalW *float64) {
	for _, rail := range rails {
		all := r.rails[rail]
		var sum VA
		n := 0.0
		for _, c := range all {
			if nowNs-c.endNs < Late.Nanoseconds() {
				sum = VA{sum.Volts + c.Volts, sum.Amps + c.Amps, sum.Watts + c.Watts}
				n++
			}
		}
		if n == 0 {
			continue
		}
		if by == nil {
			by, totalW = map[quarch.Rail]VA{}, new(float64)
		}
		by[rail] = VA{sum.Volts / n, sum.Amps / n, sum.Watts / n}
		*totalW += sum.Watts / n
	}
	if len(by) < len(rails) {
		return by, nil
	}
	return by, totalW
}
