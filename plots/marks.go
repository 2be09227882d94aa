package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is the start of a step on the time axis.
type Mark struct {
	AtS   float64 // seconds on the picture's time axis
	Label string  // name of the step that begins there; "" = none does
}

const (
	maxStrip  = vg.Length(92) // a turned name longer than that is cut
	markApart = vg.Length(9)  // the least distance of two turned names, or of two lines
)

// strip is where the names of steps stand, above a frame.
type strip struct {
	height vg.Length // 0 = no steps
	turned bool      // the names do not fit side by side
	steps  []stepSpan
}

// stepSpan is a step on the frame, in points.
type stepSpan struct {
	label    string
	from, to vg.Length
}

func stripInk(turned bool) ink {
	k := ink{size: 8.5, colour: grey(), x: draw.XCenter, y: draw.YCenter, turned: turned}
	if turned {
		k.x = draw.XLeft
	}
	return k
}

// newStrip places the panel's steps between the frame's left and right edge.
func (p *panel) newStrip(frame draw.Canvas, ty *typeset) strip {
	if len(p.marks) == 0 {
		return strip{}
	}
	marks := slices.SortedFunc(slices.Values(p.marks), func(a, b Mark) int { return cmp.Compare(a.AtS, b.AtS) })
	place := func(s float64) vg.Length {
		return min(max(p.time.at(s, frame.Min.X, frame.Max.X), frame.Min.X), frame.Max.X)
	}
	var s strip
	widest := vg.Length(0)
	for i, m := range marks {
		step := stepSpan{label: m.Label, from: place(m.AtS), to: frame.Max.X}
		if i+1 < len(marks) {
			step.to = place(marks[i+1].AtS)
		}
		s.steps = append(s.steps, step)
		w := ty.width(stripInk(false), m.Label)
		widest = max(widest, w)
		s.turned = s.turned || w+4 > step.to-step.from
	}
	s.height = 15
	if s.turned {
		s.height = min(widest, maxStrip) + 6
	}
	return s
}

// draw shades every other step and writes the names. A turned name that would meet
// the one before is left out; its shade stays.
func (s strip) draw(frame draw.Canvas, ty *typeset) {
	line := draw.LineStyle{Color: grey(), Width: 0.5, Dashes: []vg.Length{1, 2}}
	k := stripInk(s.turned)
	last := frame.Min.X - 2*markApart
	for i, step := range s.steps {
		if i%2 == 0 {
			shade := vg.Rectangle{Min: vg.Point{X: step.from, Y: frame.Min.Y}, Max: vg.Point{X: step.to, Y: frame.Max.Y}}
			frame.SetColor(stepShade())
			frame.Fill(shade.Path())
		}
		if step.to-step.from >= markApart { // else the shades alone tell them apart
			frame.StrokeLine2(line, step.from, frame.Min.Y, step.from, frame.Max.Y)
		}
		centre := (step.from + step.to) / 2
		switch {
		case step.label == "": // time between the steps that are named
		case !s.turned:
			ty.write(frame, k, centre, frame.Max.Y+7, step.label)
		case centre-last >= markApart:
			ty.write(frame, k, centre, frame.Max.Y+4, ty.fit(k, step.label, s.height-6))
			last = centre
		}
	}
}
