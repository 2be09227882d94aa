package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// MatrixLabels names what the cells of a Matrix mean.
type MatrixLabels struct {
	Title       string // "IOPS per milliwatt, 4K random"
	ColumnTitle string // "Queue depth"; the rows are named by the first column's head
	Unit        string // "IOPS/mW"
	Subtitle    string // what all cells have in common; may be empty
}

// Matrix draws a table as a heat map with its numbers: the first column names the
// rows, every other one is a column of cells under its Head. A withheld cell is
// hatched and says so; a cell without figure or reason stays blank.
func Matrix(t *analysis.Table, labels MatrixLabels, f Footer) (*Picture, error) {
	if t == nil || len(t.Rows) == 0 || len(t.Columns) < 2 {
		return nil, fmt.Errorf("plot matrix %q: %w: the table has no cells", labels.Title, ErrNoData)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return nil, fmt.Errorf("plot matrix %q: a row has %d cells for %d columns", labels.Title, len(r.Cells), len(t.Columns))
		}
		for _, c := range r.Cells[1:] {
			if c.Valid && finite(c.Value) {
				lo, hi = min(lo, c.Value), max(hi, c.Value)
			}
		}
	}
	if lo > hi {
		return nil, fmt.Errorf("plot matrix %q: %w: no cell holds a figure", labels.Title, ErrNoData)
	}
	lo = min(lo, hi-leastSpread*math.Abs(hi)) // cells that agree have nearly one colour
	colours, err := heatMap(lo, hi)
	if err != nil {
		return nil, fmt.Errorf("plot matrix %q: %w", labels.Title, err)
	}
	m := &matrix{table: t, labels: labels, lo: lo, hi: hi, colours: colours}
	s := &sheet{title: labels.Title + " (" + labels.Unit + ")", subtitle: labels.Subtitle, notes: t.Notes, footer: f}
	height := vg.Length(150 + 42*min(len(t.Rows), 24))
	return &Picture{name: "matrix plot", height: height, sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		m.draw(s.draw(c, ty), ty)
	}}, nil
}

// leastSpread is the least range of the colours, as a share of the largest figure.
const leastSpread = 0.25

// heatMap returns a colour map whose luminance rises evenly from lo to hi.
func heatMap(lo, hi float64) (palette.ColorMap, error) {
	colours, err := moreland.NewLuminance([]color.Color{
		color.NRGBA{R: 0x2b, G: 0x1d, B: 0x66, A: 0xff},
		color.NRGBA{R: 0x1f, G: 0x5f, B: 0x91, A: 0xff},
		color.NRGBA{R: 0x2a, G: 0x9d, B: 0x86, A: 0xff},
		color.NRGBA{R: 0x9a, G: 0xd0, B: 0x55, A: 0xff},
		color.NRGBA{R: 0xfb, G: 0xec, B: 0x8f, A: 0xff},
	})
	if err != nil {
		return nil, err
	}
	if !(hi > lo) { // one value: the middle of the map
		pad := max(math.Abs(hi)*0.5, 1)
		lo, hi = lo-pad, hi+pad
	}
	colours.SetMin(lo)
	colours.SetMax(hi)
	return colours, nil
}

type matrix struct {
	table   *analysis.Table
	labels  MatrixLabels
	lo, hi  float64
	colours palette.ColorMap
}

func (m *matrix) draw(c draw.Canvas, ty *typeset) {
	rowInk := ink{size: 10, colour: black(), x: draw.XRight, y: draw.YCenter}
	head := m.table.Columns[0]
	widest := vg.Length(0)
	for _, r := range m.table.Rows {
		widest = max(widest, ty.width(rowInk, head.Format(r.Cells[0])))
	}
	widest = min(widest, (c.Max.X-c.Min.X)/4)
	grid := c
	grid.Min.X += 20 + widest + 6
	grid.Max.X -= 72
	grid.Max.Y -= 2
	grid.Min.Y += 34
	columns, rows := len(m.table.Columns)-1, len(m.table.Rows)
	w := (grid.Max.X - grid.Min.X) / vg.Length(columns)
	h := (grid.Max.Y - grid.Min.Y) / vg.Length(rows)
	for i, r := range m.table.Rows {
		top := grid.Max.Y - h*vg.Length(i)
		ty.write(c, rowInk, grid.Min.X-6, top-h/2, ty.fit(rowInk, head.Format(r.Cells[0]), widest))
		for j := range columns {
			left := grid.Min.X + w*vg.Length(j)
			box := vg.Rectangle{Min: vg.Point{X: left, Y: top - h}, Max: vg.Point{X: left + w, Y: top}}
			m.drawCell(c, ty, box, m.table.Columns[j+1], r.Cells[j+1])
		}
	}
	m.drawNames(c, ty, grid, w)
	m.drawScale(c, ty, grid)
}

