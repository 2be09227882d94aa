package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// roundUnit is the time axis of rounds.
func roundUnit() timeUnit {
	return timeUnit{seconds: 1, steps: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}}
}

// Convergence draws what cells did in each round, a line each, on a logarithmic axis: block
// sizes lie decades apart. Round n is the column that stands at n, as in Rounds; its whisker
// is the ±. The windows are shaded.
func Convergence(cells []*analysis.Waveform, windows []Window, subtitle string, f Footer) (*Picture, error) {
	positive := make([]*analysis.Waveform, len(cells))
	for i, w := range cells {
		positive[i] = abovezero(w)
	}
	traces, missing, err := newTraces(positive)
	if err != nil {
		return nil, fmt.Errorf("plot convergence: %w", err)
	}
	from, to := timeRange(traces)
	lo, hi := rangeOf(traces)
	const room = 1.3 // of a logarithmic axis, above and below
	p := &panel{
		left: axis{lo: lo / room, hi: hi * room, label: axisName(traces[0].unit), log: true},
		time: axis{lo: from, hi: to, label: "Round"}, unit: roundUnit(), marks: shaded(windows),
	}
	s := &sheet{title: quantity(traces[0].unit) + " over the rounds", subtitle: subtitle, footer: f, notes: append(missing, leftOut(traces)...)}
	for i, t := range traces {
		line := series{trace: t, colour: lineColour(i), dots: true}
		p.leftTraces = append(p.leftTraces, line)
		s.legend = append(s.legend, entry{label: t.label, colour: line.colour})
	}
	return &Picture{name: "plot of the convergence", height: vg.Length(430), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{p})
	}}, nil
}

// quantity names what rounds are judged by, from its unit: IOPS, or a latency.
func quantity(unit string) string {
	if unit == "µs" {
		return "Latency"
	}
	return unit
}

// axisName is quantity with the unit where it does not name itself.
func axisName(unit string) string {
	if q := quantity(unit); q != unit {
		return q + " (" + unit + ")"
	}
	return unit
}

// leftOut is what notes says of columns that are not there.
func leftOut(traces []*trace) []string {
	var out []string
	for _, t := range traces {
		if t.leftOut > 0 {
			out = append(out, fmt.Sprintf("%s: %d of %d %s left out (no figure above zero)", t.label, t.leftOut, t.total, plural(t.total, "round")))
		}
	}
	return out
}

// abovezero leaves out what has no place on a logarithmic axis; a ± that goes down to zero
// ends at the tenth of its figure.
func abovezero(w *analysis.Waveform) *analysis.Waveform {
	if w == nil || len(w.Min) != len(w.Mean) {
		return w // newTrace says what is wrong
	}
	out := *w
	out.Min, out.Mean = make([]float64, len(w.Mean)), make([]float64, len(w.Mean))
	for i, v := range w.Mean {
		if !(v > 0) {
			v = math.NaN()
		}
		out.Mean[i], out.Min[i] = v, max(w.Min[i], v/10)
	}
	return &out
}

// Judged is a variable over the window that a rule was held against.
type Judged struct {
	Label    string             // of the cell and what came of it
	Rate     *analysis.Waveform // its rounds
	Power    *analysis.Waveform // the same of all rails, on the right axis; nil = not known
	Mean     float64            // of the rounds' rates
	From, To float64            // the fitted line at the first and the last round
}

// SteadyWindow draws the rounds of a window, a panel for each variable: dots with their ±,
// their mean, 90 and 110 % of it, and the fitted line. The power's axis shows the same share
// of its mean as the rate's, so that equal slopes mean equal changes.
func SteadyWindow(variables []Judged, f Footer) (*Picture, error) {
	s := &sheet{
		title: "Steady-state window", footer: f,
		subtitle: "rounds with ±, their mean, 90 and 110 % of it, fitted line; both axes in the same share of the mean",
	}
	var panels []*panel
	for _, v := range variables {
		p, err := v.panel()
		if err != nil {
			return nil, fmt.Errorf("plot steady window: %w", err)
		}
		if len(panels) == 0 || len(p.rightTraces) > 0 && len(s.legend) < 3 {
			s.legend = []entry{{label: quantity(v.Rate.Unit), colour: blue()}, {label: "fitted line", colour: green()}}
			if len(p.rightTraces) > 0 {
				s.legend = append(s.legend, entry{label: name(v.Power) + " (right axis)", colour: black()})
			}
		}
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return nil, fmt.Errorf("plot steady window: %w: no variable has a window", ErrNoData)
	}
	return &Picture{name: "plot of the steady window", height: 150 + 190*vg.Length(len(panels)), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, panels)
	}}, nil
}

func (v *Judged) panel() (*panel, error) {
	work, err := newTrace(v.Rate)
	if err != nil {
		return nil, err
	}
	if !(v.Mean > 0) || !finite(v.Mean) {
		return nil, fmt.Errorf("%w: the mean of %s is %g", ErrNoData, v.Label, v.Mean)
	}
	limits := []analysis.Limit{
		{Label: "110 %", Unit: work.unit, Value: 1.1 * v.Mean}, {Label: "mean", Unit: work.unit, Value: v.Mean}, {Label: "90 %", Unit: work.unit, Value: 0.9 * v.Mean},
	}
	p := newPanel([]*trace{work}, limits, axisName(work.unit), false)
	p.leftTraces[0].colour, p.leftTraces[0].dots = blue(), true
	from, to := timeRange([]*trace{work})
	p.time, p.unit = axis{lo: from, hi: to, label: "Round"}, roundUnit()
	p.fits = []segment{{x0: from + 0.5, y0: v.From, x1: to - 0.5, y1: v.To, colour: green()}}
	p.marks = []Mark{{AtS: from, Label: v.Label}}
	if v.Power == nil {
		return p, nil
	}
	watts, err := newTrace(v.Power)
	if err != nil { // no round has any: the rates stand alone
		return p, nil //nolint:nilerr // a power that is not known takes nothing from the rates
	}
	mean := meanOf(watts)
	lo, hi := rangeOf([]*trace{watts})
	low, high := min(p.left.lo/v.Mean, lo/mean-0.02), max(p.left.hi/v.Mean, hi/mean+0.02)
	p.left.lo, p.left.hi = low*v.Mean, high*v.Mean
	p.right = &axis{lo: low * mean, hi: high * mean, label: "Power (W)"}
	p.rightTraces = []series{{trace: watts, colour: black(), dots: true}}
	return p, nil
}

// meanOf returns the mean of a trace's columns.
func meanOf(t *trace) float64 {
	sum, n := 0.0, 0
	for _, v := range t.mean {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// segment is a straight line on a panel's left axis.
type segment struct {
	x0, y0, x1, y1 float64
	colour         color.NRGBA
}

func (s segment) draw(frame draw.Canvas, x, y axis) {
	at := func(t, v float64) vg.Point {
		return vg.Point{X: x.at(t, frame.Min.X, frame.Max.X), Y: y.at(v, frame.Min.Y, frame.Max.Y)}
	}
	frame.StrokeLines(draw.LineStyle{Color: s.colour, Width: 1.6}, []vg.Point{at(s.x0, s.y0), at(s.x1, s.y1)})
}
