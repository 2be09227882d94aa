package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// limitDepth is the height of a limit's label, pt.
const limitDepth = vg.Length(11)

// drawLimits draws the datasheet's lines. Their labels stand on the lines, where
// they cover no trace and no other label.
func drawLimits(frame draw.Canvas, ty *typeset, p *panel) {
	var taken []vg.Rectangle
	for _, l := range p.limits {
		y := p.left.at(l.Value, frame.Min.Y, frame.Max.Y)
		k := ink{size: 8.5, bold: true, colour: limitColour(l.Label), x: draw.XCenter, y: draw.YCenter}
		frame.StrokeLine2(draw.LineStyle{Color: k.colour, Width: 1, Dashes: []vg.Length{5, 3}}, frame.Min.X, y, frame.Max.X, y)
		label := ty.fit(k, l.Label, (frame.Max.X-frame.Min.X)/2)
		box, free := p.freeBox(frame, y, ty.width(k, label)+6, taken)
		if !free { // it has to cover something: let that shine through
			frame.SetColor(veil())
			frame.Fill(box.Path())
		}
		ty.write(frame, k, (box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2, label)
		taken = append(taken, box)
	}
}

// freeBox looks for a place for a label of the given width above or below a line at
// height y, from the right to the left. If there is none it returns the rightmost.
func (p *panel) freeBox(frame draw.Canvas, y, width vg.Length, taken []vg.Rectangle) (box vg.Rectangle, free bool) {
	var fallback *vg.Rectangle
	for right := frame.Max.X - 4; right-width > frame.Min.X; right -= 12 {
		for _, bottom := range []vg.Length{y + 1.5, y - limitDepth - 1.5} {
			box := vg.Rectangle{Min: vg.Point{X: right - width, Y: bottom}, Max: vg.Point{X: right, Y: bottom + limitDepth}}
			if box.Min.Y < frame.Min.Y || box.Max.Y > frame.Max.Y {
				continue
			}
			if fallback == nil {
				fallback = &box
			}
			if p.isFree(frame, box, taken) {
				return box, true
			}
		}
	}
	if fallback == nil {
		return vg.Rectangle{Min: vg.Point{X: frame.Max.X - width, Y: y}, Max: vg.Point{X: frame.Max.X, Y: y + limitDepth}}, false
	}
	return *fallback, false
}

// isFree says whether no trace, limit line or label touches box.
func (p *panel) isFree(frame draw.Canvas, box vg.Rectangle, taken []vg.Rectangle) bool {
	for _, other := range taken {
		if box.Min.X < other.Max.X && other.Min.X < box.Max.X && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y {
			return false
		}
	}
	meets := func(lo, hi vg.Length) bool { return lo < box.Max.Y && box.Min.Y < hi }
	for _, l := range p.limits {
		if y := p.left.at(l.Value, frame.Min.Y, frame.Max.Y); meets(y, y) {
			return false
		}
	}
	for _, s := range p.leftTraces {
		for i := range s.mean {
			x := p.time.at(s.middle(i), frame.Min.X, frame.Max.X)
			if x < box.Min.X-2 || x > box.Max.X+2 {
				continue
			}
			if meets(p.left.at(s.min[i], frame.Min.Y, frame.Max.Y), p.left.at(s.max[i], frame.Min.Y, frame.Max.Y)) {
				return false
			}
		}
	}
	return true
}
