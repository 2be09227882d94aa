package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// entry is a line of the legend.
type entry struct {
	label  string
	colour color.NRGBA
	band   bool // the trace has a min/max band
	dot    bool // it is dots
}

// sheet is what surrounds the panels of a picture.
type sheet struct {
	title, subtitle string
	legend          []entry
	notes           []string
	footer          Footer
}

const (
	margin     = vg.Length(14)
	legendStep = vg.Length(16) // between two entries
	swatch     = vg.Length(18)
)

// draw paints the sheet and returns the area that is left for the panels.
func (s *sheet) draw(c draw.Canvas, ty *typeset) draw.Canvas {
	c.SetColor(white())
	c.Fill(c.Path())
	area := draw.Crop(c, margin, -margin, margin, -margin)
	area.Max.Y = s.drawHead(area, ty)
	area.Min.Y = s.drawFoot(area, ty)
	return area
}

// drawHead writes title, subtitle, badge and legend, and returns where they end.
func (s *sheet) drawHead(c draw.Canvas, ty *typeset) vg.Length {
	y, right := c.Max.Y, c.Max.X
	if badge := analysis.Mark(s.footer.Simulated, s.footer.Scale); badge != "" {
		k := ink{size: 10, bold: true, colour: white(), x: draw.XCenter, y: draw.YCenter}
		w := ty.width(k, badge) + 14
		right -= w
		box := vg.Rectangle{Min: vg.Point{X: right, Y: y - 18}, Max: vg.Point{X: c.Max.X, Y: y}}
		c.SetColor(crimson())
		c.Fill(box.Path())
		ty.write(c, k, (box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2, badge)
		right -= 10
	}
	title := ink{size: 15, bold: true, colour: black(), y: draw.YTop}
	ty.write(c, title, c.Min.X, y, ty.fit(title, s.title, right-c.Min.X))
	y -= 20
	if s.subtitle != "" {
		k := ink{size: 10, colour: grey(), y: draw.YTop}
		ty.write(c, k, c.Min.X, y, ty.fit(k, s.subtitle, right-c.Min.X))
		y -= 15
	}
	if len(s.legend) > 0 {
		y = s.drawLegend(c, ty, y-4)
	}
	return y - 6
}

// drawLegend writes the entries side by side, in as many lines as they need.
func (s *sheet) drawLegend(c draw.Canvas, ty *typeset, y vg.Length) vg.Length {
	k := ink{size: 10, colour: black(), y: draw.YCenter}
	x := c.Min.X
	y -= 6
	for _, e := range s.legend {
		need := swatch + 5 + ty.width(k, e.label)
		if x > c.Min.X && x+need > c.Max.X {
			x, y = c.Min.X, y-14
		}
		if e.band {
			band := vg.Rectangle{Min: vg.Point{X: x, Y: y - 4}, Max: vg.Point{X: x + swatch, Y: y + 4}}
			c.SetColor(faint(e.colour))
			c.Fill(band.Path())
		}
		if e.dot {
			drawDot(c, e.colour, x+swatch/2, y)
		} else {
			c.StrokeLine2(draw.LineStyle{Color: e.colour, Width: 2}, x, y, x+swatch, y)
		}
		ty.write(c, k, x+swatch+5, y, ty.fit(k, e.label, c.Max.X-x-swatch-5))
		x += need + legendStep
	}
	return y - 7
}

// footStep is from one line of the foot to the next.
const footStep = vg.Length(11)

// notesIn returns the notes in lines as wide as a page's area.
func (s *sheet) notesIn(ty *typeset) []string {
	k := noteInk()
	return wrap(s.notes, float64(pageWidth-2*margin), func(l string) float64 { return float64(ty.width(k, l)) })
}

func noteInk() ink { return ink{size: 8.5, colour: black(), y: draw.YBottom} }

// grows returns how much higher than usual a picture must be, so that its notes take
// nothing from what they are about: pictures have room for one line of them.
func (s *sheet) grows(ty *typeset) vg.Length {
	return footStep * vg.Length(max(0, len(s.notesIn(ty))-1))
}

// drawFoot writes notes and footer, and returns where they begin.
func (s *sheet) drawFoot(c draw.Canvas, ty *typeset) vg.Length {
	small := ink{size: 8.5, colour: grey(), y: draw.YBottom}
	limit := c.Max.X - c.Min.X
	lines := wrap(s.footer.items(), float64(limit), func(l string) float64 { return float64(ty.width(small, l)) })
	y := c.Min.Y
	for _, line := range slices.Backward(lines) {
		ty.write(c, small, c.Min.X, y, ty.fit(small, line, limit))
		y += footStep
	}
	if len(lines) > 0 {
		y += 3
		c.StrokeLine2(draw.LineStyle{Color: paleGrey(), Width: 0.75}, c.Min.X, y, c.Max.X, y)
		y += 4
	}
	for _, line := range slices.Backward(s.notesIn(ty)) {
		ty.write(c, noteInk(), c.Min.X, y, ty.fit(noteInk(), line, limit))
		y += footStep
	}
	return y + 4
}
