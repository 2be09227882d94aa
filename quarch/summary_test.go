package quarch_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"powerd/quarch"
)

// anyCount draws a count: mostly those of a module (0-13 A in µA, 0-14.4 V in
// mV, small negatives), sometimes the ends of int32, sometimes missing.
func anyCount() *rapid.Generator[int32] {
	return rapid.OneOf(
		rapid.Int32Range(-1000, 13_000_000),
		rapid.Int32Range(-100, 14_400),
		rapid.SampledFrom([]int32{quarch.Missing, quarch.Missing + 1, math.MaxInt32, 0, -1}),
		rapid.Int32(),
	)
}

func anyTrace(t *rapid.T) *quarch.Trace {
	n := rapid.IntRange(1, 200).Draw(t, "stripes")
	return &quarch.Trace{
		Rail:     quarch.Rail12V,
		V:        rapid.SliceOfN(anyCount(), n, n).Draw(t, "V"),
		A:        rapid.SliceOfN(anyCount(), n, n).Draw(t, "A"),
		LSBVolts: 1e-3,
		LSBAmps:  1e-6,
	}
}

// truth is the sum of a trace in integers without a limit.
type truth struct {
	v, a, w    *big.Int
	nV, nA, nW uint64
}

func truthOf(t *quarch.Trace) truth {
	r := truth{v: new(big.Int), a: new(big.Int), w: new(big.Int)}
	for i := range t.V {
		v, a := big.NewInt(int64(t.V[i])), big.NewInt(int64(t.A[i]))
		if t.V[i] != quarch.Missing {
			r.v.Add(r.v, v)
			r.nV++
		}
		if t.A[i] != quarch.Missing {
			r.a.Add(r.a, a)
			r.nA++
		}
		if t.V[i] != quarch.Missing && t.A[i] != quarch.Missing {
			r.w.Add(r.w, v.Mul(v, a))
			r.nW++
		}
	}
	return r
}

// nearest rounds an integer to float64 once, as Sum.Float must.
func nearest(x *big.Int) float64 {
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}

// A sum of products is the sum that integers without a limit give, rounded once;
// a value that is missing is in no sum and no count.
func TestSumIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := anyTrace(t)
		want := truthOf(tr)
		var r quarch.RailSummary
		r.Add(tr, 0, len(tr.V))

		for _, c := range []struct {
			name string
			got  quarch.Stat
			sum  *big.Int
			n    uint64
		}{{"V", r.V, want.v, want.nV}, {"A", r.A, want.a, want.nA}, {"V·A", r.W, want.w, want.nW}} {
			if c.got.N != c.n || c.got.Total.Float() != nearest(c.sum) {
				t.Fatalf("%s: sum of %d = %g, want sum of %d = %s", c.name, c.got.N, c.got.Total.Float(), c.n, c.sum)
			}
		}
		if got := r.Missing; got != uint64(len(tr.V))-want.nW {
			t.Fatalf("missing = %d, want %d", got, uint64(len(tr.V))-want.nW)
		}
	})
}

// Cutting a trace anywhere and merging the parts in any grouping gives what
// adding all of it gives: windows that touch add up.
func TestMergeIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := anyTrace(t)
		n := len(tr.V)
		i := rapid.IntRange(0, n).Draw(t, "first cut")
		j := rapid.IntRange(i, n).Draw(t, "second cut")
		part := func(from, to int) *quarch.RailSummary {
			var r quarch.RailSummary
			r.Add(tr, from, to)
			return &r
		}
		all := part(0, n)
		left := part(0, i) // (a+b)+c
		left.Merge(part(i, j))
		left.Merge(part(j, n))
		right := part(i, j) // a+(b+c)
		right.Merge(part(j, n))
		first := part(0, i)
		first.Merge(right)
		same(t, "(a+b)+c", left, all)
		same(t, "a+(b+c)", first, all)
	})
}

