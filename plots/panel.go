package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// axis is a range of values and how it is named.
type axis struct {
	lo, hi float64
	label  string // with its unit
	log    bool   // logarithmic; lo is above 0
}

// at returns where v lies between a and b.
func (a axis) at(v float64, from, to vg.Length) vg.Length {
	share := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		share = math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return from + vg.Length(share)*(to-from)
}

// series is a trace with its colour.
type series struct {
	*trace
	colour color.NRGBA
	dots   bool // a dot a column, joined by thin lines; else columns are steps
	apart  bool // dots that nothing joins
}

// panel is a frame with a time axis below, a value axis on the left, and perhaps
// another on the right.
type panel struct {
	time        axis     // seconds
	unit        timeUnit // that the time axis shows
	hideTime    bool     // ticks without labels: the panel below has them
	left        axis
	leftTraces  []series
	right       *axis
	rightTraces []series
	curves      []*curve         // of either axis
	fits        []segment        // straight lines of the left axis
	outlines    []outline        // of either axis
	limits      []analysis.Limit // of the left axis
	marks       []Mark
	gaps        []Stretch // of the time axis, shaded
	lines       []float64 // seconds at which something happened
	dots        []Cause   // on the left axis
}

const (
	tickSize    = 9.0 // pt
	labelSize   = 10.0
	tickLength  = vg.Length(4)
	rightMargin = vg.Length(18) // half of a time label may stand over the frame's edge
	timeHeight  = vg.Length(32) // time labels and axis label
)

// tickInk is how tick labels look.
func tickInk(x draw.XAlignment, y draw.YAlignment) ink {
	return ink{size: tickSize, colour: black(), x: x, y: y}
}

// valueTicks returns the ticks of a value axis on a frame of the given height.
func valueTicks(a axis, height vg.Length) []tick {
	const apartPt = 22 // two label heights
	n := max(2, int(height/apartPt))
	if a.log {
		if ticks := logTicks(a.lo, a.hi, n); len(ticks) > 1 {
			return ticks
		}
	}
	return niceTicks(a.lo, a.hi, n)
}

// gutter returns how much room a value axis needs beside the frame.
func gutter(a axis, ty *typeset, height vg.Length) vg.Length {
	widest := vg.Length(0)
	for _, t := range valueTicks(a, height) {
		widest = max(widest, ty.width(tickInk(draw.XLeft, draw.YTop), t.label))
	}
	return widest + tickLength + 3 + 18
}

// drawPanels stacks panels of equal height in c; their frames share both edges.
func drawPanels(c draw.Canvas, ty *typeset, panels []*panel) {
	const between = vg.Length(10)
	room := c.Max.Y - c.Min.Y - timeHeight - between*vg.Length(len(panels)-1)
	left, right := vg.Length(0), rightMargin
	for _, p := range panels {
		share := room / vg.Length(len(panels))
		left = max(left, gutter(p.left, ty, share))
		if p.right != nil {
			right = max(right, gutter(*p.right, ty, share))
		}
	}
	frame := c
	frame.Min.X, frame.Max.X = c.Min.X+left, c.Max.X-right
	strips := make([]strip, len(panels))
	for i, p := range panels {
		strips[i] = p.newStrip(frame, ty)
		room -= strips[i].height
	}
	height := room / vg.Length(len(panels))
	top := c.Max.Y
	for i, p := range panels {
		frame.Max.Y = top - strips[i].height
		frame.Min.Y = frame.Max.Y - height
		p.hideTime = i < len(panels)-1
		p.draw(frame, ty, strips[i], c.Min.X, c.Max.X)
		top = frame.Min.Y - between
	}
}

// draw paints the panel in frame; outerLeft and outerRight bound the axis labels.
func (p *panel) draw(frame draw.Canvas, ty *typeset, names strip, outerLeft, outerRight vg.Length) {
	names.draw(frame, ty)
	p.drawGrid(frame, ty)
	p.drawGaps(frame)
	for _, s := range p.leftTraces {
		s.draw(frame, p.time, p.left)
	}
	for _, s := range p.rightTraces {
		s.draw(frame, p.time, *p.right)
	}
	for _, c := range p.curves {
		y := p.left
		if c.Right {
			y = *p.right
		}
		c.draw(frame, p.time, y)
	}
	for _, c := range p.outlines {
		c.draw(frame, p)
	}
	p.drawLines(frame)
	p.drawDots(frame)
	for _, l := range p.fits {
		l.draw(frame, p.time, p.left)
	}
	drawLimits(frame, ty, p)
	p.drawTimeAxis(frame, ty)
	drawValueAxis(frame, ty, p.left, outerLeft, false)
	if p.right != nil {
		drawValueAxis(frame, ty, *p.right, outerRight, true)
	}
	edge := draw.LineStyle{Color: grey(), Width: 0.75}
	lo, hi := frame.Min, frame.Max
	frame.StrokeLines(edge, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}, lo})
}

func (p *panel) drawGrid(frame draw.Canvas, ty *typeset) {
	line := draw.LineStyle{Color: paleGrey(), Width: 0.5}
	for _, t := range valueTicks(p.left, frame.Max.Y-frame.Min.Y) {
		y := p.left.at(t.at, frame.Min.Y, frame.Max.Y)
		frame.StrokeLine2(line, frame.Min.X, y, frame.Max.X, y)
	}
	for _, t := range p.timeTicks(frame, ty) {
		x := p.time.at(t.at, frame.Min.X, frame.Max.X)
		frame.StrokeLine2(line, x, frame.Min.Y, x, frame.Max.Y)
	}
}

