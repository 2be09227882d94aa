package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is a figure over what was varied, a dot for each value that was tried, with its ±
// where that is known. Y is NaN where the figure is not known. The name gives the colour:
// that of a rail, as everywhere, or one of "iops", "latency_mean", "latency_max".
type Curve struct {
	Name, Label, Unit string
	X, Y              []float64 // as many of both, in any order
	U95               []float64 // nil = no ±; NaN = not known there
	Right             bool      // on the right axis
}

// Plane is a panel of curves: those of one unit on each axis.
type Plane struct {
	Curves   []Curve
	Log      bool // logarithmic left axis: figures of 0 and below are left out
	Diagonal bool // the line on which the left axis has the value of the lower one
}

// CurveLabels are what stands around curves.
type CurveLabels struct {
	Title, Subtitle string
	Varied          string // what the lower axis is, with its unit: "Demand (IOPS)"
}

// Curves draws planes one below the other, over the same lower axis. Marks stand on it: the
// stretches between them are named and shaded.
func Curves(planes []Plane, marks []Mark, labels CurveLabels, f Footer) (*Picture, error) {
	s := &sheet{title: labels.Title, subtitle: labels.Subtitle, footer: f}
	from, to := math.Inf(1), math.Inf(-1)
	var all [][]*curve
	for _, plane := range planes {
		var curves []*curve
		for _, c := range plane.Curves {
			fit, err := newCurve(c, plane.Log && !c.Right)
			if err != nil {
				return nil, fmt.Errorf("plot %s: %w", labels.Title, err)
			}
			if len(fit.points) == 0 {
				s.notes = append(s.notes, fit.label+": not known at any value")
				continue
			}
			if fit.leftOut > 0 {
				s.notes = append(s.notes, fmt.Sprintf("%s: not known at %d of %d values", fit.label, fit.leftOut, len(c.X)))
			}
			from, to = min(from, fit.points[0].x), max(to, fit.points[len(fit.points)-1].x)
			s.legend = append(s.legend, fit.entry())
			curves = append(curves, fit)
		}
		all = append(all, curves)
	}
	if !(to >= from) {
		return nil, fmt.Errorf("plot %s: %w: no figure is known", labels.Title, ErrNoData)
	}
	from, to = padRange(from, to, false)
	var panels []*panel
	for i, plane := range planes {
		if len(all[i]) == 0 {
			continue
		}
		p := curvePanel(plane, all[i], from, to)
		p.time.label = labels.Varied
		if len(panels) == 0 {
			p.marks = marksIn(marks, from, to)
			if len(marks) > 0 && len(p.marks) < len(marks) && marks[0].AtS < from {
				p.marks = append([]Mark{{AtS: from, Label: marks[0].Label}}, p.marks...)
			}
		}
		panels = append(panels, p)
	}
	return &Picture{name: "plot of " + labels.Title, height: 110 + 190*vg.Length(max(2, len(panels))), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, panels)
	}}, nil
}

func curvePanel(plane Plane, curves []*curve, from, to float64) *panel {
	p := &panel{time: axis{lo: from, hi: to}, unit: variedUnit(), curves: curves}
	for _, right := range []bool{false, true} {
		lo, hi, label := math.Inf(1), math.Inf(-1), ""
		for _, c := range curves {
			if c.Right == right {
				a, b := c.reach()
				lo, hi, label = min(lo, a), max(hi, b), c.axisLabel()
			}
		}
		if label == "" {
			if !right {
				p.left = axis{lo: 0, hi: 1}
			}
			continue
		}
		ends := axis{label: label, log: plane.Log && !right}
		const room = 1.3 // of a logarithmic axis, above and below
		if ends.log {
			ends.lo, ends.hi = lo/room, hi*room
		} else {
			ends.lo, ends.hi = padRange(lo, hi, true)
		}
		if right {
			p.right = &ends
		} else {
			p.left = ends
		}
	}
	if plane.Diagonal && !plane.Log {
		a, b := max(from, p.left.lo), min(to, p.left.hi)
		if a < b {
			p.fits = []segment{{x0: a, y0: a, x1: b, y1: b, colour: grey()}}
		}
	}
	return p
}

// variedUnit is a lower axis of anything.
func variedUnit() timeUnit { return timeUnit{seconds: 1} }

// curve is one that is fit for drawing: its points in order, all finite.
type curve struct {
	Curve
	label   string
	points  []curvePoint
	leftOut int
}

type curvePoint struct{ x, lo, y, hi float64 }

// newCurve checks a curve and leaves out what has no place on its axis.
func newCurve(c Curve, positive bool) (*curve, error) {
	if len(c.X) != len(c.Y) || c.U95 != nil && len(c.U95) != len(c.Y) {
		return nil, fmt.Errorf("draw %s: it has %d values and %d figures with %d ±", c.Name, len(c.X), len(c.Y), len(c.U95))
	}
	out := &curve{Curve: c, label: cmp.Or(c.Label, c.Name)}
	for i, x := range c.X {
		y := c.Y[i]
		if !finite(x) || !finite(y) || positive && y <= 0 {
			out.leftOut++
			continue
		}
		u := 0.0
		if c.U95 != nil && finite(c.U95[i]) {
			u = c.U95[i]
		}
		p := curvePoint{x: x, lo: y - u, y: y, hi: y + u}
		if positive {
			p.lo = max(p.lo, y/10) // a ± that goes down to zero ends at the tenth of its figure
		}
		out.points = append(out.points, p)
	}
	slices.SortStableFunc(out.points, func(a, b curvePoint) int { return cmp.Compare(a.x, b.x) })
	return out, nil
}

// reach returns the least and the greatest value, ± included.
func (c *curve) reach() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range c.points {
		lo, hi = min(lo, p.lo), max(hi, p.hi)
	}
	return lo, hi
}

func (c *curve) axisLabel() string {
	switch c.Unit {
	case "W":
		return "Power (W)"
	case "µs":
		return "Latency (µs)"
	}
	return c.Unit
}

func (c *curve) entry() entry {
	label := c.label
	if c.Right {
		label += " (right axis)"
	}
	return entry{label: label, colour: c.colour()}
}

func (c *curve) colour() color.NRGBA {
	switch c.Name {
	case "latency_mean":
		return green()
	case "latency_max":
		return crimson()
	case "pause_w":
		return grey()
	}
	return traceColour(c.Name) // of no rail: that of what was done
}

// draw paints the dots, their whiskers, and the line through them.
func (c *curve) draw(frame draw.Canvas, x, y axis) {
	var through []vg.Point
	dots := series{colour: c.colour()}
	for _, p := range c.points {
		at := vg.Point{X: x.at(p.x, frame.Min.X, frame.Max.X), Y: y.at(p.y, frame.Min.Y, frame.Max.Y)}
		dots.drawSingle(frame, at.X, y.at(p.lo, frame.Min.Y, frame.Max.Y), at.Y, y.at(p.hi, frame.Min.Y, frame.Max.Y))
		through = append(through, at)
	}
	if len(through) > 1 {
		frame.StrokeLines(draw.LineStyle{Color: dots.colour, Width: 1}, through)
	}
}
