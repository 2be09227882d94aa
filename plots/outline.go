package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// outline is a line through points of a panel, whose x need not be evenly spaced.
type outline struct {
	xs, ys []float64 // as many of both, on the axes
	colour color.NRGBA
	right  bool // it is of the right axis
	dots   bool // a dot a point
	filled bool // down to the lower edge, without a line
}

func (c *outline) draw(frame draw.Canvas, p *panel) {
	y := p.left
	if c.right {
		y = *p.right
	}
	points := make([]vg.Point, len(c.xs))
	for i, x := range c.xs {
		points[i] = vg.Point{X: p.time.at(x, frame.Min.X, frame.Max.X), Y: max(frame.Min.Y, y.at(c.ys[i], frame.Min.Y, frame.Max.Y))}
	}
	if len(points) == 0 {
		return
	}
	if c.filled {
		points = append(points, vg.Point{X: points[len(points)-1].X, Y: frame.Min.Y}, vg.Point{X: points[0].X, Y: frame.Min.Y})
		frame.FillPolygon(c.colour, points)
		return
	}
	if len(points) > 1 {
		frame.StrokeLines(draw.LineStyle{Color: c.colour, Width: 1.4}, points)
	}
	if c.dots {
		for _, at := range points {
			drawDot(frame, c.colour, at.X, at.Y)
		}
	}
}
