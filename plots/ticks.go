package plots

import (
	"math"

	"powerd/analysis"
)

// maxTicks is the most labelled ticks that an axis ever has.
const maxTicks = 12

// tick is a labelled mark of an axis; at is in the axis's data units.
type tick struct {
	at    float64
	label string
}

// niceTicks returns at most n ticks inside [lo, hi] at multiples of 1, 2 or 5
// times a power of ten.
func niceTicks(lo, hi float64, n int) []tick {
	n = min(n, maxTicks)
	span := hi - lo
	if n < 1 || !(span > 0) || math.IsInf(span, 0) {
		return nil
	}
	power := math.Floor(math.Log10(span / float64(n)))
	for {
		for _, m := range []float64{1, 2, 5} {
			step := m * math.Pow(10, power)
			if ticks := multiples(lo, hi, step, n); ticks != nil {
				places := int(max(0, -power))
				for i := range ticks {
					ticks[i].label = analysis.Decimal(ticks[i].at, places)
				}
				return ticks
			}
		}
		power++
	}
}

// logTicks returns at most n ticks inside [lo, hi] for a logarithmic axis: 1, 2 and 5 times
// powers of ten, or the powers alone where these are too many.
func logTicks(lo, hi float64, n int) []tick {
	n = min(n, maxTicks)
	if !(lo > 0) || !(hi > lo) || math.IsInf(hi, 0) {
		return nil
	}
	for _, factors := range [][]float64{{1, 2, 5}, {1}} {
		var out []tick
		for power := math.Floor(math.Log10(lo)); power <= math.Log10(hi); power++ {
			for _, m := range factors {
				if at := m * math.Pow(10, power); at >= lo && at <= hi {
					out = append(out, tick{at: at, label: analysis.Decimal(at, int(max(0, -power)))})
				}
			}
		}
		if len(out) <= n {
			return out
		}
	}
	return nil
}

// multiples returns the multiples of step in [lo, hi], or nil if there are more
// than n, or so far from zero that they can hardly be told apart. A tick that misses an
// end by rounding alone is in.
func multiples(lo, hi, step float64, n int) []tick {
	const (
		slack = 1e-9
		far   = 1e9
	)
	first := math.Ceil(lo/step - slack)
	last := math.Floor(hi/step + slack)
	if last-first+1 > float64(n) || math.Abs(first) > far || math.Abs(last) > far {
		return nil
	}
	ticks := make([]tick, 0, n)
	for k := first; k <= last; k++ {
		ticks = append(ticks, tick{at: k * step})
	}
	return ticks
}

// timeUnit is how a span of time is shown.
type timeUnit struct {
	name    string
	seconds float64   // of one unit
	steps   []float64 // tick distances in units; nil = 1, 2, 5
}

// timeUnitFor chooses the unit for a span in seconds.
func timeUnitFor(span float64) timeUnit {
	switch {
	case span < 2e-3:
		return timeUnit{name: "µs", seconds: 1e-6}
	case span < 0.5:
		return timeUnit{name: "ms", seconds: 1e-3}
	case span <= 10*60:
		return timeUnit{name: "s", seconds: 1}
	case span <= 3*3600:
		return timeUnit{name: "min", seconds: 60, steps: []float64{1, 2, 5, 10, 15, 20, 30}}
	case span <= 4*86400:
		return timeUnit{name: "h", seconds: 3600, steps: []float64{0.5, 1, 2, 3, 4, 6, 8, 12, 24}}
	}
	return timeUnit{name: "days", seconds: 86400}
}

// timeTicks returns at most n ticks of [lo, hi] seconds, labelled in unit u.
func timeTicks(lo, hi float64, u timeUnit, n int) []tick {
	n = min(n, maxTicks)
	a, b := lo/u.seconds, hi/u.seconds
	ticks := []tick(nil)
	for _, step := range u.steps {
		if ticks = multiples(a, b, step, n); ticks != nil {
			places := 0
			if step < 1 {
				places = 1
			}
			for i := range ticks {
				ticks[i].label = analysis.Decimal(ticks[i].at, places)
			}
			break
		}
	}
	if ticks == nil {
		ticks = niceTicks(a, b, n)
	}
	for i := range ticks {
		ticks[i].at *= u.seconds
	}
	return ticks
}

// apart drops ticks to the next smaller number until no two labels come nearer
// than gap. ticksFor gives at most n ticks; place and width are in points.
func apart(ticksFor func(n int) []tick, place, width func(tick) float64, gap float64) []tick {
	for n := maxTicks; n > 1; n-- {
		ticks := ticksFor(n)
		clear := true
		for i := 1; i < len(ticks) && clear; i++ {
			a, b := ticks[i-1], ticks[i]
			clear = place(b)-place(a) >= (width(a)+width(b))/2+gap
		}
		if clear {
			return ticks
		}
	}
	return ticksFor(1)
}

// padRange widens a range of values so that a line does not lie on the frame. A
// flat one becomes value ± 10 %; zero says that the axis starts at 0.
func padRange(lo, hi float64, zero bool) (float64, float64) {
	if zero {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	const share = 0.06
	pad := share * (hi - lo)
	if tiny := 1e-9 * max(math.Abs(lo), math.Abs(hi)); pad <= tiny { // flat
		pad = max(0.1*math.Abs(hi), 1e-3)
		if hi == 0 && lo == 0 {
			pad = 1
		}
	}
	bottom, top := lo-pad, hi+pad
	if zero && lo == 0 {
		bottom = 0
	}
	if zero && hi == 0 && lo < 0 {
		top = 0
	}
	return bottom, top
}
