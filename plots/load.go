package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// PowerAndIOPS draws the power of rails and total on the left axis and what the
// engine did (IOPS or MB/s) on the right one, over the time of a run. Both axes
// begin at 0. A nil rate, where it is not known what was done, leaves the right one
// out. marks name the steps.
func PowerAndIOPS(power []*analysis.Waveform, rate *analysis.Waveform, marks []Mark, f Footer) (*Picture, error) {
	traces, missing, err := newTraces(power)
	if err != nil {
		return nil, fmt.Errorf("plot power and IOPS: %w", err)
	}
	all := traces
	var work *trace
	if rate != nil {
		if work, err = newTrace(rate); err != nil {
			return nil, fmt.Errorf("plot power and IOPS: %w", err)
		}
		all = append([]*trace{work}, traces...)
	}
	from, to := timeRange(all)
	p := newPanel(traces, nil, "Power (W)", work != nil)
	p.time = axis{lo: from, hi: to, label: "Time since the start of the run"}
	p.unit = timeUnitFor(to - from)
	if p.left.lo < 0 && p.left.lo > -0.1*p.left.hi {
		p.left.lo = 0 // rails that are off read a hair below zero: both axes begin at 0
	}
	p.marks = marksIn(marks, from, to)
	s := &sheet{
		title: "Power", legend: legendOf(p.leftTraces), footer: f,
		notes: append(missing, openNotes(traces)...), // an engine has pauses: its open columns need no word
	}
	if work != nil {
		s.rate(p, work, rate)
	}
	return &Picture{name: "power and IOPS plot", height: vg.Length(470), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{p})
	}}, nil
}

// openNotes says of the traces of a whole run what notes does, but that time without
// samples, which is there between any two steps, is told once for all of them.
func openNotes(traces []*trace) []string {
	most, total := 0, 0
	var flat []*trace
	for _, t := range traces {
		most, total = max(most, t.leftOut), max(total, t.total)
		whole := *t
		whole.leftOut = 0
		flat = append(flat, &whole)
	}
	out := notes(flat)
	if most > 0 {
		out = append(out, fmt.Sprintf("left open: %d of %d %s without samples, as before the first and between two steps", most, total, plural(total, "point")))
	}
	return out
}

// rate puts what was done on a panel's right axis.
func (s *sheet) rate(p *panel, work *trace, rate *analysis.Waveform) {
	lo, hi := padRange(0, rateTop(work), true)
	p.right = &axis{lo: lo, hi: hi, label: rate.Unit}
	p.rightTraces = []series{{trace: work, colour: purple()}}
	s.title, s.subtitle = "Power and "+rate.Unit, "power on the left axis, "+rate.Unit+" on the right"
	s.legend = append(s.legend, entry{label: name(rate) + " (right axis)", colour: purple(), band: false})
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