// timeTicks returns as many ticks as have room.
func (p *panel) timeTicks(frame draw.Canvas, ty *typeset) []tick {
	return apart(
		func(n int) []tick {
			if p.time.log {
				if ticks := logTicks(p.time.lo, p.time.hi, n); len(ticks) > 1 {
					return ticks
				}
			}
			return timeTicks(p.time.lo, p.time.hi, p.unit, n)
		},
		func(t tick) float64 { return float64(p.time.at(t.at, frame.Min.X, frame.Max.X)) },
		func(t tick) float64 { return float64(ty.width(tickInk(draw.XLeft, draw.YTop), t.label)) },
		12)
}

func (p *panel) drawTimeAxis(frame draw.Canvas, ty *typeset) {
	line := draw.LineStyle{Color: grey(), Width: 0.75}
	y := frame.Min.Y
	for _, t := range p.timeTicks(frame, ty) {
		x := p.time.at(t.at, frame.Min.X, frame.Max.X)
		frame.StrokeLine2(line, x, y, x, y-tickLength)
		if !p.hideTime {
			ty.write(frame, tickInk(draw.XCenter, draw.YTop), x, y-tickLength-2, t.label)
		}
	}
	if !p.hideTime {
		k := ink{size: labelSize, colour: black(), x: draw.XCenter, y: draw.YTop}
		label := p.time.label
		if p.unit.name != "" {
			label += " (" + p.unit.name + ")"
		}
		ty.write(frame, k, (frame.Min.X+frame.Max.X)/2, y-tickLength-15, label)
	}
}

// drawValueAxis writes ticks and label of a value axis, its label at x = outer.
func drawValueAxis(frame draw.Canvas, ty *typeset, a axis, outer vg.Length, right bool) {
	line := draw.LineStyle{Color: grey(), Width: 0.75}
	edge, out, hang := frame.Min.X, vg.Length(-1), draw.XRight
	turned := ink{size: labelSize, colour: black(), x: draw.XCenter, y: draw.YTop, turned: true}
	if right {
		edge, out, hang = frame.Max.X, 1, draw.XLeft
		turned.y = draw.YBottom
	}
	for _, t := range valueTicks(a, frame.Max.Y-frame.Min.Y) {
		y := a.at(t.at, frame.Min.Y, frame.Max.Y)
		frame.StrokeLine2(line, edge, y, edge+out*tickLength, y)
		ty.write(frame, tickInk(hang, draw.YCenter), edge+out*(tickLength+3), y, t.label)
	}
	ty.write(frame, turned, outer, (frame.Min.Y+frame.Max.Y)/2, a.label)
}

// stairWidth is the width of a column from which on it is drawn as a step: its
// value holds for all of it.
const stairWidth = vg.Length(1.5)

// draw paints the band and the mean line of a series.
func (s series) draw(frame draw.Canvas, x, y axis) {
	py := func(v float64) vg.Length { return y.at(v, frame.Min.Y, frame.Max.Y) }
	s.runs(func(i, j int) {
		if s.dt == 0 || s.dots {
			var through []vg.Point
			for k := i; k < j; k++ {
				at := vg.Point{X: x.at(s.middle(k), frame.Min.X, frame.Max.X), Y: py(s.mean[k])}
				s.drawSingle(frame, at.X, py(s.min[k]), at.Y, py(s.max[k]))
				through = append(through, at)
			}
			if s.dots && !s.apart && j-i > 1 {
				frame.StrokeLines(draw.LineStyle{Color: s.colour, Width: 0.8}, through)
			}
			return
		}
		path := func(values []float64) []vg.Point { return s.path(frame, x, y, values, i, j) }
		band := path(s.max)
		lower := path(s.min)
		slices.Reverse(lower)
		frame.FillPolygon(faint(s.colour), append(band, lower...))
		frame.StrokeLines(draw.LineStyle{Color: s.colour, Width: 1.2}, path(s.mean))
	})
}

// path returns the points of columns [i, j): their middles, or both edges of each
// where columns are wide enough to be seen, or where one stands alone.
func (s series) path(frame draw.Canvas, x, y axis, values []float64, i, j int) []vg.Point {
	px := func(t float64) vg.Length { return x.at(t, frame.Min.X, frame.Max.X) }
	stairs := j-i == 1 || px(s.t0+s.dt)-px(s.t0) >= stairWidth
	points := make([]vg.Point, 0, 2*(j-i))
	for k := i; k < j; k++ {
		v := y.at(values[k], frame.Min.Y, frame.Max.Y)
		if !stairs {
			points = append(points, vg.Point{X: px(s.middle(k)), Y: v})
			continue
		}
		left := s.t0 + float64(k)*s.dt
		points = append(points, vg.Point{X: px(left), Y: v}, vg.Point{X: px(left + s.dt), Y: v})
	}
	if last := len(points) - 1; j-i == 1 && points[last].X-points[0].X < stairWidth {
		points[last].X = points[0].X + stairWidth // a lone column that would not be seen
	}
	return points
}

// drawSingle paints an instant as a dot on a whisker from its min to its max.
func (s series) drawSingle(frame draw.Canvas, x, lo, mean, hi vg.Length) {
	frame.StrokeLine2(draw.LineStyle{Color: faint(s.colour), Width: 2}, x, lo, x, hi)
	drawDot(frame, s.colour, x, mean)
}

func drawDot(frame draw.Canvas, colour color.NRGBA, x, y vg.Length) {
	dot := vg.Path{}
	dot.Move(vg.Point{X: x + 2, Y: y})
	dot.Arc(vg.Point{X: x, Y: y}, 2, 0, 2*math.Pi)
	dot.Close()
	frame.SetColor(colour)
	frame.Fill(dot)
}
