package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// PowerAndIOPS draws the power of rails and total on the left axis and what the
// engine did (IOPS or MB/s) on the right one, over the time of a run. Both axes
// begin at 0. marks name the steps.
func PowerAndIOPS(power []*analysis.Waveform, rate *analysis.Waveform, marks []Mark, f Footer) (*Picture, error) {
	traces, missing, err := newTraces(power)
	if err != nil {
		return nil, fmt.Errorf("plot power and IOPS: %w", err)
	}
	work, err := newTrace(rate, Columns)
	if err != nil {
		return nil, fmt.Errorf("plot power and IOPS: %w", err)
	}
	from, to := timeRange(append([]*trace{work}, traces...))
	p := newPanel(traces, nil, "Power (W)", true)
	p.time = axis{lo: from, hi: to, label: "Time since the start of the run"}
	p.unit = timeUnitFor(to - from)
	if p.left.lo < 0 && p.left.lo > -0.1*p.left.hi {
		p.left.lo = 0 // rails that are off read a hair below zero: both axes begin at 0
	}
	lo, hi := padRange(0, rateTop(work), true)
	p.right = &axis{lo: lo, hi: hi, label: rate.Unit}
	p.rightTraces = []series{{trace: work, colour: purple()}}
	p.marks = marksIn(marks, from, to)
	s := &sheet{
		title: "Power and " + rate.Unit, subtitle: "power on the left axis, " + rate.Unit + " on the right",
		legend: legendOf(p.leftTraces), footer: f,
		notes: append(missing, notes(traces)...), // an engine has pauses: its open columns need no word
	}
	s.legend = append(s.legend, entry{label: name(rate) + " (right axis)", colour: purple(), band: false})
	return &Picture{name: "power and IOPS plot", height: vg.Length(470), paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{p})
	}}, nil
}

func rateTop(t *trace) float64 {
	_, hi := rangeOf([]*trace{t})
	return hi
}

// marksIn returns the marks that lie on the time axis.
func marksIn(marks []Mark, from, to float64) []Mark {
	var out []Mark
	for _, m := range marks {
		if m.AtS >= from && m.AtS <= to {
			out = append(out, m)
		}
	}
	return out
}
