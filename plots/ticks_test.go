package plots

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"pgregory.net/rapid"
)

func labels(ticks []tick) string {
	var out []string
	for _, t := range ticks {
		out = append(out, t.label)
	}
	return strings.Join(out, " ")
}

// Value ticks stand at multiples of 1, 2 or 5, with as many decimals as they need.
func TestNiceTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 12.7, 5, "0 5 10"},
		{-0.2, 0.2, 5, "-0.2 -0.1 0.0 0.1 0.2"}, // no minus zero
		{0, 30000, 7, "0 5000 10,000 15,000 20,000 25,000 30,000"},
		{24.6, 24.6, 5, ""},                            // no range: the caller pads first
		{-1e12, -1e12 + 1e-3, 5, "-1,000,000,000,000"}, // steps of 0.2 ms are lost in the digits there
	} {
		if got := labels(niceTicks(c.lo, c.hi, c.n)); got != c.want {
			t.Errorf("%g … %g: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// However wide the range, there are at most n ticks, in order, inside it.
func TestNiceTicksStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e12, 1e12).Draw(t, "lo")
		span := math.Pow(10, rapid.Float64Range(-3, 12).Draw(t, "span"))
		n := rapid.IntRange(1, 20).Draw(t, "n")
		hi := lo + span
		ticks := niceTicks(lo, hi, n)
		if len(ticks) > min(n, maxTicks) {
			t.Fatalf("%d ticks for %d", len(ticks), n)
		}
		for i, k := range ticks {
			if k.at < lo-1e-6*span || k.at > hi+1e-6*span || (i > 0 && k.at <= ticks[i-1].at) {
				t.Fatalf("tick %d at %g of %g … %g", i, k.at, lo, hi)
			}
		}
	})
}

// From a second to a month: a unit that people use, at most a dozen ticks.
func TestTimeTicks(t *testing.T) {
	for _, c := range []struct {
		what       string
		span       float64
		unit, want string
	}{
		{"1 s", 1, "s", "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{"90 s", 90, "s", "0 10 20 30 40 50 60 70 80 90"},
		{"1 h", 3600, "min", "0 10 20 30 40 50 60"},
		{"24 h", 86400, "h", "0 3 6 9 12 15 18 21 24"},
		{"30 days", 30 * 86400, "days", "0 5 10 15 20 25 30"},
		{"150 ms", 0.150, "ms", "0 20 40 60 80 100 120 140"},
	} {
		u := timeUnitFor(c.span)
		if got := labels(timeTicks(0, c.span, u, maxTicks)); u.name != c.unit || got != c.want {
			t.Errorf("%s: %s in %s, want %s in %s", c.what, got, u.name, c.want, c.unit)
		}
	}
}

// On the canvas no time label is cut at an edge or touches its neighbour, whatever
// the span; the recorded text is measured with the font that it is drawn in.
func TestTimeLabelsHaveRoom(t *testing.T) {
	ty := newTypeset()
	for _, span := range []float64{1e-4, 0.15, 1, 90, 3600, 86400, 30 * 86400, 300 * 86400} {
		p := &panel{time: axis{lo: 0, hi: span, label: "Time"}, unit: timeUnitFor(span), left: axis{lo: 0, hi: 1, label: "W"}}
		c := draw.NewCanvas(new(recorder.Canvas), pageWidth, 400)
		frame := draw.Crop(c, 60, -rightMargin-margin, 40, -20)
		last := c.Min.X
		ticks := p.timeTicks(frame, ty)
		if len(ticks) < 2 || len(ticks) > maxTicks {
			t.Errorf("%g s: %d ticks", span, len(ticks))
		}
		for _, k := range ticks {
			x, half := p.time.at(k.at, frame.Min.X, frame.Max.X), ty.width(tickInk(draw.XCenter, draw.YTop), k.label)/2
			if x-half < last || x+half > c.Max.X {
				t.Errorf("%g s: label %s from %.1f to %.1f pt is cut or meets the one before", span, k.label, x-half, x+half)
			}
			last = x + half + 4
		}
	}
}

// Even a frame between two value axes with long labels has a pixel for each column.
func TestColumnsFitTheFrame(t *testing.T) {
	wide := axis{lo: 0, hi: 250_000}
	frame := pageWidth - 2*margin - 2*gutter(wide, newTypeset(), 300)
	if pixels := frame.Dots(dpi); pixels < Columns {
		t.Errorf("%.0f pixels for %d columns", pixels, Columns)
	}
}

// A flat range becomes value ± 10 %; an axis from zero stays at zero.
func TestPadRange(t *testing.T) {
	for _, c := range []struct {
		lo, hi   float64
		zero     bool
		from, to float64
	}{
		{24.6, 24.6, false, 22.14, 27.06},
		{0, 0, false, -1, 1},
		{0, 0, true, 0, 1},
		{1, 3, false, 0.88, 3.12}, // 6 % of 2
		{2, 10, true, 0, 10.6},
	} {
		if from, to := padRange(c.lo, c.hi, c.zero); math.Abs(from-c.from) > 1e-9 || math.Abs(to-c.to) > 1e-9 {
			t.Errorf("%g … %g (zero %v): %g … %g, want %g … %g", c.lo, c.hi, c.zero, from, to, c.from, c.to)
		}
	}
}

// Footer words are joined into lines that fit; here every rune is 1 wide.
func TestWrap(t *testing.T) {
	width := func(s string) float64 { return float64(len([]rune(s))) }
	got := wrap([]string{"aaaa", "bbbb", "cccccccccccccccccc", "d"}, 13, width)
	want := []string{"aaaa  ·  bbbb", "cccccccccccccccccc", "d"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("lines %q, want %q", got, want)
	}
}

// Text that is too long ends in an ellipsis and fits.
func TestFit(t *testing.T) {
	ty, k := newTypeset(), ink{size: 10}
	const limit vg.Length = 60
	got := ty.fit(k, "a very long name of a step", limit)
	if !strings.HasSuffix(got, "…") || ty.width(k, got) > limit {
		t.Errorf("%q is %.1f pt wide, %.1f allowed", got, ty.width(k, got), limit)
	}
}
