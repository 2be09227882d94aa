package results

import (
	"iter"
	"testing"

	"powerd/quarch"
)

// A rail rises where it is seen up after it was seen down. A stripe without a value is
// neither: rails that were up all along, behind a hole in their samples, did not rise,
// and a bound from there would move the whole stream.
func TestRiseNeedsARailSeenDown(t *testing.T) {
	const up, down, none = 5000, 10, quarch.Missing // mV; 1 % of 5 V are 50 mV
	for _, tc := range []struct {
		name  string
		volts []int32
		want  int // stripe, -1 = no rise
	}{
		{"down, then up", []int32{down, down, up, up}, 2},
		{"up all along", []int32{up, up, up}, -1},
		{"up behind a hole", []int32{none, none, up, up}, -1},
		{"a hole in what is up", []int32{up, none, up}, -1},
		{"a hole while it rises", []int32{down, none, up}, 2},
		{"never up", []int32{down, down, none}, -1},
	} {
		k, ok := rise(one(tc.volts))
		if ok != (tc.want >= 0) || ok && int(k) != tc.want {
			t.Errorf("%s: stripe %d, %v, want %d", tc.name, k, ok, tc.want)
		}
	}
}

// one yields one block of a 5 V rail with these millivolts.
func one(mV []int32) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		yield(&quarch.Block{PeriodNs: 4000, Traces: []quarch.Trace{{
			Rail: quarch.Rail5V, V: mV, A: make([]int32, len(mV)), LSBVolts: 1e-3, LSBAmps: 1e-6,
		}}}, nil)
	}
}
