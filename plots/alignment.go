package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"powerd/analysis"
)

// Placed is how the samples of a run lie on the host's time, in µs from where they were
// put. All waveforms are of the same columns.
type Placed struct {
	Late  *analysis.Waveform // of arrivals: least, mean and most of a column
	Floor *analysis.Waveform // line under them
	U95   *analysis.Waveform // 0 ± its 95 % interval
	Clock *analysis.Waveform // the module's clock against a straight line

	Text    string    // in words
	Causes  []Cause   // what the host did and what is seen of it
	Gaps    []Stretch // without samples
	WallAtS []float64 // where the wall clock was set
}

// Cause is something that the host did, by when it shows in the samples.
type Cause struct {
	AtS    float64
	LateUs float64 // of its own time from there; below 0
	Kind   string  // "beacon", "power on"
}

// Stretch is a piece of the time axis.
type Stretch struct{ FromS, ToS float64 }

// Alignment draws how late blocks arrived, what they and the host's own doings leave for
// the samples' place, and what the module's clock did. The frame is made for the interval:
// arrivals that are far above it go on outside, and a note counts them.
func Alignment(a Placed, f Footer) (*Picture, error) {
	late, missing, err := newTraces([]*analysis.Waveform{a.Late, a.Floor, a.U95})
	if err != nil {
		return nil, fmt.Errorf("plot alignment: %w", err)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("plot alignment: %w: %s", ErrNoData, missing[0])
	}
	clock, err := newTrace(a.Clock)
	if err != nil {
		return nil, fmt.Errorf("plot alignment: %w", err)
	}
	from, to := timeRange(append([]*trace{clock}, late...))
	s := &sheet{title: "Alignment of IO and power", subtitle: a.Text, footer: f}
	panels := []*panel{s.residuals(a, late)}
	if p := s.clock(clock); p != nil {
		panels = append(panels, p)
	}
	for _, p := range panels {
		p.time = axis{lo: from, hi: to, label: "Time since the start of the run"}
		p.unit = timeUnitFor(to - from)
		p.gaps, p.lines = a.Gaps, a.WallAtS
	}
	s.notes = append(s.notes, openNotes(late[:1])...)
	for _, at := range a.WallAtS {
		s.notes = append(s.notes, fmt.Sprintf("dashed at %s s: the wall clock was set; it moves nothing here", analysis.Decimal(at, 1)))
	}
	if n := len(a.Gaps); n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("red: %d %s in the samples", n, plural(n, "gap")))
	}
	return &Picture{name: "alignment plot", height: vg.Length(500), sheet: s, paint: func(c draw.Canvas, ty *typeset) {
		drawPanels(s.draw(c, ty), ty, panels)
	}}, nil
}

// residuals is the panel of arrivals, line and interval.
func (s *sheet) residuals(a Placed, traces []*trace) *panel {
	late, floor, u95 := traces[0], traces[1], traces[2]
	const most = 0.98 // of the columns are in the frame
	half, line := share(u95.max, most), share(floor.max, most)
	hi := max(1.1*half, 1.3*line, min(max(1.3*share(late.min, 0.8), 1.3*share(late.mean, 0.5)), 4*max(half, line)))
	lo := min(-1.1*half, -share(negative(floor.min), most))
	late.mean = late.min // all of them are the band, the earliest its line
	p := &panel{leftTraces: []series{
		{trace: u95, colour: blue()}, {trace: late, colour: grey()}, {trace: floor, colour: orange()},
	}}
	p.dots = seenIn(a.Causes, lo-half/2)
	for _, d := range p.dots {
		lo = min(lo, d.LateUs)
	}
	p.left.label = "From the map (µs)"
	p.left.lo, p.left.hi = padRange(lo, hi, false)
	s.legend = append(s.legend,
		entry{label: "arrivals of blocks: the earliest, and all", colour: grey(), band: true},
		entry{label: "line under them (hull)", colour: orange()},
		entry{label: "map ± U95", colour: blue(), band: true})
	if len(p.dots) > 0 {
		s.legend = append(s.legend, entry{label: "what the host did: not before", colour: crimson(), dot: true})
	}
	s.beyond(p, "arrivals", late)
	s.beyond(p, "± U95", u95)
	if n := len(a.Causes) - len(p.dots); n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d of %d causes are told too roughly for this frame, and lie below it", n, len(a.Causes)))
	}
	return p
}

