package align

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Sent at 0, received at 1000.2 there, answered at 1000.3, returned at 1 (ms): the question
// took at most 1000.2 ms of offset, the answer at least 1000.3 − 1 = 999.3. So the offset
// is 999.75 ± 0.45 ms, and the way took 1 − 0.1 = 0.9 ms. A second, faster exchange narrows
// it: received 1010.05 for 10 sent, 1010.06 for 10.21 returned: 999.85 … 1000.05.
func TestWhatARoundTripSays(t *testing.T) {
	const ms = 1_000_000
	slow := Exchange{SentNs: 0, ReceivedNs: 1000*ms + 0.2*ms, AnsweredNs: 1000*ms + 0.3*ms, ReturnedNs: 1 * ms}
	p, err := PeerAt(0, []Exchange{slow})
	if err != nil || near(p.OffsetNs, 999_750_000) > 600 || near(p.U95Ns, 450_000) > 600 || p.LeastRoundTripNs != 900_000 || p.Exchanges != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	fast := Exchange{SentNs: 10 * ms, ReceivedNs: 1010*ms + 0.05*ms, AnsweredNs: 1010*ms + 0.06*ms, ReturnedNs: 10*ms + 0.21*ms}
	p, err = PeerAt(10*ms, []Exchange{slow, fast})
	if err != nil || near(p.OffsetNs, 999_950_000) > 600 || near(p.U95Ns, 100_000) > 600 || p.LeastRoundTripNs != 200_000 {
		t.Errorf("%+v, %v", p, err)
	}
	// An hour later the clocks may have run apart by 1000 ppm: 3.6 s.
	p, err = PeerAt(3600e9, []Exchange{slow, fast})
	if err != nil || near(p.U95Ns, 3_600_000_000) > 1_000_000 {
		t.Errorf("an hour later %+v, %v", p, err)
	}
}

func near(a, b int64) int64 { return max(a-b, b-a) }

// What cannot be: nothing came back; a host that answers before it is asked, or took longer
// than the asker waited; exchanges that contradict each other by more than clocks may run
// apart, as when this host was suspended for a second between them:
// at most 0 ms, then 1000 ms at least, less 1 ms · 1000 ppm.
func TestExchangesThatSayNothing(t *testing.T) {
	for why, exchanges := range map[string][]Exchange{
		"nothing came back":       nil,
		"exchange 1 took":         {{SentNs: 10, ReturnedNs: 20, ReceivedNs: 100, AnsweredNs: 90}},
		"exchange 2 took":         {{ReturnedNs: 20, ReceivedNs: 100, AnsweredNs: 110}, {SentNs: 30, ReturnedNs: 40, ReceivedNs: 100, AnsweredNs: 150}},
		"by 999.999 ms; was a ho": {{ReturnedNs: 1e6, ReceivedNs: 0, AnsweredNs: 0}, {SentNs: 1e6, ReturnedNs: 1e6, ReceivedNs: 1001e6, AnsweredNs: 1001e6}},
	} {
		if _, err := PeerAt(0, exchanges); !errors.Is(err, ErrPeer) || !strings.Contains(err.Error(), why) {
			t.Errorf("want %q, got %v", why, err)
		}
	}
}

// Whatever the ways there and back take, however unlike they are and in whatever order
// answers come, the truth lies within the bound: that of two clocks that run apart by up
// to 1000 ppm, asked any number of times before and after the instant.
func TestTheTruthIsAlwaysWithinTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.Int64Range(-1e15, 1e15).Draw(t, "offset")
		rate := rapid.Float64Range(-999, 999).Draw(t, "ppm") * 1e-6
		there := func(ns int64) int64 { return offset + ns + int64(math.Round(rate*float64(ns))) }
		var exchanges []Exchange
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			sent := rapid.Int64Range(0, 10e9).Draw(t, "sent")
			received := sent + rapid.Int64Range(0, 50e6).Draw(t, "to")
			answered := received + rapid.Int64Range(0, 1e6).Draw(t, "in")
			returned := answered + rapid.Int64Range(0, 50e6).Draw(t, "back")
			exchanges = append(exchanges, Exchange{SentNs: sent, ReceivedNs: there(received), AnsweredNs: there(answered), ReturnedNs: returned})
		}
		at := rapid.Int64Range(0, 10e9).Draw(t, "at")
		p, err := PeerAt(at, exchanges)
		if err != nil {
			t.Fatal(err)
		}
		if off := near(p.OffsetNs, there(at)-at); off > p.U95Ns+2 { // two roundings to ns
			t.Fatalf("off by %d ns, bound %d ns", off, p.U95Ns)
		}
	})
}

