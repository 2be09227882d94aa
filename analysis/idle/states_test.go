package idle

import (
	"math"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/window"
	"powerd/quarch"
)

// side is so many seconds at 5 V and so many watts, of which the mean scatters by ± u.
func side(seconds, watts, u float64) *window.Stats {
	p := window.Power{MeanW: watts, Coverage: 1, TypeAU95W: u}
	return &window.Stats{
		Window: analysis.Window{EndNs: int64(seconds * 1e9)}, Total: p,
		Rails: []window.RailStats{{Rail: quarch.Rail5V, Power: p, MeanV: 5, MeanA: watts / 5}},
	}
}

// Half a minute at 0.70 W, "ps4" is asked for, half a minute at 0.69 W: the label has no
// evidence, however little noise there is. At 0.35 W it has. Noise of 0.5 W hides that,
// too: ± √2 · 0.5 W of the change.
func TestAStateNeedsEvidence(t *testing.T) {
	for _, c := range []struct {
		after, noise float64
		reached      bool
		text         string
	}{
		{0.69, 1e-4, false, "asked for ps4, not reached: 0.70 W in 30.0 s before, 0.69 W in 20.0 s after, a change of -0.01000 ± 0.00014 W, less than a twentieth, as drives drift"},
		{0.35, 1e-4, true, "asked for ps4, reached: 0.70 W in 30.0 s before, 0.35 W in 20.0 s after, a change of -0.35000 ± 0.00014 W"},
		{0.035, 1e-4, true, "asked for ps4, reached: 0.70 W in 30.0 s before, 0.0350 W in 20.0 s after, a change of -0.66500 ± 0.00014 W"},
		{0.35, 0.5, false, "asked for ps4, not reached: 0.70 W in 30.0 s before, 0.35 W in 20.0 s after, a change of -0.35 ± 0.71 W, which its ± does not tell from none"},
	} {
		r, why := Compare("ps4", side(30, 0.70, c.noise), side(20, c.after, c.noise), accuracy.Spec{}, true)
		if why != "" || r.Reached != c.reached || r.Text != c.text {
			t.Errorf("%+v, want %q", r, c.text)
		}
	}
	if r, _ := Compare("ps4", side(30, 0.70, 0), side(20, 0.3, 0), accuracy.Spec{}, false); !strings.HasSuffix(r.Text, "; whether IO ran meanwhile was not watched") {
		t.Errorf("of a drive that nobody watched: %q", r.Text)
	}
	lacking := side(30, 0.35, 0)
	lacking.Total.Coverage = 0.5
	if _, why := Compare("ps4", side(30, 0.70, 0), lacking, accuracy.Spec{}, true); why != "samples before or after the mark are missing" {
		t.Errorf("of half the samples: %q", why)
	}
	if _, why := Compare("ps4", side(30, 0.70, 1e-4), side(20, 0.35, math.NaN()), accuracy.Spec{}, true); why != "the time before or after the mark is too short to tell its scatter" {
		t.Errorf("of an unknown scatter, which is not zero: %q", why)
	}
}

// A module of 2 mA and no gain reads 0.70 W and 0.69 W at 5 V, each ± 2·2 mA/√3 · 5 V =
// 11.5 mW; the offset is in both, so that their difference is as sure as its scatter.
func TestOffsetFallsOutOfAChange(t *testing.T) {
	r, why := Compare("ps1", side(30, 0.70, 0), side(20, 0.60, 0), accuracy.Spec{OffsetAmps: 2e-3}, true)
	want := 2 * 2e-3 / math.Sqrt(3) * 5
	if why != "" || math.Abs(r.BeforeU95W-want) > 1e-9 || math.Abs(r.AfterU95W-want) > 1e-9 || r.ChangeU95W > 1e-9 {
		t.Errorf("%+v %s, want ± %g before and after", r, why, want)
	}
	row := StatesTable([]Reached{r})
	if c := row.At(0, "before_w"); c.U95 != r.BeforeU95W {
		t.Errorf("before in the table: %+v", c)
	}
	if b, a := row.At(0, "before_s"), row.At(0, "after_s"); math.Abs(b.Value-30)+math.Abs(a.Value-20) > 1e-9 {
		t.Errorf("lengths in the table: %v, %v", b.Value, a.Value)
	}
}