// leastClock is how far a clock must be off its mean rate, in µs, to be drawn: below it
// there is nothing but scatter.
const leastClock = 20

// clock is the panel of the module's clock; nil, with a note, where it does nothing.
func (s *sheet) clock(t *trace) *panel {
	t.min, t.max = t.mean, t.mean
	lo, hi := rangeOf([]*trace{t})
	if max(hi, -lo) < leastClock {
		s.notes = append(s.notes, fmt.Sprintf("the module's clock is never %d µs off its mean rate", leastClock))
		return nil
	}
	p := &panel{leftTraces: []series{{trace: t, colour: blue()}}}
	p.left.label = "Module's clock (µs)"
	p.left.lo, p.left.hi = padRange(lo, hi, false)
	return p
}

// seenIn returns the causes that are not far below the frame.
func seenIn(all []Cause, lo float64) []Cause {
	var out []Cause
	for _, c := range all {
		if c.LateUs >= lo && finite(c.LateUs) {
			out = append(out, c)
		}
	}
	return out
}

// beyond cuts a trace at the frame, and says how much of it goes on outside.
func (s *sheet) beyond(p *panel, what string, t *trace) {
	n, seen, top := 0, 0, math.Inf(-1)
	for i := range t.mean {
		if math.IsNaN(t.mean[i]) {
			continue
		}
		seen++
		if t.max[i] > p.left.hi || t.min[i] < p.left.lo {
			n++
			top = max(top, t.max[i], -t.min[i])
		}
		for _, v := range []*float64{&t.min[i], &t.mean[i], &t.max[i]} {
			*v = min(max(*v, p.left.lo), p.left.hi)
		}
	}
	if n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: %d of %d points go on beyond the frame, to %s µs at most", what, n, seen, analysis.FormatValue(top, 0, 3)))
	}
}

// negative returns the values with the other sign.
func negative(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = -v
	}
	return out
}

// share returns the value that a share of the values do not exceed; 0 if there are none.
func share(values []float64, part float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return 0
	}
	slices.Sort(sorted)
	return sorted[int(part*float64(len(sorted)-1))]
}

// drawGaps shades time without samples; the shortest gap can be seen too.
func (p *panel) drawGaps(frame draw.Canvas) {
	for _, g := range p.gaps {
		if g.ToS < p.time.lo || g.FromS > p.time.hi {
			continue
		}
		left := max(p.time.at(g.FromS, frame.Min.X, frame.Max.X), frame.Min.X)
		right := min(max(p.time.at(g.ToS, frame.Min.X, frame.Max.X), left+stairWidth), frame.Max.X)
		frame.SetColor(faint(crimson()))
		frame.Fill(vg.Rectangle{Min: vg.Point{X: left, Y: frame.Min.Y}, Max: vg.Point{X: right, Y: frame.Max.Y}}.Path())
	}
}

// drawDots draws causes as dots, and a line up to where they are seen.
func (p *panel) drawDots(frame draw.Canvas) {
	for _, d := range p.dots {
		if d.AtS < p.time.lo || d.AtS > p.time.hi {
			continue
		}
		x, y := p.time.at(d.AtS, frame.Min.X, frame.Max.X), p.left.at(d.LateUs, frame.Min.Y, frame.Max.Y)
		drawDot(frame, crimson(), x, y)
	}
}

// drawLines draws where something happened to the host.
func (p *panel) drawLines(frame draw.Canvas) {
	for _, at := range p.lines {
		if at >= p.time.lo && at <= p.time.hi {
			x := p.time.at(at, frame.Min.X, frame.Max.X)
			frame.StrokeLine2(draw.LineStyle{Color: black(), Width: 0.75, Dashes: []vg.Length{4, 3}}, x, frame.Min.Y, x, frame.Max.Y)
		}
	}
}
