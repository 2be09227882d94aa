package plots

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// IdleTrace draws the power of every rail and of the total over the time of an
// idle step, with a box of statistics below. Of stats it shows the key and text columns (the
// rail, of several levels which) and those of mean_w, min_w, max_w, std_w and p99_w that it has; nil leaves the
// box out.
func IdleTrace(power []*analysis.Waveform, stats *analysis.Table, limits []analysis.Limit, f Footer) (*Picture, error) {
	traces, missing, err := newTraces(power)
	if err != nil {
		return nil, fmt.Errorf("plot idle: %w", err)
	}
	from, to := timeRange(traces)
	p := newPanel(traces, limitsOf(limits, "W"), "Power (W)", false)
	p.time = axis{lo: from, hi: to, label: "Time since the start of the window"}
	p.unit = timeUnitFor(to - from)
	s := &sheet{
		title: "Idle power", subtitle: "mean (line) and extremes (band) of " + shown(power),
		legend: legendOf(p.leftTraces), notes: append(missing, notes(traces)...), footer: f,
	}
	box := newStatsBox(stats)
	return &Picture{name: "idle plot", height: vg.Length(432), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		area := s.draw(c, ty)
		area.Min.Y += box.draw(area, ty)
		drawPanels(area, ty, []*panel{p})
	}}, nil
}

// shown says what the lines are of.
func shown(power []*analysis.Waveform) string {
	switch total := slices.ContainsFunc(power, func(w *analysis.Waveform) bool { return w.Name == "total_w" }); {
	case total && len(power) > 1:
		return "each rail and of their sum"
	case len(power) > 1:
		return "each rail"
	}
	return "power"
}

// statsBox is a small table of text.
type statsBox struct {
	head []string
	rows [][]string
}

// newStatsBox reads the figures that the box shows.
func newStatsBox(t *analysis.Table) statsBox {
	var b statsBox
	if t == nil {
		return b
	}
	var columns []int
	for i, c := range t.Columns {
		if c.Kind == analysis.Key || c.Kind == analysis.Text {
			columns = append(columns, i)
		}
	}
	for _, name := range []string{"mean_w", "min_w", "max_w", "std_w", "p99_w"} {
		if i := t.Col(name); i >= 0 {
			columns = append(columns, i)
		}
	}
	for _, i := range columns {
		b.head = append(b.head, t.Columns[i].Heading())
	}
	for _, r := range t.Rows {
		row := make([]string, 0, len(columns))
		for _, i := range columns {
			row = append(row, t.Columns[i].Format(r.Cells[i]))
		}
		b.rows = append(b.rows, row)
	}
	return b
}

// draw writes the box at the foot of c and returns its height.
func (b statsBox) draw(c draw.Canvas, ty *typeset) vg.Length {
	if len(b.rows) == 0 {
		return 0
	}
	const line = vg.Length(14)
	height := line*vg.Length(len(b.rows)+1) + 6
	top := c.Min.Y + height
	c.SetColor(stepShade())
	c.Fill(vg.Rectangle{Min: c.Min, Max: vg.Point{X: c.Max.X, Y: top}}.Path())
	width := (c.Max.X - c.Min.X - 16) / vg.Length(len(b.head))
	write := func(row int, cells []string, k ink) {
		y := top - 3 - line*(vg.Length(row)+0.5)
		for i, s := range cells {
			x := c.Min.X + 8
			k.x = draw.XLeft
			if i > 0 {
				x += width * vg.Length(i+1)
				k.x = draw.XRight
			}
			ty.write(c, k, x, y, ty.fit(k, s, width-6))
		}
	}
	write(0, b.head, ink{size: 9, bold: true, colour: grey(), y: draw.YCenter})
	for i, row := range b.rows {
		write(i+1, row, ink{size: 9.5, colour: black(), y: draw.YCenter})
	}
	return height + 8
}
