package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// View is the part of a load that a picture of its seconds shows, so that those of two
// drives can be laid side by side.
type View struct {
	Log   bool    // the rate's axis is logarithmic; else it begins at 0
	FromS float64 // on the waveforms' time axis
	ToS   float64 // 0 = to their end
	Top   float64 // of the rate's axis; 0 = what the seconds need
}

// Seconds draws what an engine did in each second of a load as a dot of its own, and
// below it what the drive drew. A mean over a minute hides what a drive does in its worst
// second. The rate's columns are the seconds.
func Seconds(power []*analysis.Waveform, rate *analysis.Waveform, v View, f Footer) (*Picture, error) {
	if rate != nil {
		rate = v.cut(rate)
	}
	work, err := wholeTrace(rate)
	if err != nil {
		return nil, fmt.Errorf("plot the seconds of a load: %w", err)
	}
	hidden := work.dropBelow(v.Log)
	if !work.any() {
		return nil, fmt.Errorf("plot the seconds of a load: %w: no second did any IO", ErrNoData)
	}
	shown := make([]*analysis.Waveform, 0, len(power))
	for _, w := range power {
		shown = append(shown, v.cut(w))
	}
	traces, missing, err := newTraces(shown)
	if err != nil {
		return nil, fmt.Errorf("plot the seconds of a load: %w", err)
	}
	top := newPanel([]*trace{work}, nil, rate.Unit, !v.Log)
	top.leftTraces[0].dots, top.leftTraces[0].apart, top.leftTraces[0].colour = true, true, purple()
	top.left = v.axis(work, rate.Unit)
	below := newPanel(traces, nil, "Power (W)", true)
	from, to := timeRange(append([]*trace{work}, traces...))
	for _, p := range []*panel{top, below} {
		p.time = axis{lo: from, hi: to, label: "Time since the start of the load"}
		p.unit = timeUnitFor(to - from)
	}
	s := &sheet{
		title: rate.Unit + " of each second", subtitle: "a dot a second, " + v.words() + "; the power of the same time below", footer: f,
		legend: append([]entry{{label: name(rate), colour: purple(), dot: true}}, legendOf(below.leftTraces)...),
		notes:  append(missing, openNotes(traces)...),
	}
	if hidden > 0 {
		s.notes = append(s.notes, fmt.Sprintf("left out: %d of %d seconds without IO, which a logarithmic axis cannot show", hidden, work.total))
	}
	if above := work.above(top.left.hi); above > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d of %d seconds lie above the axis", above, work.total))
	}
	return &Picture{name: "plot of a load's seconds", height: vg.Length(520), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{top, below})
	}}, nil
}

// cut returns the columns of w that begin in the view.
func (v View) cut(w *analysis.Waveform) *analysis.Waveform {
	if w.StepS <= 0 {
		return w
	}
	column := func(s float64) int {
		return min(max(int(math.Ceil((s-w.StartS)/w.StepS-1e-9)), 0), len(w.Mean))
	}
	from, to := column(v.FromS), len(w.Mean)
	if v.ToS > 0 {
		to = max(from, column(v.ToS))
	}
	out := *w
	out.StartS += float64(from) * w.StepS
	out.Min, out.Mean, out.Max = slices.Clone(w.Min[from:to]), slices.Clone(w.Mean[from:to]), slices.Clone(w.Max[from:to])
	return &out
}

// axis returns the rate's axis.
func (v View) axis(work *trace, label string) axis {
	lo, hi := rangeOf([]*trace{work})
	if v.Top > 0 {
		hi = v.Top
	}
	if !v.Log {
		if v.Top <= 0 {
			_, hi = padRange(0, hi, true)
		}
		return axis{lo: 0, hi: hi, label: label}
	}
	lo = min(lo, hi/10) // a decade at least
	return axis{lo: math.Pow(10, math.Floor(math.Log10(lo))), hi: hi * 1.2, label: label + ", logarithmic", log: true}
}

func (v View) words() string {
	if v.Log {
		return "logarithmic"
	}
	return "from 0"
}

// dropBelow leaves out columns without IO, where an axis cannot show them, and says how
// many.
func (t *trace) dropBelow(log bool) (dropped int) {
	for i, x := range t.mean {
		if log && x <= 0 {
			t.min[i], t.mean[i], t.max[i] = math.NaN(), math.NaN(), math.NaN()
			dropped++
		}
	}
	return dropped
}

// any reports whether a column has a value.
func (t *trace) any() bool {
	return slices.ContainsFunc(t.mean, func(x float64) bool { return !math.IsNaN(x) })
}

// above leaves out the columns beyond an axis' end, and says how many.
func (t *trace) above(top float64) (n int) {
	for i, x := range t.mean {
		if x > top {
			t.min[i], t.mean[i], t.max[i] = math.NaN(), math.NaN(), math.NaN()
			n++
		}
	}
	return n
}