// A network with a millisecond of jitter on the way back alone, asked 16 times within 40 ms:
// the bound is of the fastest ways, and less than the half of a usual round trip; the
// middle of a single one is wrong by more than that in most of them.
func TestManyExchangesAreBetterThanOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	var bounds, single []float64
	for range 200 {
		var exchanges []Exchange
		for i := range int64(16) {
			sent := i * 2_500_000
			received := sent + 100_000 + int64(20_000*r.ExpFloat64())
			returned := received + 100_000 + int64(1e6*r.ExpFloat64())
			exchanges = append(exchanges, Exchange{SentNs: sent, ReceivedNs: received, AnsweredNs: received, ReturnedNs: returned})
		}
		p, err := PeerAt(0, exchanges)
		if err != nil {
			t.Fatal(err)
		}
		if near(p.OffsetNs, 0) > p.U95Ns {
			t.Errorf("off by %d ns, bound %d ns", p.OffsetNs, p.U95Ns)
		}
		bounds = append(bounds, float64(p.U95Ns))
		e := exchanges[0]
		single = append(single, math.Abs(float64(e.ReceivedNs-e.SentNs-(e.ReturnedNs-e.AnsweredNs))/2))
	}
	slices.Sort(bounds)
	slices.Sort(single)
	t.Logf("bound %.0f µs in the median, the middle of one exchange is wrong by %.0f µs", bounds[100]/1e3, single[100]/1e3)
	if bounds[100] > 200e3 || single[100] < 300e3 {
		t.Errorf("bound %.0f µs in the median, one exchange %.0f µs", bounds[100]/1e3, single[100]/1e3)
	}
}

// A daemon takes a large error out of the answering host's clock: it slews it by −5000 ppm,
// or by a tenth. By the ways alone that does not show where they are unlike. Against the
// clock that nobody touches it does, and the bound holds 2 ms before 16 exchanges, too.
func TestAClockThatIsSlewed(t *testing.T) {
	for _, slew := range []float64{-500e-6, 5000e-6, -5000e-6, 50_000e-6, -83_333e-6, 100_000e-6} {
		for _, ways := range [][2]int64{{100_000, 100_000}, {1000, 200_000}, {200_000, 1000}} {
			const markNs, trueNs = 0, 1_000_000_000
			there := func(ns int64) int64 { return ns + trueNs + int64(math.Round(slew*float64(ns))) }
			at, exchanges := int64(2_000_000), []Exchange(nil)
			for range 16 {
				received := at + ways[0]
				e := Exchange{SentNs: at, SentRawNs: at, ReceivedNs: there(received), ReceivedRawNs: received, AnsweredNs: there(received), ReturnedNs: received + ways[1]}
				exchanges = append(exchanges, e)
				at = e.ReturnedNs
			}
			p, err := PeerAt(markNs, exchanges)
			if err != nil {
				t.Errorf("slew %+.0f ppm, ways %v: %v", slew*1e6, ways, err)
				continue
			}
			if off := near(p.OffsetNs, trueNs); off > p.U95Ns+2 {
				t.Errorf("slew %+.0f ppm, ways %v: off by %d ns, bound %d ns", slew*1e6, ways, off, p.U95Ns)
			}
		}
	}
}
