package compare

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/quarch"
)

// Verdicts on a figure against that of the first run.
const (
	Higher       = "higher"
	Lower        = "lower"
	NoDifference = "no difference"
	NotJudged    = "not judged"
)

// notInRun is why a run has no value of a thing that others have.
const notInRun = "not in this run"

// Value is a figure of one run, in the unit of its Figure.
type Value struct {
	Value *float64 `json:"value,omitempty"`
	U95   *float64 `json:"u95,omitempty"`
	Why   string   `json:"why,omitempty"` // why there is no value

	own    *float64 // its ± without the module's part; nil = not known
	module effects
}

// effect is what a relative error of a reading, and an absolute one, do to a figure.
type effect struct{ gain, offset float64 }

// effects are those of the two readings of each rail, whose errors are independent.
type effects map[quarch.Rail]struct{ amps, volts effect }

// over returns the effects on a figure divided by x.
func (e effects) over(x float64) effects {
	out := effects{}
	for rail, f := range e {
		f.amps.gain, f.amps.offset = f.amps.gain/x, f.amps.offset/x
		f.volts.gain, f.volts.offset = f.volts.gain/x, f.volts.offset/x
		out[rail] = f
	}
	return out
}

// reading is what a rail carried.
type reading struct{ volts, amps float64 }

// onWatts returns what the readings' errors do to the sum of the rails' watts.
func onWatts(rails map[quarch.Rail]reading) effects {
	out := effects{}
	for rail, r := range rails {
		f := out[rail]
		f.amps = effect{r.volts * r.amps, r.volts}
		f.volts = effect{r.volts * r.amps, r.amps}
		out[rail] = f
	}
	return out
}

// u95 returns the half-width of the 95 % interval that a module's errors leave in the
// difference of two figures; of one, where b is nil.
func u95(spec accuracy.Spec, a, b effects) float64 {
	rails := maps.Clone(a)
	for rail := range b {
		if _, both := rails[rail]; !both {
			rails[rail] = effects{}[rail]
		}
	}
	var squares float64
	for rail, x := range quarch.ByRail(rails) {
		y := b[rail]
		amps := spec.U95Of(math.Abs(x.amps.gain-y.amps.gain), spec.OffsetAmps*math.Abs(x.amps.offset-y.amps.offset))
		volts := spec.U95Of(math.Abs(x.volts.gain-y.volts.gain), spec.OffsetVolts*math.Abs(x.volts.offset-y.volts.offset))
		squares += amps*amps + volts*volts
	}
	return math.Sqrt(squares)
}

// Ratio is a figure over that of the first run.
type Ratio struct {
	Run      string   `json:"run"`  // whose figure it is
	Over     string   `json:"over"` // the first run
	Ratio    *float64 `json:"ratio,omitempty"`
	U95      *float64 `json:"u95,omitempty"` // of Ratio
	Delta    *float64 `json:"delta,omitempty"`
	DeltaU95 *float64 `json:"delta_u95,omitempty"`
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why,omitempty"` // why it is not judged
}

// Figure is one quantity of all runs.
type Figure struct {
	Name    string  `json:"figure"` // "iops_per_mw"
	Head    string  `json:"-"`
	Unit    string  `json:"unit"`
	Values  []Value `json:"values"`  // in the order of the runs
	Against []Ratio `json:"against"` // of all but the first
}

// judge holds the values against that of the first run. refuse says of a run why its
// figure cannot be held against the first; empty = it can.
func (f *Figure) judge(o Options, runs []*Run, refuse func(*Run) string) {
	a := &f.Values[0]
	for i, r := range runs[1:] {
		b := &f.Values[i+1]
		x := Ratio{Run: r.Label, Over: runs[0].Label, Verdict: NotJudged}
		switch why := refuse(r); {
		case a.Value == nil:
			x.Why = runs[0].Label + ": " + a.why()
		case b.Value == nil:
			x.Why = r.Label + ": " + b.why()
		case why != "":
			x.Why = why
		default:
			x.divide(o, runs[0], a, b)
		}
		f.Against = append(f.Against, x)
	}
}

func (v *Value) why() string {
	if v.Why == "" {
		return "not measured"
	}
	return v.Why
}

// divide gives ratio and difference of b against a, and what they say.
func (x *Ratio) divide(o Options, first *Run, a, b *Value) {
	delta := *b.Value - *a.Value
	x.Delta = &delta
	if *a.Value != 0 {
		x.Ratio = analysis.Some(*b.Value / *a.Value)
	}
	switch {
	case a.U95 == nil:
		x.Why = first.Label + " has no ±"
		return
	case b.U95 == nil:
		x.Why = x.Run + " has no ±"
		return
	}
	ua, ub, common, commonRel := *a.U95, *b.U95, 0.0, 0.0
	if o.OneModule && a.own != nil && b.own != nil {
		ua, ub = *a.own, *b.own
		common = u95(first.Module, a.module, b.module)
		commonRel = u95(first.Module, a.module.over(*a.Value), b.module.over(*b.Value))
	}
	u := math.Hypot(math.Hypot(ua, ub), common)
	x.DeltaU95 = analysis.Some(u)
	if x.Ratio != nil && *x.Ratio != 0 {
		x.U95 = analysis.Some(math.Abs(*x.Ratio) * math.Hypot(math.Hypot(ua / *a.Value, ub / *b.Value), commonRel))
	}
	switch {
	case math.Abs(delta) <= u:
		x.Verdict = NoDifference
	case delta > 0:
		x.Verdict = Higher
	case delta < 0:
		x.Verdict = Lower
	default: // a figure that is no number
		x.Why = "a figure is not finite"
	}
}

// cell returns the value as a table holds it.
func (v *Value) cell() analysis.Cell {
	if v.Why == notInRun { // the table of what is missing says so
		return analysis.Cell{}
	}
	return analysis.OptU(v.Value, v.U95, v.Why)
}

// cells returns ratio and verdict as a table holds them: a reason stands once.
func (x *Ratio) cells() []analysis.Cell {
	switch {
	case strings.HasSuffix(x.Why, notInRun):
		return []analysis.Cell{{}, {}}
	case x.Ratio == nil:
		return []analysis.Cell{analysis.No(x.Why), analysis.Word(x.Verdict)}
	}
	return []analysis.Cell{analysis.OptU(x.Ratio, x.U95, ""), analysis.Word(x.text())}
}

// text returns the verdict, with the reason if there is none.
func (x *Ratio) text() string {
	if x.Verdict == NotJudged {
		return fmt.Sprintf("%s: %s", NotJudged, x.Why)
	}
	return x.Verdict
}
