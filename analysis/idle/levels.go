package idle

import (
	"cmp"
	"math"
	"slices"
)

// level is a power at which the window stays for whole runs of seconds.
type level struct {
	meanW float64
	runs  []run // in time order
}

// run is a stretch of seconds [from, to) of the window.
type run struct{ from, to int }

const (
	beside  = 6    // seconds on either side that show a change, and the shortest run
	apart   = 5    // spreads between the two sides: an even slope has 3.5
	matters = 0.05 // of the power: smaller steps are not two idles
)

// findLevels looks for several levels in the means of single seconds, in time order
// (NaN where there are none): changes that last, between stretches that are flat. It
// returns the levels in the order in which they first appear; nothing if there are
// not two. A second beside a change belongs to no level.
func findLevels(means []float64) []level {
	at, xs := withPlaces(means)
	borders := changes(xs)
	if len(borders) == 0 {
		return nil
	}
	var pieces []run // in xs
	from := 0
	for _, b := range append(borders, len(xs)) {
		pieces = append(pieces, run{from, b})
		from = b
	}
	levels := group(xs, pieces)
	if len(levels) < 2 {
		return nil
	}
	for i := range levels {
		levels[i].place(xs, at)
	}
	return levels
}

// withPlaces leaves out the seconds without a mean; at says which ones are left.
func withPlaces(means []float64) (at []int, xs []float64) {
	for i, x := range means {
		if !math.IsNaN(x) {
			at, xs = append(at, i), append(xs, x)
		}
	}
	return at, xs
}

// changes returns where a level ends and another begins: the seconds of greatest
// contrast between what comes before and what comes after. The second itself may be of
// both.
func changes(xs []float64) []int {
	var out []int
	best, at := 0.0, -1
	for i := beside; i+beside < len(xs); i++ {
		c := contrast(xs[i-beside:i], xs[i+1:i+1+beside])
		if c > best {
			best, at = c, i
		}
		if at >= 0 && (i-at >= beside || i+beside+1 == len(xs)) {
			out = append(out, at)
			best, at = 0, -1
		}
	}
	return out
}

// contrast returns how far apart two stretches lie, in spreads within them; 0 if that
// is not enough to call them two.
func contrast(before, after []float64) float64 {
	a, b := mean(before), mean(after)
	var sq float64
	for _, x := range before {
		sq += (x - a) * (x - a)
	}
	for _, x := range after {
		sq += (x - b) * (x - b)
	}
	distance := math.Abs(a - b)
	spread := math.Sqrt(sq / float64(len(before)+len(after)))
	if distance <= matters*math.Abs(a+b)/2 || distance <= apart*spread {
		return 0
	}
	return distance / max(spread, distance*1e-6)
}

// group joins pieces of one power to levels: from the lowest up, a new one begins
// where the next piece lies further away than matters.
func group(xs []float64, pieces []run) []level {
	type piece struct {
		run
		mean float64
	}
	sorted := make([]piece, len(pieces))
	for i, p := range pieces {
		sorted[i] = piece{p, mean(inner(xs, p))}
	}
	slices.SortFunc(sorted, func(a, b piece) int { return cmp.Compare(a.mean, b.mean) })
	var out []level
	for i, p := range sorted {
		if i == 0 || p.mean-sorted[i-1].mean > matters*math.Abs(p.mean) {
			out = append(out, level{})
		}
		l := &out[len(out)-1]
		l.runs = append(l.runs, p.run)
	}
	for _, l := range out {
		slices.SortFunc(l.runs, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	}
	slices.SortFunc(out, func(a, b level) int { return cmp.Compare(a.runs[0].from, b.runs[0].from) })
	return out
}

// inner returns a piece without the seconds beside its borders.
func inner(xs []float64, p run) []float64 {
	p = p.inner(len(xs))
	return xs[p.from:p.to]
}

func (p run) inner(n int) run {
	if p.from > 0 {
		p.from++
	}
	if p.to < n {
		p.to--
	}
	return p
}

// place joins runs that touch, takes the seconds beside changes off, and turns places
// in xs into seconds of the window.
func (l *level) place(xs []float64, at []int) {
	var joined []run
	for _, r := range l.runs {
		if n := len(joined); n > 0 && joined[n-1].to == r.from {
			joined[n-1].to = r.to
			continue
		}
		joined = append(joined, r)
	}
	var sum, n float64
	for i, r := range joined {
		r = r.inner(len(xs))
		for _, x := range xs[r.from:r.to] {
			sum, n = sum+x, n+1
		}
		joined[i] = run{at[r.from], at[r.to-1] + 1}
	}
	l.runs, l.meanW = joined, sum/n
}
