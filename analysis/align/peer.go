package align

import (
	"errors"
	"fmt"
	"math"
)

// Exchange is a question that went to another host and came back with an answer: four
// times in ns, two of either host's CLOCK_MONOTONIC.
type Exchange struct {
	SentNs, ReturnedNs     int64 // by the clock of the host that asked
	ReceivedNs, AnsweredNs int64 // by the clock of the host that answered
}

// Peer is how the clock of the host that answers stands to that of the host that asks, at
// one instant. The truth lies within ± U95Ns however unlike the ways there and back are,
// as long as the clocks run apart by no more than apartPPM: it is a bound, and no estimate
// of a scatter.
type Peer struct {
	OffsetNs         int64 // answering clock less asking clock
	U95Ns            int64
	LeastRoundTripNs int64 // on the way, without the time at the other host
	Exchanges        int
}

// apartPPM is how much faster the one CLOCK_MONOTONIC may run than the other: the kernel's
// frequency correction goes to 500 ppm on each. A daemon that takes a large error out by the
// length of the tick, or by phase, slews faster, to a tenth: exchanges contradict each other
// then where the slew outgrows their ways, and the bound is too narrow by the slew times the
// milliseconds from exchange to mark where it does not.
const apartPPM = 1000

// ErrPeer says that exchanges say nothing of two clocks.
var ErrPeer = errors.New("the two hosts' clocks could not be compared")

// PeerAt returns how two clocks stand to each other at atNs of the asking host.
//
// A question cannot have been received before it was sent, nor an answer have returned
// before it was given: answered − returned ≤ offset ≤ received − sent. All exchanges
// must hold, each widened by what the clocks may run apart between it and atNs.
func PeerAt(atNs int64, exchanges []Exchange) (Peer, error) {
	if len(exchanges) == 0 {
		return Peer{}, fmt.Errorf("%w: nothing came back", ErrPeer)
	}
	lo, hi, least := math.Inf(-1), math.Inf(1), int64(math.MaxInt64)
	for i, e := range exchanges {
		way := e.ReturnedNs - e.SentNs - (e.AnsweredNs - e.ReceivedNs)
		if e.ReturnedNs < e.SentNs || e.AnsweredNs < e.ReceivedNs || float64(way) < -apartPPM*1e-6*float64(e.ReturnedNs-e.SentNs) {
			return Peer{}, fmt.Errorf("%w: exchange %d took %d ns there, and %d ns from question to answer here", ErrPeer, i+1, e.AnsweredNs-e.ReceivedNs, e.ReturnedNs-e.SentNs)
		}
		least = min(least, max(0, way))
		drift := func(ns int64) float64 { return math.Abs(float64(atNs-ns)) * apartPPM * 1e-6 }
		lo = max(lo, float64(e.AnsweredNs-e.ReturnedNs)-drift(e.ReturnedNs))
		hi = min(hi, float64(e.ReceivedNs-e.SentNs)+drift(e.SentNs))
	}
	if lo > hi {
		return Peer{}, fmt.Errorf("%w: exchanges contradict each other by %.3f ms; was a host suspended, or is its clock slewed by more than 500 ppm?", ErrPeer, (lo-hi)*1e-6)
	}
	middle := math.Round((lo + hi) / 2)
	return Peer{
		OffsetNs: int64(middle), U95Ns: int64(math.Ceil(max(hi-middle, middle-lo))),
		LeastRoundTripNs: least, Exchanges: len(exchanges),
	}, nil
}
