package idle

import (
	"math"
	"slices"

	"powerd/analysis"
	"powerd/analysis/window"
	"powerd/quarch"
	"powerd/quarch/units"
)

// Kinds of idle.
const (
	KindActive    = "active"
	KindDeep      = "deep"
	KindSleep     = "sleep"
	KindAfterLoad = "after_load"
)

// Options say what is known of the bench.
type Options struct {
	Step             string
	Kind             string                  // KindActive, …
	Rails            []quarch.Rail           // of the drive in use; nil = those that the module gives
	RequiredCoverage float64                 // 0 … 1; 0 stands for analysis.RequiredCoverage
	ResolutionAmps   map[quarch.Rail]float64 // the module's step of current; absent = not known
}

// Result is one idle window, with the JSON keys of results.json. What is nil was
// not measured or is in Withheld.
type Result struct {
	Step         string                   `json:"step"`
	Kind         string                   `json:"kind"`
	StartMonoNs  int64                    `json:"start_mono_ns"`
	EndMonoNs    int64                    `json:"end_mono_ns"`
	DurationS    float64                  `json:"duration_s"`
	Coverage     float64                  `json:"coverage"`
	Rails        map[quarch.Rail]*Figures `json:"rails"`
	Total        *Figures                 `json:"total"`
	NotMeasured  []quarch.Rail            `json:"not_measured,omitempty"`   // rails in use without samples: the total is partial
	ReadingsPerS *float64                 `json:"readings_per_s,omitempty"` // polled links only
	Levels       []Level                  `json:"levels,omitempty"`         // two, where there are two
	Withheld     []analysis.Withheld      `json:"-"`
	Warnings     []analysis.Warning       `json:"-"`
}

// Figures are those of one rail or of the total; the total has no volts and
// amperes.
type Figures struct {
	MeanW *float64 `json:"mean_w,omitempty"`
	MinW  *float64 `json:"min_w,omitempty"`
	MaxW  *float64 `json:"max_w,omitempty"`
	StdW  *float64 `json:"std_w,omitempty"`
	P50W  *float64 `json:"p50_w,omitempty"`
	P99W  *float64 `json:"p99_w,omitempty"`
	MeanA *float64 `json:"mean_a,omitempty"`
	MeanV *float64 `json:"mean_v,omitempty"`
	U95W  *float64 `json:"u95_w,omitempty"` // of MeanW; see the package's text for what it holds

	why      string // why MeanW is withheld
	coverage *float64
}

// Analyzer collects one idle window from a stream's blocks.
type Analyzer struct {
	o      Options
	w      analysis.Window
	m      analysis.TimeMap
	cutter *window.Cutter

	lo, hi    float64 // whole stripes inside
	perSecond float64 // stripes
	rails     []quarch.Rail
	seen      bool
	hist      map[quarch.Rail]*histogram
	total     histogram

	endsAt  float64 // stripe index at which the present second ends
	sum, n  float64
	seconds []float64 // mean total of each second that has samples

	watts, totalWatts []float64 // scratch: of a block's stripes, NaN where missing
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
	return &Analyzer{
		o: o, w: w, m: m, cutter: c, hist: map[quarch.Rail]*histogram{},
		lo: math.Ceil(from), hi: math.Floor(to), perSecond: (to - from) / w.Seconds(),
	}, nil
}

// Add adds a block, in order. It keeps nothing of it.
func (a *Analyzer) Add(b *quarch.Block) {
	a.cutter.Add(b)
	if !a.seen && b.Len() > 0 {
		a.seen, a.rails = true, window.Measured(b)
		for _, r := range a.rails {
			a.hist[r] = &histogram{}
		}
	}
	if lo, hi := max(a.lo, float64(b.First)), min(a.hi, float64(b.End())); lo < hi {
		i, j := int(lo)-int(b.First), int(hi)-int(b.First)
		a.addTotal(lo, a.addRails(b, i, j))
	}
}

// addRails takes note of each rail in the stripes [i, j) of b, and returns their
// totals, NaN where a rail is missing.
func (a *Analyzer) addRails(b *quarch.Block, i, j int) []float64 {
	n := j - i
	a.watts, a.totalWatts = slices.Grow(a.watts[:0], n)[:n], slices.Grow(a.totalWatts[:0], n)[:n]
	clear(a.totalWatts)
	for _, r := range a.rails {
		t := b.Trace(r)
		if t == nil {
			for k := range a.totalWatts {
				a.totalWatts[k] = math.NaN()
			}
			continue
		}
		for k := range a.watts {
			w, ok := t.Watts(i + k)
			if !ok {
				w = units.Watts(math.NaN())
			}
			a.watts[k] = float64(w)
			a.totalWatts[k] += float64(w)
		}
		a.hist[r].add(a.watts)
	}
	return a.totalWatts
}

// addTotal takes note of the totals of the stripes from k on.
func (a *Analyzer) addTotal(k float64, totals []float64) {
	if len(a.rails) == 0 {
		return
	}
	a.total.add(totals)
	for _, w := range totals {
		if k >= a.endsAt {
			a.endSecond()
			a.endsAt = a.lo + (math.Floor((k-a.lo)/a.perSecond)+1)*a.perSecond
		}
		if !math.IsNaN(w) {
			a.sum, a.n = a.sum+w, a.n+1
		}
		k++
	}
}

func (a *Analyzer) endSecond() {
	if a.n > 0 && a.n >= a.perSecond/2 {
		a.seconds = append(a.seconds, a.sum/a.n)
	}
	a.sum, a.n = 0, 0
}
