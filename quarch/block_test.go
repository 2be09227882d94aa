package quarch_test

import (
	"reflect"
	"testing"

	"powerd/quarch"
)

func twoRails() *quarch.Block {
	return &quarch.Block{
		First: 100, Lost: 7, Resync: 1, PeriodNs: 4000, ReadAtNs: 5_000_000,
		Traces: []quarch.Trace{
			{Rail: quarch.Rail5V, V: []int32{5000, 5001, 5002}, A: []int32{10, quarch.Missing, 30}, LSBVolts: 1e-3, LSBAmps: 1e-6},
			{Rail: quarch.Rail12V, V: []int32{12000, 12001, 12002}, A: []int32{0, 1, 2}, LSBVolts: 1e-3, LSBAmps: 1e-6},
		},
	}
}

// Cutting a block keeps the index of every stripe, and says what was lost
// before it once only: before its first stripe.
func TestSliceKeepsIndexAndLoss(t *testing.T) {
	b := twoRails()
	head, tail := b.Slice(0, 1), b.Slice(1, 3)
	if head.First != 100 || head.Len() != 1 || head.Lost != 7 || head.Resync != 1 {
		t.Errorf("head = %+v, want first 100, 1 stripe, 7 lost, 1 resync", head)
	}
	if tail.First != 101 || tail.End() != 103 || tail.Lost != 0 || tail.Resync != 0 {
		t.Errorf("tail = %+v, want [101, 103), nothing lost", tail)
	}
	if got := tail.Trace(quarch.Rail12V).V; !reflect.DeepEqual(got, []int32{12001, 12002}) {
		t.Errorf("12 V of the tail = %v, want 12001 12002", got)
	}
	if got, want := b.Arrival(), (quarch.Arrival{First: 100, N: 3, Lost: 7, ReadAtNs: 5_000_000}); got != want {
		t.Errorf("arrival = %+v, want %+v", got, want)
	}
}

// A polled block is cut together with its times.
func TestSliceCutsPollTimes(t *testing.T) {
	b := twoRails()
	b.PeriodNs, b.AtNs = 0, []int64{1, 2, 3}
	if got := b.Slice(1, 3).AtNs; !reflect.DeepEqual(got, []int64{2, 3}) {
		t.Errorf("times = %v, want 2 3", got)
	}
}

// A block is lent: a clone does not see what its owner writes into it later.
func TestCloneSharesNothing(t *testing.T) {
	b := twoRails()
	b.AtNs = []int64{1, 2, 3}
	c := b.Clone()
	b.Traces[0].V[0], b.Traces[1].A[2], b.AtNs[0], b.Traces[0].Rail = -1, -1, -1, "x"
	want := twoRails()
	want.AtNs = []int64{1, 2, 3}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("clone = %+v, want %+v", c, want)
	}
}

// A missing count has no value: no volts, no amperes, no watts; and its
// neighbour on the same stripe still has one.
func TestMissingHasNoValue(t *testing.T) {
	tr := twoRails().Trace(quarch.Rail5V)
	if _, ok := tr.Amps(1); ok {
		t.Error("a missing count of amperes has a value")
	}
	if _, ok := tr.Watts(1); ok {
		t.Error("watts without amperes have a value")
	}
	if v, ok := tr.Volts(1); !ok || v != 5.001 {
		t.Errorf("volts = %v %t, want 5.001", v, ok)
	}
	// 5.002 V · 30 µA = 150.06 µW.
	if w, ok := tr.Watts(2); !ok || w < 150.059e-6 || w > 150.061e-6 {
		t.Errorf("watts = %v %t, want 150.06e-6", w, ok)
	}
}

// A rail that a module does not have is absent, not zero.
func TestAbsentRail(t *testing.T) {
	b := twoRails()
	b.Traces = b.Traces[:1]
	if b.Trace(quarch.Rail12V) != nil {
		t.Error("a rail that was not measured has a trace")
	}
	if b.Len() != 3 {
		t.Errorf("length = %d, want 3", b.Len())
	}
}
