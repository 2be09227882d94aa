package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// Window is a stretch of rounds that is compared with another.
type Window struct {
	First, Last int // rounds, both in it
	Label       string
}

// Rounds draws what each round of a load did on the right axis and what it drew on the
// left one. Round n is the column that stands at n: a waveform of rounds begins at 0.5
// with columns of 1, its band is the ±. The windows are shaded.
func Rounds(power []*analysis.Waveform, rate *analysis.Waveform, windows []Window, f Footer) (*Picture, error) {
	work, err := newTrace(rate)
	if err != nil {
		return nil, fmt.Errorf("plot rounds: %w", err)
	}
	traces, missing, err := newTraces(power)
	if err != nil {
		return nil, fmt.Errorf("plot rounds: %w", err)
	}
	from, to := timeRange(append([]*trace{work}, traces...))
	p := newPanel(traces, nil, "Power (W)", true)
	p.time = axis{lo: from, hi: to, label: "Round"}
	p.unit = roundUnit()
	p.marks = shaded(windows)
	s := &sheet{legend: legendOf(p.leftTraces), footer: f, notes: append(missing, notes(traces)...)}
	s.rate(p, work, rate)
	s.legend[len(s.legend)-1].band = p.rightTraces[0].hasBand()
	s.title = "Power and " + rate.Unit + " over the rounds"
	s.subtitle = "power on the left axis, " + rate.Unit + " on the right; the band is the ± of each round, the shaded rounds are compared"
	return &Picture{name: "plot of rounds", height: vg.Length(430), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{p})
	}}, nil
}

// shaded returns the marks between which every other stretch is shaded: the windows.
func shaded(windows []Window) []Mark {
	var out []Mark
	for i, w := range windows {
		out = append(out, Mark{AtS: float64(w.First) - 0.5, Label: w.Label})
		if i+1 < len(windows) {
			out = append(out, Mark{AtS: float64(w.Last) + 0.5})
		}
	}
	return out
}
