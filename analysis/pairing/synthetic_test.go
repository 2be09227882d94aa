package pairing

import (
	"iter"
	"math"
	"math/rand/v2"

	"powerd/engine"
	"powerd/quarch"
)

// clockMap places stripes of periodNs from offsetNs on, within ± u95Ns.
type clockMap struct{ offsetNs, periodNs, u95Ns float64 }

func (m clockMap) TimeOf(k float64) (ns, u95Ns float64) { return m.offsetNs + k*m.periodNs, m.u95Ns }
func (m clockMap) IndexAt(ns float64) float64           { return (ns - m.offsetNs) / m.periodNs }

// watts is a power over host time; r is for what is drawn anew with every stripe.
type watts func(ns int64, r *rand.Rand) float64

// plus adds powers up.
func plus(parts ...watts) watts {
	return func(ns int64, r *rand.Rand) (sum float64) {
		for _, p := range parts {
			sum += p(ns, r)
		}
		return sum
	}
}

// steady draws the same all the time.
func steady(w float64) watts { return func(int64, *rand.Rand) float64 { return w } }

// span is a stretch of host time.
type span struct{ from, to int64 }

// during draws w in any of spans.
func during(w float64, spans []span) watts {
	return func(ns int64, _ *rand.Rand) float64 {
		for _, s := range spans {
			if ns >= s.from && ns < s.to {
				return w
			}
		}
		return 0
	}
}

// idle is the noise of an idle drive, k times as strong as the emulated one's: a first-order
// autoregressive part of 10 mW whose memory is 50 ms (0.98 a millisecond), 2 mW of the
// instrument, and 180 mW for 8 ms each second.
func idle(k float64) watts {
	const phi = 0.98
	var x float64
	return func(ns int64, r *rand.Rand) float64 {
		x = phi*x + 10e-3*k*math.Sqrt(1-phi*phi)*r.NormFloat64()
		w := x + 2e-3*k*r.NormFloat64()
		if ns/1e6%1000 < 8 {
			w += 0.18 * k
		}
		return w
	}
}

// telegraph returns spans that begin and end at random, both after lengths of an
// exponential distribution.
func telegraph(r *rand.Rand, from, to int64, meanOn, meanOff float64) (spans []span) {
	for at := from - int64(r.ExpFloat64()*meanOff); at < to; {
		end := at + int64(r.ExpFloat64()*meanOn)
		spans = append(spans, span{at, end})
		at = end + int64(r.ExpFloat64()*meanOff)
	}
	return spans
}

// proof is one proof in host time.
type proof struct {
	startNs, endNs int64
	reads          []Reads
}

// draw lays out a proof from startNs on, with reads every 10 ms.
func draw(seed uint64, startNs int64) proof {
	p := Draw(seed)
	at := startNs + p.Lead.Nanoseconds()
	out := proof{startNs: startNs, endNs: startNs + p.Duration().Nanoseconds()}
	for i := range BurstCount {
		r := Reads{StartNs: at, EndNs: at + p.Bursts[i].Nanoseconds()}
		for from := at; from < r.EndNs; from += 10e6 {
			r.Intervals = append(r.Intervals, engine.Interval{StartNs: from, EndNs: from + 10e6, Reads: 12})
			r.Count += 12
		}
		out.reads = append(out.reads, r)
		at = r.EndNs + p.Pauses[i].Nanoseconds()
	}
	return out
}

// spans returns when p reads, later by shiftNs.
func (p proof) spans(shiftNs int64) (s []span) {
	for _, r := range p.reads {
		s = append(s, span{r.StartNs + shiftNs, r.EndNs + shiftNs})
	}
	return s
}

// sampling is how a module sees a power.
type sampling struct {
	periodNs int64   // of stripes; of rounds where polled
	u95Ns    float64 // of the time map
	polled   bool
	missing  func(ns int64, r *rand.Rand) bool // nil = none
}

func streamed() sampling { return sampling{periodNs: 1e6, u95Ns: 3e6} }

// polledTenTimes is a polled link with ten rounds a second.
func polledTenTimes() sampling { return sampling{periodNs: 100e6, u95Ns: 50e6, polled: true} }

// blocks samples w from p's start to its end: 5 V of it in counts of 1 mV and 1 µA,
// a constant 0.9 W on 12 V.
func (s sampling) blocks(p proof, w watts, r *rand.Rand) (clockMap, iter.Seq2[*quarch.Block, error]) {
	m := clockMap{float64(p.startNs), float64(s.periodNs), s.u95Ns}
	return m, func(yield func(*quarch.Block, error) bool) {
		var first uint64
		for at := p.startNs; at < p.endNs; {
			b := quarch.Block{First: first, PeriodNs: s.periodNs}
			five := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
			twelve := quarch.Trace{Rail: quarch.Rail12V, LSBVolts: 1e-3, LSBAmps: 1e-6}
			for range 64 {
				a := int32(math.Round(w(at, r) / 5 * 1e6))
				if s.missing != nil && s.missing(at, r) {
					a = quarch.Missing
				}
				five.V, five.A = append(five.V, 5000), append(five.A, a)
				twelve.V, twelve.A = append(twelve.V, 12000), append(twelve.A, 75_000)
				b.AtNs = append(b.AtNs, at+s.periodNs/2)
				at += s.periodNs
			}
			b.Traces = []quarch.Trace{five, twelve}
			first += 64
			if s.polled {
				b.PeriodNs = 0
			} else {
				b.AtNs = nil
			}
			if !yield(&b, nil) {
				return
			}
		}
	}
}
