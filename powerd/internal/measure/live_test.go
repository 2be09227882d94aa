package measure

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/store"
	"powerd/quarch"
)

// blocks draws a stream: blocks of any size with gaps between them and values missing
// in them, of a streamed or a polled link, read up to 20 ms late.
func blocks(t *rapid.T) (out []*quarch.Block, periodNs int64) {
	periodNs = rapid.SampledFrom([]int64{0, 64_000, 1_024_000, 131_072_000}).Draw(t, "period_ns")
	step := max(periodNs, 80_000_000*boolInt(periodNs == 0))
	value := rapid.OneOf(rapid.Int32Range(-1000, 2_000_000), rapid.Just(quarch.Missing))
	next := uint64(0)
	for range rapid.IntRange(1, 12).Draw(t, "blocks") {
		lost := uint64(rapid.IntRange(0, 3).Draw(t, "lost"))
		n := rapid.IntRange(0, 400).Draw(t, "stripes")
		b := &quarch.Block{First: next + lost, Lost: lost, PeriodNs: periodNs}
		for _, rail := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
			tr := quarch.Trace{Rail: rail, LSBVolts: 1e-3, LSBAmps: 1e-6}
			for range n {
				tr.V, tr.A = append(tr.V, value.Draw(t, "mV")), append(tr.A, value.Draw(t, "uA"))
			}
			b.Traces = append(b.Traces, tr)
		}
		for i := range n {
			if periodNs == 0 {
				b.AtNs = append(b.AtNs, 1e12+int64(b.First+uint64(i))*step)
			}
		}
		next = b.End()
		b.ReadAtNs = 1e12 + int64(next)*step + rapid.Int64Range(0, 20e6).Draw(t, "late_ns")
		out = append(out, b)
	}
	return out, periodNs
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// However a stream is cut into blocks, its summaries of 100 ms add up to it: every
// stripe is in just one, with a value or as missing, and their joules are its joules.
func TestLiveSummariesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newPreview(&results.Meta{})
		stream, periodNs := blocks(t)
		l.begin(periodNs, 0)
		want := map[string]*quarch.RailSummary{"5v": {}, "12v": {}}
		var got []store.Rail100ms
		for i, b := range stream {
			l.add(b)
			for k := range b.Traces {
				want[string(b.Traces[k].Rail)].Add(&b.Traces[k], 0, b.Len())
			}
			if i%3 == 0 {
				got = append(got, l.take()...)
			}
		}
		l.end()
		got = append(got, l.take()...)
		for rail, w := range want {
			var n, missing int64
			var sum float64
			for _, s := range got {
				if s.Rail != rail {
					continue
				}
				n, missing = n+s.N, missing+s.Lost
				if s.N > 0 {
					sum += float64(s.N) * s.W.Mean
				}
			}
			if uint64(n) != w.W.N || uint64(missing) != w.Missing {
				t.Fatalf("%s: %d stripes and %d missing in the summaries, %d and %d in the stream", rail, n, missing, w.W.N, w.Missing)
			}
			if total := w.W.Total.Float() * 1e-9; math.Abs(sum-total) > 1e-9*(1+math.Abs(total)) {
				t.Fatalf("%s: summaries add up to %v W·stripes, the stream to %v", rail, sum, total)
			}
		}
	})
}

// A summary is of one tenth of a second of host time. A stream that begins 10 ms after
// a tenth has 90 ms for its first one, 87.9 stripes of 1.024 ms, and then 97.7 in each.
func TestLiveSummaryIsATenthOfASecond(t *testing.T) {
	const began = int64(1e12 + 10e6)
	l := newPreview(&results.Meta{})
	l.begin(1_024_000, began)
	for k := range uint64(100) {
		b := &quarch.Block{First: 10 * k, PeriodNs: 1_024_000, ReadAtNs: began + int64(10*(k+1))*1_024_000}
		tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for range 10 {
			tr.V, tr.A = append(tr.V, 5000), append(tr.A, 200_000)
		}
		b.Traces = []quarch.Trace{tr}
		l.add(b)
	}
	got := l.take() // up to 1.034 s: ten tenths are complete
	if len(got) != 10 {
		t.Fatalf("%d summaries, want 10", len(got))
	}
	for i, s := range got {
		want := 97.7
		if i == 0 {
			want = 87.9
		}
		if s.EndNs != 1e12+int64(i+1)*liveNs || math.Abs(float64(s.N)-want) > 1 || math.Abs(s.W.Mean-1) > 1e-12 || s.W.Std != 0 {
			t.Errorf("summary %d ends at %d with %d stripes of %v W", i, s.EndNs, s.N, s.W.Mean)
		}
	}
}
