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

	SentRawNs, ReceivedRawNs int64 // CLOCK_MONOTONIC_RAW of the same moments; 0 = not known
}

// Peer is how the clock of the host that answers stands to that of the host that asks, at
// one instant. The truth lies within ± U95Ns however unlike the ways there and back are,
// and however fast a daemon slews either clock, as long as it slews evenly for as long as
// the exchanges take: it is a bound, and no estimate of a scatter.
type Peer struct {
	OffsetNs         int64 // answering clock less asking clock
	U95Ns            int64
	LeastRoundTripNs int64 // on the way, without the time at the other host
	Exchanges        int
}

const (
	// apartPPM is how much faster the one CLOCK_MONOTONIC may run than the other where
	// nothing else is known: the kernel's frequency correction goes to 500 ppm on each.
	apartPPM = 1000
	// crystalsPPM is how much faster one CLOCK_MONOTONIC_RAW may run than another.
	crystalsPPM = 200
	// readingNs is what reading two clocks together may be off by.
	readingNs = 2000
)

// apart returns by how many ppm the clocks may run apart. A daemon that takes a large error
// out slews by the length of the tick, to a tenth: that shows against the clock that nobody
// touches.
func apart(exchanges []Exchange) float64 {
	first, last := exchanges[0], exchanges[len(exchanges)-1]
	ppm := crystalsPPM + 0.0
	for _, c := range []struct{ mono, raw int64 }{
		{last.SentNs - first.SentNs, last.SentRawNs - first.SentRawNs},
		{last.ReceivedNs - first.ReceivedNs, last.ReceivedRawNs - first.ReceivedRawNs},
	} {
		if c.raw <= 0 || c.mono <= 0 {
			return apartPPM
		}
		ppm += (math.Abs(float64(c.mono-c.raw)) + readingNs) / float64(c.raw) * 1e6
	}
	return max(apartPPM, ppm)
}

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
	ppm := apart(exchanges)
	lo, hi, least := math.Inf(-1), math.Inf(1), int64(math.MaxInt64)
	for i, e := range exchanges {
		way := e.ReturnedNs - e.SentNs - (e.AnsweredNs - e.ReceivedNs)
		if e.ReturnedNs < e.SentNs || e.AnsweredNs < e.ReceivedNs || float64(way) < -ppm*1e-6*float64(e.ReturnedNs-e.SentNs) {
			return Peer{}, fmt.Errorf("%w: exchange %d took %d ns there, and %d ns from question to answer here", ErrPeer, i+1, e.AnsweredNs-e.ReceivedNs, e.ReturnedNs-e.SentNs)
		}
		least = min(least, max(0, way))
		drift := func(ns int64) float64 { return math.Abs(float64(atNs-ns)) * ppm * 1e-6 }
		lo = max(lo, float64(e.AnsweredNs-e.ReturnedNs)-drift(e.ReturnedNs))
		hi = min(hi, float64(e.ReceivedNs-e.SentNs)+drift(e.SentNs))
	}
	if lo > hi {
		return Peer{}, fmt.Errorf("%w: exchanges contradict each other by %.3f ms; was a host suspended, or its clock stepped?", ErrPeer, (lo-hi)*1e-6)
	}
	middle := math.Round((lo + hi) / 2)
	return Peer{
		OffsetNs: int64(middle), U95Ns: int64(math.Ceil(max(hi-middle, middle-lo))),
		LeastRoundTripNs: least, Exchanges: len(exchanges),
	}, nil
}
