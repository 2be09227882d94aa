package idle

import (
	"fmt"
	"math"
	"time"
)

// Rule says when a drive has settled: the highest and the lowest of its running means
// over Mean, in a stretch of For, differ by WithinPct of their mean or less. A run
// waits for that up to AtMost.
type Rule struct {
	Mean      time.Duration `json:"mean_ns"` // whole seconds, like For and AtMost
	WithinPct float64       `json:"within_pct"`
	For       time.Duration `json:"for_ns"`
	AtMost    time.Duration `json:"at_most_ns"`
}

// DefaultRule is what judges where nobody asked for another.
func DefaultRule() Rule {
	return Rule{Mean: time.Minute, WithinPct: 1, For: 3 * time.Minute, AtMost: 15 * time.Minute}
}

// String says a rule as people do.
func (r Rule) String() string {
	return fmt.Sprintf("means of %s within %g %% for %s", brief(r.Mean), r.WithinPct, brief(r.For))
}

// brief writes a duration without its zero parts: 3m, 90s.
func brief(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// minPresent is the share of a running mean's seconds that must have samples.
const minPresent = 0.9

// Settler finds out when a drive settled, from means of parts of up to a second, in
// time order. The same parts give the same answer, while a run goes on and afterwards.
type Settler struct {
	r      Rule
	bins   []float64 // means of whole seconds, NaN where samples cover less than half
	bin    int       // under way
	sum, n float64
	means  []float64 // running mean that ends with each bin, NaN where unknown

	afterS float64
	found  bool
	spread float64 // of the last stretch, over its mean; NaN where it is not known
}

// NewSettler returns a Settler for a rule.
func NewSettler(r Rule) *Settler { return &Settler{r: r, spread: math.NaN()} }

// Add takes the mean power of a part. atS is its middle, in seconds from the start;
// seconds is how much of it has samples.
func (s *Settler) Add(atS, seconds, meanW float64) {
	if atS < 0 || seconds <= 0 || math.IsNaN(meanW) {
		return
	}
	for int(atS) > s.bin {
		s.endBin()
	}
	s.sum, s.n = s.sum+seconds*meanW, s.n+seconds
}

// End takes the second under way as it is. Nothing may be added afterwards.
func (s *Settler) End() { s.endBin() }

// Settled returns the seconds from the start until the first stretch over which the
// rule holds; ok is false while there is none.
func (s *Settler) Settled() (afterS float64, ok bool) { return s.afterS, s.found }

// Seconds returns how many seconds the Settler has seen.
func (s *Settler) Seconds() float64 { return float64(len(s.bins)) }

// Why says why the drive has not settled so far.
func (s *Settler) Why() string {
	switch {
	case s.found:
		return ""
	case s.Seconds() < s.r.For.Seconds():
		return fmt.Sprintf("%g s of samples are too short to tell, %s need %g s", s.Seconds(), s.r, s.r.For.Seconds())
	case math.IsNaN(s.spread):
		return fmt.Sprintf("samples are missing, %s cannot be told", s.r)
	}
	return fmt.Sprintf("the means of %s still differ by %.2g %% over the last %s, %g %% are allowed",
		brief(s.r.Mean), 100*s.spread, brief(s.r.For), s.r.WithinPct)
}

func (s *Settler) endBin() {
	const half = 0.5
	x := math.NaN()
	if s.n >= half {
		x = s.sum / s.n
	}
	s.bins = append(s.bins, x)
	s.bin++
	s.sum, s.n = 0, 0
	s.means = append(s.means, s.runningMean())
	if !s.found {
		s.judge()
	}
}

// runningMean returns the mean of the last bins over the rule's Mean.
func (s *Settler) runningMean() float64 {
	width := int(s.r.Mean.Seconds())
	if len(s.bins) < width {
		return math.NaN()
	}
	last := present(s.bins[len(s.bins)-width:])
	if float64(len(last)) < minPresent*float64(width) {
		return math.NaN()
	}
	return mean(last)
}

// judge looks at the stretch that ends with the last bin.
func (s *Settler) judge() {
	stretch, width := int(s.r.For.Seconds()), int(s.r.Mean.Seconds())
	from := len(s.means) - stretch + width - 1
	if len(s.bins) < stretch || from < 0 {
		return
	}
	lowest, highest, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, m := range s.means[from:] {
		lowest, highest, sum = min(lowest, m), max(highest, m), sum+m // NaN stays
	}
	s.spread = (highest - lowest) / math.Abs(sum/float64(len(s.means)-from))
	if highest == lowest {
		s.spread = 0 // of nothing, too
	}
	if s.spread <= s.r.WithinPct/100 {
		s.found, s.afterS = true, float64(len(s.bins)-stretch)
	}
}
