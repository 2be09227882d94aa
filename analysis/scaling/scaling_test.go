package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/efficiency"
	"powerd/quarch"
)

// load is a cell of random 4 KiB reads on a drive of one rail.
func load(qd int, iops, watts, scatterRel float64) *efficiency.Cell {
	some := analysis.Some
	return &efficiency.Cell{
		Step: fmt.Sprintf("read-qd%d", qd), RW: "randread", BSBytes: 4096, ReadPct: 100, QD: qd, Jobs: 1,
		Rates: efficiency.Rates{IOPS: some(iops)}, MeanW: some(watts), MeanU95W: some(watts * scatterRel),
		Rails:  map[quarch.Rail]*efficiency.Rail{quarch.Rail12V: {MeanV: some(12), MeanA: some(watts / 12)}},
		Ratios: efficiency.Ratios{UJPerIO: some(watts / iops * 1e6), U95Rel: some(scatterRel)},
	}
}

func near(t *testing.T, what string, got *float64, want, within float64) {
	t.Helper()
	switch {
	case got == nil:
		t.Errorf("%s is withheld, want %g", what, want)
	case math.Abs(*got-want) > within:
		t.Errorf("%s = %g, want %g ± %g", what, *got, want, within)
	}
}

// queue is a drive that takes 100 µs for an IO and does 80,000 a second at most: at depth
// d it does min(d/100 µs, 80,000) IOPS, so the knee is at 100 µs · 80,000/s = 8. It draws
// 3 W and 25 µJ an IO: 5 W at most.
func queue(depths ...int) []*efficiency.Cell {
	var out []*efficiency.Cell
	for _, d := range depths {
		iops := min(float64(d)/100e-6, 80_000)
		out = append(out, load(d, iops, 3+25e-6*iops, 0))
	}
	return out
}

// Idle is 2 W, so being awake costs 1 W. Depths of 1, 2, 4 … 64: IOPS of 10, 20, 40 and
// 80 thousand, which is a load of 1/8, 1/4, 1/2 and 1, at 3.25, 3.5, 4 and 5 W. The
// dynamic range is (5 − 2)/5 = 0.6. The area below the curve of power over load:
// (2 + 3.25)/2 · 1/8 + (3.25 + 3.5)/2 · 1/8 + (3.5 + 4)/2 · 1/4 + (4 + 5)/2 · 1/2 =
// 0.328125 + 0.421875 + 0.9375 + 2.25 = 3.9375 W; 2 − 2 · 3.9375/5 = 0.425.
func TestACurveWithAKnee(t *testing.T) {
	in := Input{Group: "read", Cells: queue(1, 2, 4, 8, 16, 32, 64), Idle: &Idle{Watts: 2}}
	// Between loads of 1/2 and 1 lies more than 0.35: one more cell at 60,000 IOPS, on the line.
	all := Judge(in)
	if len(all) != 1 {
		t.Fatalf("%d series", len(all))
	}
	r := all[0]
	near(t, "power at no IO", r.BaseW, 3, 1e-9)
	near(t, "one more IO", r.UJPerIO, 25, 1e-9)
	near(t, "awake", r.AwakeW, 1, 1e-9)
	near(t, "knee", r.KneeDepth, 8, 1e-6)
	near(t, "dynamic range", r.DynamicRange, 0.6, 1e-9)
	if r.Proportionality != nil || !strings.Contains(r.why("proportionality"), "between 50 and 100 %") {
		t.Errorf("half of the curve was not measured: %v, %q", r.Proportionality, r.why("proportionality"))
	}

	in.Cells = append(in.Cells, load(6, 60_000, 4.5, 0))
	r = Judge(in)[0]
	near(t, "proportionality", r.Proportionality, 0.425, 1e-9)
	if c := Table([]*Result{r}).At(0, "sweet_spot"); c.Text != r.SweetSpot || r.SweetSpot == "" {
		t.Errorf("table: %+v", c)
	}
}

// The sweet spot is the first cell at or beyond the knee: of depths 1, 3, 12, 48, which
// all lie beside the knee at 8, that is 12. Cells that lie on the two lines exactly give the
// knee back whatever the depths are.
func TestTheSweetSpotIsTheFirstBeyondTheKnee(t *testing.T) {
	r := Judge(Input{Group: "read", Cells: queue(48, 1, 12, 3)})[0]
	near(t, "knee", r.KneeDepth, 8, 1e-6)
	if r.SweetSpot != "read-qd12" || r.KneeAbove != 3 || r.KneeBelow != 12 {
		t.Errorf("sweet spot %s, knee between %d and %d", r.SweetSpot, r.KneeAbove, r.KneeBelow)
	}
	near(t, "its IOPS", r.SweetIOPS, 80_000, 1e-6)
	near(t, "its energy: 5 W/80,000", r.SweetUJ, 62.5, 1e-9)
	if r.DynamicRange != nil || r.why("dynamic_range") != "no idle step was measured" || r.AwakeW != nil {
		t.Errorf("without idle: %v, %q", r.DynamicRange, r.why("dynamic_range"))
	}
}

// The published drive from 2.981 W at idle straight to 6.00 W at 42,000 IOPS: of a
// straight line both are the same, (6.00 − 2.981)/6.00 = 0.503.
func TestAStraightLineIsAsProportionalAsItsRange(t *testing.T) {
	var cells []*efficiency.Cell
	for i := 1; i <= 4; i++ {
		share := float64(i) / 4
		cells = append(cells, load(i, 42_000*share, 2.981+3.019*share, 0))
	}
	r := Judge(Input{Group: "demand", Cells: cells, Idle: &Idle{Watts: 2.981}})[0]
	near(t, "dynamic range", r.DynamicRange, 0.50317, 1e-5)
	near(t, "proportionality", r.Proportionality, 0.50317, 1e-5)
	near(t, "awake", r.AwakeW, 0, 1e-9)
	near(t, "one more IO: 3.019 W/42,000", r.UJPerIO, 71.88, 0.01)
}

