package idle

import "testing"

// Half a minute at 0.70 W, "ps4" is asked for, half a minute at 0.69 W: the label has no
// evidence, however little noise there is. At 0.35 W it has. Noise of 0.5 W hides that,
// too.
func TestAStateNeedsEvidence(t *testing.T) {
	figures := func(meanW, noiseW float64) *Figures { return &Figures{MeanW: &meanW, U95NoiseW: &noiseW} }
	for _, c := range []struct {
		after, noise float64
		reached      bool
		text         string
	}{
		{0.69, 1e-4, false, "asked for ps4, not reached: 0.70 W before, 0.69 W after"},
		{0.35, 1e-4, true, "asked for ps4, reached: 0.70 W before, 0.35 W after"},
		{0.035, 1e-4, true, "asked for ps4, reached: 0.70 W before, 0.0350 W after"},
		{0.35, 0.5, false, "asked for ps4, not reached: 0.70 W before, 0.35 W after"},
	} {
		r, why := Compare("ps4", figures(0.70, c.noise), figures(c.after, c.noise))
		if why != "" || r.Reached != c.reached || r.Text != c.text {
			t.Errorf("%+v, want %q", r, c.text)
		}
	}
	if _, why := Compare("ps4", figures(0.70, 0), &Figures{}); why != "samples before or after the mark are missing" {
		t.Errorf("of no figure: %q", why)
	}
	low := 0.35
	if _, why := Compare("ps4", figures(0.70, 1e-4), &Figures{MeanW: &low}); why != "the time before or after the mark is too short to tell its scatter" {
		t.Errorf("of an unknown scatter, which is not zero: %q", why)
	}
}
