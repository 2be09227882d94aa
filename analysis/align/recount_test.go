package align

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"powerd/analysis/align/aligntest"
	"powerd/quarch"
)

// blocksOf are blocks of ten stripes whose volts say which stripe of the module they are:
// 13 vanish after 25, and 4 come twice after 62.
func blocksOf() (iter.Seq2[*quarch.Block, error], *Map) {
	var came []int32
	for s := range int32(100) {
		switch {
		case s >= 25 && s < 38:
		case s == 62:
			came = append(came, 58, 59, 60, 61, s)
		default:
			came = append(came, s)
		}
	}
	m := &Map{periodNs: 1000, Steps: []Step{{At: 25, Stripes: 13}, {At: 49, Stripes: -4}}} // 62 - 13 have come before the second
	f := stepFinder{}
	f.turnAt(25, 13, 1000)
	f.turnAt(49, -4, 1000)
	m.warp = f.warp
	return func(yield func(*quarch.Block, error) bool) {
		for i := 0; i < len(came); i += 10 {
			v := came[i:min(i+10, len(came))]
			b := &quarch.Block{First: uint64(i), PeriodNs: 1000, Traces: []quarch.Trace{{Rail: quarch.Rail5V, V: v, A: make([]int32, len(v))}}}
			if i == 20 && !yield(nil, errors.New("a damaged part")) {
				return
			}
			if !yield(b, nil) {
				return
			}
		}
	}, m
}

// Once the vanished ones count and the doubled ones do not, each stripe has the number
// that the module gave it, what is missing is said before the block that follows, and
// nothing comes twice.
func TestRecountedStripesHaveTheModulesNumbers(t *testing.T) {
	blocks, m := blocksOf()
	var got []string
	next := uint64(0)
	failed := 0
	for b, err := range m.Recount(blocks) {
		if err != nil {
			failed++
			continue
		}
		if b.First != next+b.Lost {
			t.Errorf("block at %d with %d lost follows %d", b.First, b.Lost, next)
		}
		next = b.End()
		for i, v := range b.Traces[0].V {
			if uint64(v) != b.First+uint64(i) {
				t.Errorf("stripe %d of the module is numbered %d", v, b.First+uint64(i))
			}
		}
		if b.Lost > 0 {
			got = append(got, fmt.Sprintf("%d before %d", b.Lost, b.First))
		}
	}
	if want := "13 before 38"; strings.Join(got, ", ") != want || next != 100 || failed != 1 {
		t.Errorf("lost %v, want %s; end %d, want 100; %d errors, want 1", got, want, next, failed)
	}
	for came, want := range map[float64]float64{0: 0, 24: 24, 25: 38, 40: 53, 53: 62, 60: 69} {
		if n := m.Number(came); n != want {
			t.Errorf("stripe %g is numbered %g, want %g", came, n, want)
		}
		if k := m.Came(want); k != came {
			t.Errorf("number %g came as %g, want %g", want, k, came)
		}
	}
	if r := m.Recounted(); r.Steps[0].At != 25 || r.Steps[0].Stripes != 13 || r.Number(60) != 60 {
		t.Errorf("%+v", r.Steps)
	}
}

// Whoever stops reading is sent no more.
func TestRecountStops(t *testing.T) {
	blocks, m := blocksOf()
	n := 0
	for range m.Recount(blocks) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d blocks", n)
	}
}

// On the map of recounted stripes a stripe has the time that it had, and the ± too.
func TestRecountedMapIsTheSame(t *testing.T) {
	for _, stripes := range []int64{150, -150} {
		m, mod := silent(aligntest.USBCDC(), 64e3, stripes, 330, 1)
		if len(m.Steps) != 1 {
			t.Fatalf("%d steps", len(m.Steps))
		}
		r := m.Recounted()
		for _, s := range []float64{1, 150, 299, 302, 329} {
			k := s * 1e9 / mod.PeriodNs
			at, u := m.TimeOf(k)
			if at2, u2 := r.TimeOf(m.Number(k)); at2-at > 0.01 || at-at2 > 0.01 || u2 != u {
				t.Errorf("%d stripes, at %g s: %.3f ± %.3f became %.3f ± %.3f", stripes, s, at, u, at2, u2)
			}
		}
		if doubt := m.doubt(float64(m.Steps[0].At)); r.doubt(float64(r.Steps[0].At)) != doubt || doubt == 0 {
			t.Errorf("%d stripes: in doubt by %g beside the step, then by %g", stripes, doubt, r.doubt(float64(r.Steps[0].At)))
		}
	}
	whole := Solve(Options{PeriodNs: 64e3}, slices.Values([]quarch.Arrival{{N: 10, ReadAtNs: 1}}))
	if whole.Recounted() != whole {
		t.Error("without a step there is nothing to count anew")
	}
}