// What cannot be supported: two loads are no series and three no knee, IOPS that do not change have no slope,
// a latency that rises from the first depth on has no knee inside; other block sizes are
// other series; a cell without watts is in none.
func TestWhatTheCellsCannotSupport(t *testing.T) {
	if got := Judge(Input{Group: "a", Cells: queue(1, 2)}); len(got) != 0 {
		t.Errorf("two loads make a series")
	}
	if r := Judge(Input{Group: "a", Cells: queue(1, 2, 4)})[0]; r.BaseW == nil || !strings.Contains(r.why("knee_depth"), "needs 4 depths, and there are 3") {
		t.Errorf("three loads: %v, %q", r.BaseW, r.why("knee_depth"))
	}
	r := Judge(Input{Group: "a", Cells: queue(16, 32, 64, 128)})[0]
	if !strings.Contains(r.why("uj_per_io"), "same IOPS") || !strings.Contains(r.why("sweet_spot"), "does not bend between depths 16 and 128") {
		t.Errorf("saturated: %q, %q", r.why("uj_per_io"), r.why("sweet_spot"))
	}
	other := load(8, 9000, 4, 0)
	other.BSBytes = 8192
	dark := load(8, 9000, 4, 0)
	dark.MeanW = nil
	if got := Judge(Input{Group: "a", Cells: []*efficiency.Cell{load(4, 5000, 4, 0), other, dark}}); len(got) != 0 {
		t.Errorf("%d series of one load each", len(got))
	}
	var mixed []*efficiency.Cell // three depths of two entropies are two series
	for _, entropy := range []int{0, 100} {
		for _, c := range queue(1, 2, 4) {
			c.EntropyPct = &entropy
			mixed = append(mixed, c)
		}
	}
	if got := Judge(Input{Group: "a", Cells: mixed}); len(got) != 2 || *got[0].EntropyPct != 0 || *got[1].EntropyPct != 100 {
		t.Errorf("%d series of two entropies", len(got))
	}
	same := Judge(Input{Group: "a", Cells: append(queue(1, 2, 8), load(2, 6000, 5, 0))})
	if len(same) != 0 {
		t.Errorf("two loads of one depth differ in something that is not known here")
	}
}

// 400 modules, each off by a gain and an offset of its own within its specification, see
// the drive above in cells that scatter by 0.5 %. Each ± holds the truth in at least 95 of 100
// cases, and is no wider than four times the errors' root mean square.
func TestTheirBoundsHoldTheTruth(t *testing.T) {
	const repeats = 400
	spec := accuracy.Spec{GainPct: 1, OffsetAmps: 2e-3}
	r := rand.New(rand.NewPCG(3, 7))
	truth := Judge(Input{Group: "a", Cells: append(queue(1, 2, 4, 8), load(6, 60_000, 4.5, 0)), Idle: &Idle{Watts: 2}})[0]
	type figure struct {
		name     string
		of, u95  func(*Result) *float64
		held     int
		sum, err float64
	}
	figures := []*figure{
		{name: "base_w", of: func(r *Result) *float64 { return r.BaseW }, u95: func(r *Result) *float64 { return r.BaseU95W }},
		{name: "uj_per_io", of: func(r *Result) *float64 { return r.UJPerIO }, u95: func(r *Result) *float64 { return r.UJU95 }},
		{name: "awake_w", of: func(r *Result) *float64 { return r.AwakeW }, u95: func(r *Result) *float64 { return r.AwakeU95W }},
		{name: "dynamic_range", of: func(r *Result) *float64 { return r.DynamicRange }, u95: func(r *Result) *float64 { return r.DynamicRangeU95 }},
		{name: "proportionality", of: func(r *Result) *float64 { return r.Proportionality }, u95: func(r *Result) *float64 { return r.ProportionalityU95 }},
	}
	for range repeats {
		gain, offset := 0.01*(2*r.Float64()-1), 12*2e-3*(2*r.Float64()-1)
		seen := func(watts float64) float64 { return watts*(1+gain) + offset }
		const scatter = 0.005 // half-width of 95 %
		noisy := func(watts float64) float64 { return seen(watts) * (1 + scatter/1.96*r.NormFloat64()) }
		var cells []*efficiency.Cell
		for _, c := range append(queue(1, 2, 4, 8), load(6, 60_000, 4.5, 0)) {
			w := noisy(*c.MeanW)
			n := load(c.QD, *c.IOPS, w, 0)
			n.MeanU95W = analysis.Some(math.Hypot(w*scatter, spec.U95Watts(12, w/12)))
			cells = append(cells, n)
		}
		w := noisy(2)
		got := Judge(Input{Group: "a", Cells: cells, Accuracy: spec, Idle: &Idle{
			Watts: w, NoiseU95W: w * scatter, ModuleW: map[quarch.Rail]float64{quarch.Rail12V: spec.U95Watts(12, w/12)},
		}})[0]
		for _, f := range figures {
			d, u := *f.of(got)-*f.of(truth), *f.u95(got)
			if math.Abs(d) <= u {
				f.held++
			}
			f.sum, f.err = f.sum+u, f.err+d*d
		}
	}
	for _, f := range figures {
		ratio := f.sum / repeats / math.Sqrt(f.err/repeats)
		t.Logf("%s: %d of %d inside, U/rms %.2f", f.name, f.held, repeats, ratio)
		if f.held < repeats*95/100 || ratio > 4 {
			t.Errorf("%s: %d of %d inside, U/rms %.2f", f.name, f.held, repeats, ratio)
		}
	}
}
