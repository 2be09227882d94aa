package align

import (
	"math"
	"slices"
)

// cell is the earliest arrival of a sixteenth of a second of stream.
type cell struct {
	id   int64
	x    float64 // ns of nominal stream time of the earliest arrival
	y    float64 // its residual, ns
	high float64 // residual of the latest one
}

// line is the floor of one window: y = y0 + rate·(x − x0).
type line struct {
	x0, y0   float64 // where it rests on the arrivals
	rate     float64
	uRate    float64 // 95 % half-width of rate
	scatter  float64 // ns: how far above the line a typical least delay lies
	lock     float64 // ns: what a latency timer may hide
	uSlope   float64 // uRate without the part of lock, which is bounded everywhere
	measured bool    // rate is of these arrivals, not known beforehand
}

func (l line) at(x float64) float64 { return l.y0 + l.rate*(x-l.x0) }

// u95 returns how far the link's true floor may be from l at x. A line that is
// too steep by s rises above the floor on one side, where arrivals hold it down:
// s times half the window is at most their excess.
func (l line) u95(x float64) float64 {
	return l.scatter + l.lock + l.uSlope*math.Abs(x-l.x0) + driftRate*windowNs*windowNs/8
}

// fit returns the floor of cells, which must not be empty.
func fit(cells []cell, o Options) line {
	first, last := cells[0].x, cells[len(cells)-1].x
	mid, span := (first+last)/2, last-first
	prior, uPrior := o.prior()
	if l, ok := hullEdge(cells, mid); ok {
		l.scatter, l.lock = scatter(cells, l), locked(cells, l, o)
		l.uSlope = 4 * l.scatter / span
		l.uRate = l.uSlope + 2*l.lock/span
		if l.uRate < uPrior || math.Abs(l.rate-prior) > l.uRate+uPrior {
			return l
		}
	}
	l := support(cells, prior)
	l.scatter, l.lock = scatter(cells, l), locked(cells, l, o)
	l.uSlope, l.uRate = uPrior, uPrior
	return l
}

// hullEdge returns the edge of the cells' lower convex hull above mid: of all
// lines under the arrivals, the one with the least total distance to them.
func hullEdge(cells []cell, mid float64) (line, bool) {
	hull := make([]cell, 0, 16)
	for _, c := range cells {
		for len(hull) > 1 && !convex(hull[len(hull)-2], hull[len(hull)-1], c) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, c)
	}
	for i := 1; i < len(hull); i++ {
		if hull[i].x >= mid && hull[i].x > hull[i-1].x {
			a, b := hull[i-1], hull[i]
			rate := (b.y - a.y) / (b.x - a.x)
			return line{x0: mid, y0: a.y + rate*(mid-a.x), rate: rate, measured: true}, true
		}
	}
	return line{}, false
}

func convex(a, b, c cell) bool {
	return (b.y-a.y)*(c.x-b.x) < (c.y-b.y)*(b.x-a.x)
}

// support returns the line of a given rate that rests on the cells.
func support(cells []cell, rate float64) line {
	l := line{x0: cells[0].x, y0: cells[0].y, rate: rate}
	for _, c := range cells {
		if c.y < l.at(c.x) {
			l.x0, l.y0 = c.x, c.y
		}
	}
	return l
}

// scatter returns the mean distance above l of the least delays of up to 60
// parts of the window: what one of them may be off by.
func scatter(cells []cell, l line) float64 {
	const parts = 60
	var sum, n float64
	for i := range parts {
		lo, hi := i*len(cells)/parts, (i+1)*len(cells)/parts
		least := math.Inf(1)
		for _, c := range cells[lo:hi] {
			least = min(least, c.y-l.at(c.x))
		}
		if hi > lo {
			sum, n = sum+least, n+1
		}
	}
	return sum/n + floorNs
}

// locked returns the latency timer's period where the delays do not spread over
// it: blocks that come in step with the timer hide how long they waited.
func locked(cells []cell, l line, o Options) float64 {
	spread := make([]float64, len(cells))
	for i, c := range cells {
		spread[i] = c.high - l.at(c.x)
	}
	slices.Sort(spread)
	if spread[len(spread)*9/10] >= 0.75*float64(o.TickNs) {
		return 0
	}
	return float64(o.TickNs)
}