// same compares what is exact exactly, and the spread to 1e-6 of the largest
// value, since it is float64.
func same(t *rapid.T, what string, got, want *quarch.RailSummary) {
	t.Helper()
	if got.Missing != want.Missing || got.Rail != want.Rail {
		t.Fatalf("%s: %d missing of %q, want %d of %q", what, got.Missing, got.Rail, want.Missing, want.Rail)
	}
	for _, p := range [][2]*quarch.Stat{{&got.V, &want.V}, {&got.A, &want.A}, {&got.W, &want.W}} {
		g, w := p[0], p[1]
		if g.N != w.N || g.Total != w.Total {
			t.Fatalf("%s: %d values, sum %v; want %d, %v", what, g.N, g.Total, w.N, w.Total)
		}
		if w.N == 0 {
			continue
		}
		if g.Min != w.Min || g.Max != w.Max {
			t.Fatalf("%s: %d..%d, want %d..%d", what, g.Min, g.Max, w.Min, w.Max)
		}
		scale := math.Max(math.Abs(float64(w.Min)), math.Abs(float64(w.Max)))
		if math.Abs(g.Std()-w.Std()) > 1e-6*scale {
			t.Fatalf("%s: std %g, want %g", what, g.Std(), w.Std())
		}
	}
}

// Sums form a group: what was added can be taken away again, and equal sums
// are == whatever the way that led there.
func TestSumPlusMinus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOf(rapid.Int64()).Draw(t, "x")
		ys := rapid.SliceOf(rapid.Int64()).Draw(t, "y")
		var x, y, both quarch.Sum
		exact := new(big.Int)
		for _, v := range xs {
			x.Add(v)
			both.Add(v)
			exact.Add(exact, big.NewInt(v))
		}
		for _, v := range ys {
			y.Add(v)
			both.Add(v)
			exact.Add(exact, big.NewInt(v))
		}
		if x.Plus(y) != both || y.Plus(x) != both {
			t.Fatalf("x+y = %v, y+x = %v, want %v", x.Plus(y), y.Plus(x), both)
		}
		if both.Minus(y) != x || both.Minus(both) != (quarch.Sum{}) {
			t.Fatalf("(x+y)-y = %v, want %v", both.Minus(y), x)
		}
		if both.Float() != nearest(exact) {
			t.Fatalf("sum = %g, want %s", both.Float(), exact)
		}
	})
}

// The worst that an HD module can say, for 10⁹ stripes (67 minutes at 4 µs):
// 13 A × 14.4 V = 187.2 W, so 187.2 W · 4000 s = 748.8 kJ. In counts the sum is
// 1.872e11 × 1e9 = 1.872e20, above the 9.2e18 that an int64 holds.
func TestNoOverflowInAnHourAtFullScale(t *testing.T) {
	const block = 1 << 16
	tr := &quarch.Trace{Rail: quarch.Rail12V, V: make([]int32, block), A: make([]int32, block), LSBVolts: 1e-3, LSBAmps: 1e-6}
	for i := range tr.V {
		tr.V[i], tr.A[i] = 14_400, 13_000_000
	}
	one := func(n int) quarch.RailSummary {
		var r quarch.RailSummary
		r.Add(tr, 0, n)
		return r
	}
	const stripes = 1_000_000_000
	var all quarch.RailSummary
	for sum, left := one(block), stripes; left > 0; left -= block {
		if left < block {
			sum = one(left)
		}
		all.Merge(&sum)
	}
	if all.W.N != stripes || all.W.Total.Float() != 1.872e20 {
		t.Errorf("sum of %d products = %g, want 1e9 and 1.872e20", all.W.N, all.W.Total.Float())
	}
	if got := all.Joules(4000); math.Abs(got-748_800) > 1e-6 {
		t.Errorf("energy = %v J, want 748800", got)
	}
	if all.W.Std() != 0 {
		t.Errorf("std of a constant = %g, want 0", all.W.Std())
	}
}

// One Add of a trace that swings over all of int32 is exact too: two such
// products differ by more than an int64 sum of two of them would hold.
func TestOneAddOverTheWholeRange(t *testing.T) {
	const n = 200_000 // more than one inner chunk
	tr := &quarch.Trace{V: make([]int32, n), A: make([]int32, n)}
	for i := range tr.V {
		tr.V[i], tr.A[i] = math.MaxInt32, math.MaxInt32
		if i == 0 {
			tr.V[i] = -math.MaxInt32
		}
	}
	var r quarch.RailSummary
	r.Add(tr, 0, n)
	// (n-1)·p − p = (n-2)·p with p = (2^31 − 1)².
	p := new(big.Int).Mul(big.NewInt(math.MaxInt32), big.NewInt(math.MaxInt32))
	want := nearest(p.Mul(p, big.NewInt(n-2)))
	if got := r.W.Total.Float(); got != want {
		t.Errorf("sum = %g, want %g", got, want)
	}
}

