package idle

import (
	"math"

	"powerd/analysis"
	"powerd/analysis/accuracy"
	"powerd/analysis/window"
	"powerd/engine"
	"powerd/quarch"
)

// Kinds of idle.
const (
	KindActive    = "active"
	KindDeep      = "deep"
	KindSleep     = "sleep"
	KindAfterLoad = "after_load"
)

// Options say what is known of the bench, and what was asked for.
type Options struct {
	Step             string
	Kind             string                  // KindActive, …
	Rails            []quarch.Rail           // of the drive in use; nil = those that the module gives
	NoRails          []quarch.Rail           // that the drive's sheet says it has none of
	RequiredCoverage float64                 // 0 … 1; 0 stands for analysis.RequiredCoverage
	ResolutionAmps   map[quarch.Rail]float64 // the module's step of current; absent = not known
	Accuracy         accuracy.Spec           // of the module; the zero Spec = not known
	Zero             map[quarch.Rail]Zero    // what the module reads without a drive; nil = not known
	HostIO           []engine.Interval       // what the host asked of the drive; nil = not watched

	LinkPower string // how the host lets the link to the drive save power; "" = not known

	SinceNs int64 // host time from which on nothing was asked of the drive; 0 = the window's start
	Settle  *Rule // that was waited for; nil = nothing was, DefaultRule then judges
}

// Analyzer collects one idle window from a stream's blocks.
type Analyzer struct {
	o      Options
	w      analysis.Window
	m      analysis.TimeMap
	cutter *window.Cutter

	since, lo, hi float64 // whole stripes: of the wait's start, and inside the window
	perSecond     float64 // stripes
	rails         []quarch.Rail
	seen, polled  bool
	hist          map[quarch.Rail]*window.Histogram
	total         window.Histogram
	seconds       seconds
	cells         cells
	settler       *Settler
	settling      binner

	watts  window.Watts // of a block's stripes
	values [][]float64  // of them by series, as cells has them
}

// New returns an Analyzer of the window w.
func New(m analysis.TimeMap, w analysis.Window, o Options) (*Analyzer, error) {
	if o.RequiredCoverage == 0 {
		o.RequiredCoverage = analysis.RequiredCoverage
	}
	c, err := window.NewCutter(m, o.Rails, w)
	if err != nil {
		return nil, err
	}
	from, to := m.IndexAt(float64(w.StartNs)), m.IndexAt(float64(w.EndNs))
	a := &Analyzer{
		o: o, w: w, m: m, cutter: c, hist: map[quarch.Rail]*window.Histogram{}, settler: NewSettler(rule(o.Settle)),
		lo: math.Ceil(from), hi: math.Floor(to), perSecond: (to - from) / w.Seconds(),
	}
	if o.SinceNs == 0 || o.SinceNs > w.StartNs {
		a.o.SinceNs = w.StartNs
	}
	a.since = math.Ceil(m.IndexAt(float64(a.o.SinceNs)))
	a.settling = binner{from: a.since, size: a.perSecond, give: func(i int, mean, covered float64) {
		a.settler.Add(float64(i)+0.5, covered, mean)
	}}
	return a, nil
}

func rule(asked *Rule) Rule {
	if asked == nil {
		return DefaultRule()
	}
	return *asked
}

// Add adds a block, in order. It keeps nothing of it.
func (a *Analyzer) Add(b *quarch.Block) {
	a.cutter.Add(b)
	if !a.seen && b.Len() > 0 {
		a.begin(b)
	}
	if len(a.rails) == 0 {
		return
	}
	lo, hi := max(a.since, float64(b.First)), min(a.hi, float64(b.End()))
	if lo >= hi {
		return
	}
	i, j := int(lo)-int(b.First), int(hi)-int(b.First)
	a.watts.Read(b, i, j)
	a.settling.add(lo, a.watts.Total)
	if skip := int(max(0, a.lo-lo)); skip < j-i {
		a.take(b, i+skip, skip)
	}
}

// begin learns from the first block which of the rails in use there are.
func (a *Analyzer) begin(b *quarch.Block) {
	a.seen, a.polled = true, b.PeriodNs == 0
	for _, r := range window.Measured(b) {
		if analysis.Uses(a.o.Rails, r) {
			a.rails = append(a.rails, r)
			a.hist[r] = &window.Histogram{}
		}
	}
	a.watts.Rails = a.rails
	a.seconds = seconds{from: a.lo, size: a.perSecond, rails: len(a.rails)}
	a.cells = newCells(a.lo, a.hi, b.PeriodNs, 3*len(a.rails))
	a.values = make([][]float64, 3*len(a.rails))
}

// take takes note of the stripes of b from i on, which lie inside the window; their
// watts begin at skip.
func (a *Analyzer) take(b *quarch.Block, i, skip int) {
	first := float64(b.First) + float64(i)
	for k, r := range a.rails {
		watts := a.watts.Each[k][skip:]
		a.hist[r].Add(watts)
		a.seconds.addRail(first, k, watts, b.Trace(r), i)
		a.split(k, watts, b.Trace(r), i)
	}
	totals := a.watts.Total[skip:]
	a.total.Add(totals)
	a.seconds.addTotal(first, totals)
	a.cells.add(first, a.values)
}

// split puts a rail's watts, amperes and volts where cells takes them from; a stripe
// without watts has neither.
func (a *Analyzer) split(rail int, watts []float64, t *quarch.Trace, i int) {
	n := len(a.rails)
	a.values[rail] = watts
	amps, volts := a.values[n+rail][:0], a.values[2*n+rail][:0]
	for k, w := range watts {
		x, v := math.NaN(), math.NaN()
		if !math.IsNaN(w) {
			x, v = float64(t.A[i+k])*t.LSBAmps, float64(t.V[i+k])*t.LSBVolts
		}
		amps, volts = append(amps, x), append(volts, v)
	}
	a.values[n+rail], a.values[2*n+rail] = amps, volts
}
