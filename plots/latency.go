package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LatencyBin is how many IOs took from LowUs to HighUs. The bins of a picture ascend and do
// not overlap.
type LatencyBin struct {
	LowUs, HighUs float64
	IOs           uint64
}

// density is how many IOs lie within 1 % of the bin's latency: engines' bins are not equally
// wide, and this does not show how wide they are.
func (b LatencyBin) density() float64 {
	return float64(b.IOs) * 0.01 * b.LowUs / (b.HighUs - b.LowUs)
}

// LatencyHistogram draws how many IOs took how long, on logarithmic axes, and on the right
// one the share of IOs that took no longer. The marks' AtS are µs: percentiles.
func LatencyHistogram(bins []LatencyBin, marks []Mark, subtitle string, f Footer) (*Picture, error) {
	total := uint64(0)
	least, most := math.Inf(1), 0.0
	var drawn []LatencyBin
	for _, b := range bins {
		total += b.IOs
		if b.IOs > 0 && b.LowUs > 0 && b.HighUs > b.LowUs && finite(b.HighUs) {
			drawn = append(drawn, b)
			least, most = min(least, b.density()), max(most, b.density())
		}
	}
	if len(drawn) == 0 {
		return nil, fmt.Errorf("plot latency histogram: %w: it holds no IO", ErrNoData)
	}
	const room = 1.05 // of a logarithmic axis, on either side
	first, last := drawn[0], drawn[len(drawn)-1]
	p := &panel{
		time: axis{lo: first.LowUs / room, hi: last.HighUs * room, label: "Latency (µs)", log: true}, unit: timeUnit{seconds: 1},
		left:  axis{lo: least / 2, hi: most * 2, label: "IOs within 1 % of that latency", log: true},
		right: &axis{lo: 0, hi: 100.001, label: "IOs that took no longer (%)"},
	}
	bar := blue()
	bar.A = 0xa0
	share := outline{colour: crimson(), right: true, xs: []float64{p.time.lo}, ys: []float64{0}}
	done := uint64(0)
	for _, b := range drawn {
		h := b.density()
		p.outlines = append(p.outlines, outline{xs: []float64{b.LowUs, b.HighUs}, ys: []float64{h, h}, colour: bar, filled: true})
		before := 100 * float64(done) / float64(total)
		done += b.IOs
		share.xs, share.ys = append(share.xs, b.LowUs, b.HighUs), append(share.ys, before, 100*float64(done)/float64(total))
	}
	share.xs, share.ys = append(share.xs, p.time.hi), append(share.ys, 100*float64(done)/float64(total))
	p.outlines = append(p.outlines, share)
	for _, m := range marks {
		if m.AtS > p.time.lo && m.AtS < p.time.hi {
			p.marks = append(p.marks, m)
		}
	}
	s := &sheet{
		title: "Latency of IOs", subtitle: subtitle, footer: f,
		legend: []entry{{label: "IOs (left axis)", colour: blue()}, {label: "share that took no longer (right axis)", colour: crimson()}},
		notes:  []string{fmt.Sprintf("%d IOs in %d bins; both axes of the IOs are logarithmic", total, len(drawn))},
	}
	return &Picture{name: "latency histogram", height: vg.Length(430), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, []*panel{p})
	}}, nil
}

// Line is points in a plane, joined in their order.
type Line struct {
	Label string
	X, Y  []float64
}

// LatencyPanel is the lines of one latency, or of several.
type LatencyPanel struct {
	Label string // of the axis, with its unit: "99 % latency (µs)"
	Lines []Line
}

// LatencyOverIOPS draws latencies against the IOPS that they were measured at, a dot a cell,
// panel over panel on one axis. Lines of one label have one colour in all of them.
func LatencyOverIOPS(panels []LatencyPanel, subtitle string, f Footer) (*Picture, error) {
	s := &sheet{title: "Latency against IOPS", subtitle: subtitle, footer: f}
	var drawn []*panel
	highest := 0.0
	colours := map[string]color.NRGBA{}
	for _, lp := range panels {
		p := &panel{left: axis{lo: math.Inf(1), label: lp.Label, log: true}, unit: timeUnit{seconds: 1}}
		for _, l := range lp.Lines {
			c := outline{dots: true}
			for i, x := range l.X {
				if i < len(l.Y) && finite(x) && finite(l.Y[i]) && x > 0 && l.Y[i] > 0 {
					c.xs, c.ys = append(c.xs, x), append(c.ys, l.Y[i])
					highest = max(highest, x)
					p.left.lo, p.left.hi = min(p.left.lo, l.Y[i]), max(p.left.hi, l.Y[i])
				}
			}
			if len(c.xs) == 0 {
				continue
			}
			if _, known := colours[l.Label]; !known {
				colours[l.Label] = lineColour(len(colours))
				s.legend = append(s.legend, entry{label: l.Label, colour: colours[l.Label]})
			}
			c.colour = colours[l.Label]
			p.outlines = append(p.outlines, c)
		}
		if len(p.outlines) == 0 {
			s.notes = append(s.notes, lp.Label+": no cell has enough IOs")
			continue
		}
		const room = 1.3
		p.left.lo, p.left.hi = p.left.lo/room, p.left.hi*room
		drawn = append(drawn, p)
	}
	if len(drawn) == 0 {
		return nil, fmt.Errorf("plot latency against IOPS: %w: no cell has a latency", ErrNoData)
	}
	for _, p := range drawn {
		p.time = axis{lo: 0, hi: 1.05 * highest, label: "IOPS"}
	}
	return &Picture{name: "plot of latency against IOPS", height: 180 + 210*vg.Length(len(drawn)), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, drawn)
	}}, nil
}
