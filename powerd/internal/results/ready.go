package results

import (
	"cmp"
	"fmt"

	"powerd/quarch"
)

// Ready is how a drive answered reads after its power came on. Times are host
// CLOCK_MONOTONIC, 0 where there is none.
type Ready struct {
	Tries     int    `json:"tries"`
	FailedNs  int64  `json:"failed_mono_ns"` // start of the last try that failed
	GoodNs    int64  `json:"good_mono_ns"`   // end of the first read that came
	LongestNs int64  `json:"longest_ns"`     // longest try
	Why       string `json:"why,omitempty"`  // of the last try that failed
}

// ReadyEvent returns the event that tells how a drive answered.
func ReadyEvent(nowNs int64, step string, r Ready) quarch.Event {
	return quarch.Event{MonoNs: nowNs, Kind: quarch.EventReady, Step: step, Data: map[string]any{"ready": r}}
}

// mostBetweenNs is the longest time between a read that failed and one that came that
// still tells when a drive was ready.
const mostBetweenNs = 250_000_000

// answered returns when the drive of a power-up first answered, and how well that is
// known: between the last try that it did not answer, or else the power-up, and the first
// that it did. why says what speaks against a time.
func (s *step) answered() (ns, u95Ns int64, why string) {
	r := s.ready
	if r == nil {
		return 0, 0, "the drive was not asked when it first answers: the run has no target to read from"
	}
	if r.GoodNs == 0 {
		return 0, 0, fmt.Sprintf("nothing could be read from the drive in the %.1f s from its power-up to the end of the step (%d tries, the last: %s); a drive that takes longer to start needs a longer duration of the step",
			float64(s.end.EndMonoNs-s.powerOnNs)*1e-9, r.Tries, cmp.Or(r.Why, "no reason is known"))
	}
	from := cmp.Or(r.FailedNs, s.powerOnNs)
	if between := r.GoodNs - from; between > mostBetweenNs {
		return 0, 0, fmt.Sprintf("a try to read hung: between the last that failed and the first that came lie %.2f s", float64(between)*1e-9)
	}
	return from + (r.GoodNs-from)/2, (r.GoodNs - from + 1) / 2, ""
}
