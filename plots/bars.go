package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// BarLabels are what stands around bars.
type BarLabels struct {
	Title, Subtitle string
	Unit            string  // of all bars
	Most            float64 // end of the scale; 0 = by the bars. Pictures that belong together have one
}

// Measures of bars, pt.
const (
	barHeight = vg.Length(11)
	barGap    = vg.Length(9) // between groups
	barsLeast = vg.Length(60)
)

// Bars draws a table as horizontal bars on one scale from zero: the first column names a
// group, each other column is a bar in every group, in the drive's colour, with its ± as a
// whisker and its figure at its end. A withheld figure says so in the bar's place; one
// that is not there leaves a dash.
func Bars(t *analysis.Table, labels BarLabels, f Footer) (*Picture, error) {
	if t == nil || len(t.Rows) == 0 || len(t.Columns) < 2 {
		return nil, fmt.Errorf("plot bars %q: %w: the table has no bars", labels.Title, ErrNoData)
	}
	lo, hi, known := 0.0, labels.Most, false
	for _, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return nil, fmt.Errorf("plot bars %q: a row has %d cells for %d columns", labels.Title, len(r.Cells), len(t.Columns))
		}
		for _, c := range r.Cells[1:] {
			if c.Valid && finite(c.Value) {
				a, b := whisker(c)
				lo, hi, known = min(lo, c.Value, a), max(hi, c.Value, b), true
			}
		}
	}
	if !known {
		return nil, fmt.Errorf("plot bars %q: %w: no bar has a figure", labels.Title, ErrNoData)
	}
	if !(hi > lo) { // all are zero
		hi = lo + 1
	}
	s := &sheet{title: labels.Title, subtitle: labels.Subtitle, notes: t.Notes, footer: f}
	for i, c := range t.Columns[1:] {
		s.legend = append(s.legend, entry{label: c.Head, colour: driveColour(i), band: true})
	}
	b := &bars{table: t, scale: axis{lo: lo, hi: hi, label: labels.Unit}}
	group := barHeight*vg.Length(len(t.Columns)-1) + barGap
	height := 150 + max(barsLeast, group*vg.Length(len(t.Rows)))
	return &Picture{name: "bars", height: height, sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		b.draw(s.draw(c, ty), ty)
	}}, nil
}

// whisker returns the ends of a figure's 95 % interval.
func whisker(c analysis.Cell) (lo, hi float64) {
	if !finite(c.U95) {
		return c.Value, c.Value
	}
	return c.Value - c.U95, c.Value + c.U95
}

type bars struct {
	table *analysis.Table
	scale axis
}

func (b *bars) draw(c draw.Canvas, ty *typeset) {
	name := ink{size: 10, colour: black(), x: draw.XRight, y: draw.YCenter}
	widest := vg.Length(0)
	for _, r := range b.table.Rows {
		widest = max(widest, ty.width(name, r.Cells[0].Text))
	}
	widest = min(widest, (c.Max.X-c.Min.X)/3)
	frame := c
	frame.Min.X += widest + 8
	frame.Max.X -= b.room(ty)
	frame.Min.Y += 32
	b.drawScale(c, frame, ty)
	group := (frame.Max.Y - frame.Min.Y) / vg.Length(len(b.table.Rows))
	height := (group - barGap) / vg.Length(len(b.table.Columns)-1)
	for i, r := range b.table.Rows {
		top := frame.Max.Y - group*vg.Length(i) - barGap/2
		ty.write(c, name, frame.Min.X-6, top-(group-barGap)/2, ty.fit(name, r.Cells[0].Text, widest))
		for j, cell := range r.Cells[1:] {
			y := top - height*(vg.Length(j)+0.5)
			b.drawBar(frame, ty, j, y, height-1.5, b.table.Columns[j+1], cell)
		}
	}
}

// room returns what the widest figure at a bar's end needs.
func (b *bars) room(ty *typeset) vg.Length {
	widest := vg.Length(0)
	for _, r := range b.table.Rows {
		for j, cell := range r.Cells[1:] {
			if cell.Valid {
				widest = max(widest, ty.width(figureInk(), b.table.Columns[j+1].Format(cell)))
			}
		}
	}
	return widest + 14
}

func figureInk() ink { return ink{size: 8.5, colour: black(), x: draw.XLeft, y: draw.YCenter} }

// drawBar draws a bar from zero, its whisker, and its figure.
func (b *bars) drawBar(frame draw.Canvas, ty *typeset, i int, y, height vg.Length, col analysis.Column, cell analysis.Cell) {
	zero := b.scale.at(0, frame.Min.X, frame.Max.X)
	if !cell.Valid || !finite(cell.Value) {
		k := figureInk()
		k.colour = grey()
		ty.write(frame, k, zero+4, y, col.Format(cell))
		return
	}
	end := b.scale.at(cell.Value, frame.Min.X, frame.Max.X)
	box := vg.Rectangle{Min: vg.Point{X: min(zero, end), Y: y - height/2}, Max: vg.Point{X: max(zero, end), Y: y + height/2}}
	frame.SetColor(driveColour(i))
	frame.Fill(box.Path())
	right := box.Max.X
	if lo, hi := whisker(cell); hi > lo {
		from, to := b.scale.at(lo, frame.Min.X, frame.Max.X), b.scale.at(hi, frame.Min.X, frame.Max.X)
		line := draw.LineStyle{Color: black(), Width: 1}
		frame.StrokeLine2(line, from, y, to, y)
		for _, x := range []vg.Length{from, to} {
			frame.StrokeLine2(line, x, y-height/3, x, y+height/3)
		}
		right = max(right, to)
	}
	ty.write(frame, figureInk(), right+4, y, col.Format(cell))
}

// drawScale draws the lower axis with its grid, and the line of zero.
func (b *bars) drawScale(c, frame draw.Canvas, ty *typeset) {
	k := ink{size: tickSize, colour: black(), x: draw.XCenter, y: draw.YTop}
	for _, t := range valueTicks(b.scale, frame.Max.X-frame.Min.X) {
		x := b.scale.at(t.at, frame.Min.X, frame.Max.X)
		c.StrokeLine2(draw.LineStyle{Color: paleGrey(), Width: 0.75}, x, frame.Min.Y, x, frame.Max.Y)
		ty.write(c, k, x, frame.Min.Y-3, t.label)
	}
	zero := b.scale.at(0, frame.Min.X, frame.Max.X)
	c.StrokeLine2(draw.LineStyle{Color: grey(), Width: 1}, zero, frame.Min.Y, zero, frame.Max.Y)
	ty.write(c, ink{size: 10, colour: black(), x: draw.XCenter, y: draw.YTop}, (frame.Min.X+frame.Max.X)/2, frame.Min.Y-17, b.scale.label)
}

// MostOf returns where a scale ends that holds every bar of some tables: what BarLabels
// calls Most.
func MostOf(tables ...*analysis.Table) float64 {
	most := 0.0
	for _, t := range tables {
		for _, r := range t.Rows {
			for _, c := range r.Cells {
				if _, hi := whisker(c); c.Valid && finite(c.Value) {
					most = max(most, c.Value, hi)
				}
			}
		}
	}
	return math.Max(most, 0)
}