// drawCell fills one cell and writes its figure, the ± below it.
func (m *matrix) drawCell(c draw.Canvas, ty *typeset, box vg.Rectangle, col analysis.Column, cell analysis.Cell) {
	x, y := (box.Min.X+box.Max.X)/2, (box.Min.Y+box.Max.Y)/2
	room := box.Max.X - box.Min.X - 4
	inner := vg.Rectangle{Min: vg.Point{X: box.Min.X + 0.75, Y: box.Min.Y + 0.75}, Max: vg.Point{X: box.Max.X - 0.75, Y: box.Max.Y - 0.75}}
	if !cell.Valid || !finite(cell.Value) {
		c.SetColor(stepShade())
		c.Fill(inner.Path())
		k := ink{size: 9, colour: grey(), x: draw.XCenter, y: draw.YCenter}
		word := col.Format(cell)
		if word == analysis.WithheldWord {
			hatch(draw.Canvas{Canvas: c.Canvas, Rectangle: inner})
		}
		ty.write(c, k, x, y, ty.fit(k, word, room))
		return
	}
	fill := color.Color(white())
	if colour, err := m.colours.At(cell.Value); err == nil {
		fill = colour
	}
	c.SetColor(fill)
	c.Fill(inner.Path())
	value, u95 := splitFigure(col.Format(cell))
	k := ink{size: 12, bold: true, colour: readableOn(fill), x: draw.XCenter, y: draw.YCenter}
	small := ink{size: 8.5, colour: readableOn(fill), x: draw.XCenter, y: draw.YCenter}
	if u95 != "" {
		ty.write(c, small, x, y-8, ty.fit(small, u95, room))
		y += 5
	}
	ty.write(c, k, x, y, ty.fit(k, value, room))
}

// splitFigure parts "18.30 ± 0.21" into "18.30" and "± 0.21".
func splitFigure(s string) (value, u95 string) {
	for i, r := range s {
		if r == '±' {
			return s[:i-1], s[i:]
		}
	}
	return s, ""
}

// hatch draws slanted lines over a rectangle.
func hatch(c draw.Canvas) {
	w, h := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	line := draw.LineStyle{Color: paleGrey(), Width: 1}
	for d := vg.Length(6); d < w+h; d += 8 {
		from := vg.Point{X: c.Min.X + min(d, w), Y: c.Min.Y + max(0, d-w)}
		to := vg.Point{X: c.Min.X + max(0, d-h), Y: c.Min.Y + min(d, h)}
		c.StrokeLines(line, []vg.Point{from, to})
	}
}

// drawNames writes the columns' names below the grid and both axis titles.
func (m *matrix) drawNames(c draw.Canvas, ty *typeset, grid draw.Canvas, w vg.Length) {
	k := ink{size: 10, colour: black(), x: draw.XCenter, y: draw.YTop}
	for j, col := range m.table.Columns[1:] {
		head := col.Head
		if head == "" {
			head = col.Name
		}
		ty.write(c, k, grid.Min.X+w*(vg.Length(j)+0.5), grid.Min.Y-4, ty.fit(k, head, w-4))
	}
	ty.write(c, k, (grid.Min.X+grid.Max.X)/2, grid.Min.Y-19, m.labels.ColumnTitle)
	side := ink{size: 10, colour: black(), x: draw.XCenter, y: draw.YTop, turned: true}
	ty.write(c, side, c.Min.X, (grid.Min.Y+grid.Max.Y)/2, m.table.Columns[0].Heading())
}

// drawScale draws the colour bar with its ends and a few values between.
func (m *matrix) drawScale(c draw.Canvas, ty *typeset, grid draw.Canvas) {
	bar := vg.Rectangle{Min: vg.Point{X: grid.Max.X + 16, Y: grid.Min.Y}, Max: vg.Point{X: grid.Max.X + 28, Y: grid.Max.Y}}
	const slices = 64
	a := axis{lo: m.colours.Min(), hi: m.colours.Max()}
	for i := range slices {
		v := a.lo + (a.hi-a.lo)*(float64(i)+0.5)/slices
		colour, err := m.colours.At(v)
		if err != nil {
			continue
		}
		lower := bar.Min.Y + (bar.Max.Y-bar.Min.Y)*vg.Length(i)/slices
		upper := bar.Min.Y + (bar.Max.Y-bar.Min.Y)*vg.Length(i+1)/slices
		c.SetColor(colour)
		c.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: lower}, Max: vg.Point{X: bar.Max.X, Y: min(upper+0.3, bar.Max.Y)}}.Path())
	}
	k := ink{size: tickSize, colour: black(), x: draw.XLeft, y: draw.YCenter}
	ticks := valueTicks(a, bar.Max.Y-bar.Min.Y)
	if len(ticks) < 2 { // one value tells no scale: its ends do
		ticks = []tick{{at: a.lo, label: analysis.FormatValue(a.lo, 0, 3)}, {at: a.hi, label: analysis.FormatValue(a.hi, 0, 3)}}
	}
	for _, t := range ticks {
		y := a.at(t.at, bar.Min.Y, bar.Max.Y)
		c.StrokeLine2(draw.LineStyle{Color: grey(), Width: 0.75}, bar.Max.X, y, bar.Max.X+3, y)
		ty.write(c, k, bar.Max.X+6, y, t.label)
	}
}
