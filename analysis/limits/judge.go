package limits

import (
	"fmt"
	"math"
	"strconv"

	"powerd/analysis"
)

// Verdicts.
const (
	Pass         = "pass"
	Fail         = "fail"
	Inconclusive = "inconclusive"
)

// What people read in place of a verdict.
const (
	JudgedWithin = "within"
	JudgedAbove  = "above datasheet"
	JudgedBelow  = "below datasheet"
)

// Figure is a measurement that may answer a claim, in the claim's unit.
type Figure struct {
	Value    *float64 // nil = there is none, for the reason in Why
	U95      *float64 // nil = its error is not known
	WindowUs float64  // of the mean that it is; 0 = it is none
	Raw      bool     // its window is a single sample's
	Of       string   // where it was measured: "power-up", "randread-qd32, state not judged"
	As       string   // what was done to it first: "net of the zero"; empty = it is as measured
	Why      string   // why nothing may be concluded from it; empty = it may
}

// Verdict is a claim with what was measured held against it, with the JSON keys of
// results.json.
type Verdict struct {
	Name     string   `json:"name"`
	What     string   `json:"what"`
	Quantity string   `json:"quantity"`
	Rail     string   `json:"rail,omitempty"`
	Kind     string   `json:"kind"`
	Limit    float64  `json:"limit"`
	Unit     string   `json:"unit"`
	Window            // no value and no width where the windows have one each
	Windows  []Window `json:"windows,omitempty"` // of a claim that names none
	Source   string   `json:"source"`
}

// Window is one figure, judged: the peak over one window where a quantity has windows.
type Window struct {
	WindowUs float64  `json:"window_us,omitempty"`
	Value    *float64 `json:"value,omitempty"`
	U95      *float64 `json:"u95,omitempty"` // absent = not stated
	Verdict  string   `json:"verdict"`
	Judged   string   `json:"judged"`
	PBeyond  *float64 `json:"p_beyond,omitempty"`
	Of       string   `json:"of,omitempty"`
	As       string   `json:"as,omitempty"` // what was done to the value: "net of the zero"
	Why      string   `json:"why,omitempty"`
}

// Judge holds what was measured against a claim: one figure, or one a window where
// the quantity has windows.
func Judge(c Claim, figures ...Figure) Verdict {
	v := Verdict{
		Name: c.Name, What: c.What, Quantity: c.Quantity, Rail: c.Rail, Kind: c.Kind, Limit: c.Limit, Unit: c.Unit, Source: c.Source,
		Window: Window{WindowUs: c.WindowUs, Verdict: Inconclusive, Judged: Inconclusive, Why: "not measured"},
	}
	switch {
	case len(figures) == 0:
	case c.windowed() && c.WindowUs == 0 && figures[0].WindowUs != 0:
		v.overWindows(c, figures)
	case c.windowed() && c.WindowUs != 0:
		v.Why = fmt.Sprintf("there is no peak over %s", span(c.WindowUs))
		for _, f := range figures {
			if f.WindowUs == c.WindowUs {
				v.Window = one(c, f)
			}
		}
	default:
		v.Window = one(c, figures[0])
		v.WindowUs = c.WindowUs
	}
	return v
}

// Claimed says the claim for people: "at most 0.7 A".
func (v Verdict) Claimed() string { return Claim{Kind: v.Kind, Limit: v.Limit, Unit: v.Unit}.Text() }

// one judges one figure.
func one(c Claim, f Figure) Window {
	w := Window{WindowUs: f.WindowUs, Value: f.Value, U95: f.U95, Of: f.Of, As: f.As, Verdict: Inconclusive, Judged: Inconclusive, Why: f.Why}
	switch {
	case f.Why != "":
	case f.Value == nil:
		w.Why = "not measured"
	case f.U95 == nil || !(*f.U95 >= 0):
		w.Why = "the figure's error is not known"
	default:
		w.compare(c, *f.Value, *f.U95)
	}
	return w
}

func (w *Window) compare(c Claim, x, u float64) {
	over := x - c.Limit
	above, below, side := JudgedAbove, JudgedBelow, "above"
	switch c.Kind {
	case KindTypical:
		w.typical(c, over, u)
		return
	case KindMin:
		over, above, side = -over, below, "below"
	case KindMax:
	default:
		w.Why = fmt.Sprintf("no such kind of claim: %q", c.Kind)
		return
	}
	w.PBeyond = analysis.Some(pBeyond(over, u))
	switch by := analysis.FormatValue(math.Abs(over), u, 3) + " " + c.Unit; {
	case over+u <= 0:
		w.Verdict, w.Judged = Pass, JudgedWithin
	case over-u > 0:
		w.Verdict, w.Judged, w.Why = Fail, above, side+" the limit by "+by
	default:
		w.Why = fmt.Sprintf("closer to the limit than its ±; %.0f %% that the true value is %s it", 100**w.PBeyond, side)
	}
}

// typical judges a value that is no limit.
func (w *Window) typical(c Claim, over, u float64) {
	by := func() string {
		return fmt.Sprintf("by %s %s (%+.1f %%), which is no limit", analysis.FormatValue(math.Abs(over), u, 3), c.Unit, 100*over/c.Limit)
	}
	switch {
	case over > u:
		w.Judged, w.Why = JudgedAbove, "above the typical value "+by()
	case over < -u:
		w.Judged, w.Why = JudgedBelow, "below the typical value "+by()
	default:
		w.Verdict, w.Judged, w.Why = Pass, JudgedWithin, "within ± of the typical value"
	}
}

// pBeyond returns the probability that the true value breaks a limit that the
// figure is beyond by over, which is negative inside: a normal distribution of
// standard deviation U95/2.
func pBeyond(over, u95 float64) float64 {
	switch {
	case u95 > 0:
		return 0.5 * math.Erfc(-over/(u95/2)/math.Sqrt2)
	case over > 0:
		return 1
	}
	return 0
}

// rounded returns x to so many significant digits.
func rounded(x float64, digits int) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x
	}
	return y
}