// Mean and standard deviation (n − 1) of 1, 2, 3, 4: 2.5 and √(5/3), whether
// values are added one by one or as a trace.
func TestMeanAndStd(t *testing.T) {
	var byOne quarch.Stat
	for _, x := range []int64{1, 2, 3, 4} {
		byOne.Add(x)
	}
	var byTrace quarch.RailSummary
	byTrace.Add(&quarch.Trace{V: []int32{1, 2, 3, 4}, A: []int32{1, 1, 1, 1}}, 0, 4)
	for name, s := range map[string]quarch.Stat{"Stat.Add": byOne, "V": byTrace.V, "V·A": byTrace.W} {
		if s.Mean() != 2.5 || math.Abs(s.Std()-math.Sqrt(5.0/3)) > 1e-12 {
			t.Errorf("%s: mean %g std %g, want 2.5 and %g", name, s.Mean(), s.Std(), math.Sqrt(5.0/3))
		}
	}
}

// Adding values at once is adding them one by one.
func TestAddAllIsAddOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Int64Range(-1<<62, 1<<62), 1, 50).Draw(t, "x")
		var all, one quarch.Stat
		all.AddAll(xs)
		for _, x := range xs {
			one.Add(x)
		}
		if all.N != one.N || all.Min != one.Min || all.Max != one.Max || all.Total != one.Total {
			t.Fatalf("%+v, want %+v", all, one)
		}
		if math.Abs(all.Std()-one.Std()) > 1e-6*math.Max(math.Abs(float64(one.Min)), math.Abs(float64(one.Max))) {
			t.Fatalf("std %g, want %g", all.Std(), one.Std())
		}
	})
}

// Nothing summed has no mean and no spread; one value has a spread of 0.
func TestEmptyAndSingle(t *testing.T) {
	var s quarch.Stat
	if !math.IsNaN(s.Mean()) || !math.IsNaN(s.Std()) {
		t.Errorf("empty: mean %g std %g, want NaN", s.Mean(), s.Std())
	}
	s.Add(7)
	if s.Mean() != 7 || s.Std() != 0 {
		t.Errorf("one value: mean %g std %g, want 7 and 0", s.Mean(), s.Std())
	}
}

// The host slept for 599 s between two stretches of 11 one-second stripes at
// 5 W. Each stripe stands for its own second: 22 · 5 W · 1 s = 110 J, and 599 s
// are unknown. Holding the last value would say 3105 J.
func TestGapAddsNoEnergy(t *testing.T) {
	trace := func() []quarch.Trace {
		tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
		for range 11 {
			tr.V, tr.A = append(tr.V, 5000), append(tr.A, 1_000_000)
		}
		return []quarch.Trace{tr}
	}
	const second = 1_000_000_000
	blocks := []*quarch.Block{
		{First: 0, PeriodNs: second, Traces: trace()},
		{First: 610, Lost: 599, PeriodNs: second, Traces: trace()},
	}
	var sum quarch.RailSummary
	var lost uint64
	for _, b := range blocks {
		sum.Add(b.Trace(quarch.Rail5V), 0, b.Len())
		lost += b.Lost
	}
	if got := sum.Joules(second); math.Abs(got-110) > 1e-9 {
		t.Errorf("energy = %g J, want 110", got)
	}
	if sum.W.N != 22 || lost != 599 {
		t.Errorf("%d stripes and %d lost, want 22 and 599", sum.W.N, lost)
	}
}

// Small negative readings are kept: the mean of +1 mA and −1 mA is 0, not the
// 0.5 mA that clipping at zero would give.
func TestNegativeCurrentIsKept(t *testing.T) {
	var r quarch.RailSummary
	r.Add(&quarch.Trace{V: []int32{5000, 5000}, A: []int32{1000, -1000}, LSBVolts: 1e-3, LSBAmps: 1e-6}, 0, 2)
	if r.MeanAmps() != 0 || r.MeanWatts() != 0 || r.A.Min != -1000 {
		t.Errorf("mean %g A, %g W, min %d; want 0, 0, -1000", r.MeanAmps(), r.MeanWatts(), r.A.Min)
	}
}

func BenchmarkRailSummary(b *testing.B) {
	const n = 4096
	tr := &quarch.Trace{V: make([]int32, n), A: make([]int32, n)}
	for i := range tr.V {
		tr.V[i], tr.A[i] = int32(5000+i%3), int32(400_000+i%977)
	}
	var r quarch.RailSummary
	for b.Loop() {
		r.Add(tr, 0, n)
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}
