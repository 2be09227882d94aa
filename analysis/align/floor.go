package align

import "math"

// cell is the earliest arrival of a sixteenth of a second of stream.
type cell struct {
	id   int64
	x    float64 // ns of nominal stream time of the earliest arrival
	y    float64 // its residual, ns
	high float64 // residual of the latest one
	end  float64 // ns of nominal stream time of the last block's end
}

// join adds a later block to c.
func (c *cell) join(d cell) {
	c.high, c.end = max(c.high, d.high), d.end
	if d.y < c.y {
		c.x, c.y = d.x, d.y
	}
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

// u95 returns how far the link's true floor may be from l at x, but for what a latency
// timer hides. A line that is too steep by s rises above the floor on one side, where
// arrivals hold it down: s times half the window is at most their excess.
func (l line) u95(x float64) float64 {
	return l.scatter + l.uSlope*math.Abs(x-l.x0) + driftRate*windowNs*windowNs/8
}

// fit returns the floor of cells, which must not be empty. Below a minute a remembered
// rate is better than any that so few arrivals tell, unless they contradict it.
func (e *Estimator) fit(cells []cell) line {
	first, last := cells[0].x, cells[len(cells)-1].x
	mid, span := (first+last)/2, last-first
	prior, uPrior := e.o.prior()
	if l, ok := e.floor(cells, mid); ok {
		l.scatter, l.lock = e.scatter(cells, l)
		l.uSlope = 4 * l.scatter / span
		l.uRate = l.uSlope + 2*l.lock/span
		remembered := e.o.PriorU95PPM > 0 && span < shortNs
		if l.uRate < uPrior && !remembered || math.Abs(l.rate-prior) > l.uRate+uPrior {
			return l
		}
	}
	l := support(cells, prior)
	l.scatter, l.lock = e.scatter(cells, l)
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

// parts of a window, in each of which the least delay is looked at.
const parts = 60

// scatter returns the mean distance above l of the least delays of the parts of the
// window: what one of them may be off by. Where few of them come near to l though the
// adapter has a latency timer, or no delay is as long as that, blocks come in step with
// the timer and hide how long they waited: then lock is its period.
func (e *Estimator) scatter(cells []cell, l line) (mean, lock float64) {
	tick := float64(e.o.TickNs)
	var sum, n, sumNear, near, long float64
	for i := range parts {
		lo, hi := i*len(cells)/parts, (i+1)*len(cells)/parts
		if hi == lo {
			continue
		}
		least := math.Inf(1)
		for _, c := range cells[lo:hi] {
			d := l.at(c.x)
			least = min(least, c.y-d)
			if c.high-d >= 0.75*tick {
				long++
			}
		}
		if least < tick/4 {
			near, sumNear = near+1, sumNear+least
		}
		sum, n = sum+least, n+1
	}
	if tick > 0 && (near < 0.6*n || long < 0.1*float64(len(cells))) {
		return sumNear/max(1, near) + floorNs, tick
	}
	return sum/n + floorNs, 0
}
