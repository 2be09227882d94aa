package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// CloseUpSeconds is how much of a start-up the close-up shows.
const CloseUpSeconds = 0.150

// PowerUp draws a start-up: voltage, current and power of every rail against
// milliseconds, one panel a unit. Waveforms go to the panel of their Unit (V, A,
// W), their colour follows the rail that their Name begins with, and a limit is
// drawn in the panel of its unit. Time 0 is the first stripe at 1 % of nominal.
func PowerUp(waves []*analysis.Waveform, limits []analysis.Limit, f Footer) (*Picture, error) {
	return startUp("Power-up", waves, limits, f)
}

// PowerUpCloseUp draws the first 150 ms of a start-up.
func PowerUpCloseUp(waves []*analysis.Waveform, limits []analysis.Limit, f Footer) (*Picture, error) {
	near := make([]*analysis.Waveform, len(waves))
	for i, w := range waves {
		near[i] = crop(w, 0, CloseUpSeconds)
	}
	return startUp("Power-up: the first 150 ms", near, limits, f)
}

func startUp(title string, waves []*analysis.Waveform, limits []analysis.Limit, f Footer) (*Picture, error) {
	traces, missing, err := newTraces(waves)
	if err != nil {
		return nil, fmt.Errorf("plot power-up: %w", err)
	}
	from, to := timeRange(traces)
	s := &sheet{title: title, subtitle: "mean (line) and extremes (band) of each rail", notes: missing, footer: f}
	var panels []*panel
	for _, quantity := range []struct{ unit, label string }{
		{"V", "Voltage (V)"}, {"A", "Current (A)"}, {"W", "Power (W)"},
	} {
		mine := ofUnit(traces, quantity.unit)
		if len(mine) == 0 {
			return nil, fmt.Errorf("plot power-up: %w: there is no trace in %s", ErrNoData, quantity.unit)
		}
		p := newPanel(mine, limitsOf(limits, quantity.unit), quantity.label, true)
		p.time = axis{lo: from, hi: to, label: "Time since the first rail reached 1 % of nominal"}
		p.unit = timeUnit{name: "ms", seconds: 1e-3}
		panels = append(panels, p)
		s.notes = append(s.notes, notes(mine)...)
		if l := legendOf(p.leftTraces); len(l) > len(s.legend) { // the total is in watts only
			s.legend = l
		}
	}
	return &Picture{name: "power-up plot", height: vg.Length(540), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, panels)
	}}, nil
}
