package window

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"powerd/analysis"
	"powerd/quarch"
)

// noise returns stripes of two rails with random counts, some missing, split
// into random blocks with random losses.
func noise(t *rapid.T) []*quarch.Block {
	var blocks []*quarch.Block
	first := uint64(0)
	for range rapid.IntRange(1, 8).Draw(t, "blocks") {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		lost := uint64(rapid.SampledFrom([]int{0, 0, 1, 7}).Draw(t, "lost"))
		b := &quarch.Block{First: first + lost, Lost: lost, PeriodNs: 1000}
		for i, r := range []quarch.Rail{quarch.Rail5V, quarch.Rail12V} {
			tr := quarch.Trace{Rail: r, LSBVolts: 1e-3, LSBAmps: 1e-6}
			for range n {
				tr.V = append(tr.V, int32(rapid.IntRange(4900, 13000).Draw(t, "v")))
				a := int32(rapid.IntRange(-1000, 13_000_000).Draw(t, "a"))
				if i == 1 && a > 12_000_000 {
					a = quarch.Missing
				}
				tr.A = append(tr.A, a)
			}
			b.Traces = append(b.Traces, tr)
		}
		b.Traces[1].A[0] = 1 // the first stripe of a stream has both rails
		blocks = append(blocks, b)
		first = b.End()
	}
	return blocks
}

// Energies of neighbouring windows add up to those of both, and so does what
// they cover; how the stream is cut into blocks does not matter.
func TestNeighbouringWindowsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := noise(t)
		end := float64(blocks[len(blocks)-1].End()) * 1000
		a, b := rapid.Float64Range(0, end-200).Draw(t, "from"), rapid.Float64Range(0, end).Draw(t, "mid")
		b = max(b, a+100)
		lo, mid, hi := int64(a), int64(b), int64(max(end, b+100))
		ws := []analysis.Window{{StartNs: lo, EndNs: mid}, {StartNs: mid, EndNs: hi}, {StartNs: lo, EndNs: hi}}
		st, err := Cut(stream(blocks...), clock{periodNs: 1000}, nil, ws...)
		if err != nil {
			t.Fatal(err)
		}
		zero := func(x float64) float64 {
			if math.IsNaN(x) {
				return 0
			}
			return x
		}
		sum := zero(st[0].Total.EnergyJ) + zero(st[1].Total.EnergyJ)
		if d := math.Abs(sum - zero(st[2].Total.EnergyJ)); d > 1e-12*math.Abs(sum)+1e-18 {
			t.Fatalf("%g J + %g J, both %g J", st[0].Total.EnergyJ, st[1].Total.EnergyJ, st[2].Total.EnergyJ)
		}
		if d := math.Abs(st[0].CoveredS() + st[1].CoveredS() - st[2].CoveredS()); d > 1e-15 {
			t.Fatalf("covered seconds differ by %g", d)
		}

		var single []*quarch.Block // the same stripes, one a block
		for _, x := range blocks {
			for i := range x.Len() {
				single = append(single, x.Slice(i, i+1))
			}
		}
		st2, err := Cut(stream(single...), clock{periodNs: 1000}, nil, ws...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range st {
			x, y := st[i].Total, st2[i].Total
			if x.MeanW != y.MeanW && math.Abs(x.MeanW-y.MeanW) > 1e-9*math.Abs(x.MeanW) || x.MaxW != y.MaxW && !math.IsNaN(x.MaxW) || st[i].Lost != st2[i].Lost {
				t.Fatalf("by block %+v, by stripe %+v", x, y)
			}
		}
	})
}

// Power of a drive at idle is correlated: here each millisecond keeps 0.98 of the
// last one's deviation. 95 % intervals by blocking must hold the true mean in
// about 95 of 100 traces; the plain 1.96·s/√n holds it in some 20.
func TestTypeAIntervalsCoverCorrelatedNoise(t *testing.T) {
	const trials, phi, n = 200, 0.98, 20_000
	var blocked, plain, amps, volts int
	for seed := range uint64(trials) {
		r := rand.New(rand.NewPCG(seed, 2))
		tr := quarch.Trace{Rail: quarch.Rail5V, LSBVolts: 1e-3, LSBAmps: 1e-6}
		x := r.NormFloat64() / math.Sqrt(1-phi*phi)
		for range n {
			x = phi*x + r.NormFloat64()
			tr.V, tr.A = append(tr.V, int32(math.Round(5000+0.5*x))), append(tr.A, int32(math.Round(400_000+500*x)))
		}
		b := &quarch.Block{PeriodNs: 1e6, Traces: []quarch.Trace{tr}}
		st, err := Cut(stream(b), clock{periodNs: 1e6}, nil, analysis.Window{EndNs: n * 1e6})
		if err != nil {
			t.Fatal(err)
		}
		// Volts and amperes go together: the mean of their product is 2 W and 0.25 µW·x².
		off := math.Abs(st[0].Total.MeanW - 2 - 0.5e-3*500e-6/(1-phi*phi))
		if math.Abs(st[0].Rails[0].MeanA-0.4) <= st[0].Rails[0].TypeAU95A {
			amps++
		}
		if math.Abs(st[0].Rails[0].MeanV-5) <= st[0].Rails[0].TypeAU95V {
			volts++
		}
		if off <= st[0].Total.TypeAU95W {
			blocked++
		}
		if off <= 1.96*st[0].Total.StdW/math.Sqrt(n) {
			plain++
		}
	}
	t.Logf("blocking %d of %d, plain %d", blocked, trials, plain)
	for what, held := range map[string]int{"power": blocked, "current": amps, "voltage": volts} {
		if held < 182 { // 91 %
			t.Errorf("blocking holds the mean %s in %d of %d traces", what, held, trials)
		}
	}
	if plain > 100 {
		t.Errorf("the plain interval holds it in %d: the noise of this test is not correlated", plain)
	}
}

func BenchmarkCut(b *testing.B) {
	const n = 1 << 20
	blk := constant(0, 4096, 4000, 400)
	blk.Traces = append(blk.Traces, quarch.Trace{Rail: quarch.Rail12V, LSBVolts: 1e-3, LSBAmps: 1e-6, V: blk.Traces[0].V, A: blk.Traces[0].A})
	for b.Loop() {
		c, err := NewCutter(clock{periodNs: 4000}, nil, analysis.Window{EndNs: n * 4000})
		if err != nil {
			b.Fatal(err)
		}
		for first := uint64(0); first < n; first += 4096 {
			blk.First = first
			c.Add(blk)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mstripes/s")
}
