package align

import "math"

// cell is the earliest arrival of a sixteenth of a second of stream.
type cell struct {
	id   int64
	x    float64 // ns of nominal stream time of the earliest arrival
	y    float64 // its residual, ns
	high float64 // residual of the latest one
	end  float64 // ns of nominal stream time of the last block's end

	phases [phases]uint8 // blocks by their residual's place in the period of the latency timer
}

// phases is into how many parts the period of a latency timer is divided.
const phases = 16

// count notes the residual's place in a timer's period.
func (c *cell) count(tickNs int64) {
	at := int64(c.y) % tickNs
	if at < 0 {
		at += tickNs
	}
	c.phases[at*phases/tickNs] = 1
}

// join adds a later block to c.
func (c *cell) join(d cell) {
	c.high, c.end = max(c.high, d.high), d.end
	for i, n := range d.phases {
		if n > 0 && c.phases[i] < math.MaxUint8 {
			c.phases[i]++
		}
	}
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
	moved    float64 // ns: how far above the line the least delays of a stretch stay
	lock     float64 // ns: how long a latency timer may have made all blocks wait
	saw      float64 // ns: its period, if the least delay went up and down with it
	uSlope   float64 // uRate without the part of lock, which is bounded everywhere
	measured bool    // rate is of these arrivals, not known beforehand
}

func (l line) at(x float64) float64 { return l.y0 + l.rate*(x-l.x0) }

// u95 returns how far the link's true floor may be from l at x, but for what a latency
// timer hides. A line that is too steep by s rises above the floor on one side, where
// arrivals hold it down: s times half the window is at most their excess.
func (l line) u95(x float64) float64 {
	return l.scatter + l.moved + l.uSlope*math.Abs(x-l.x0) + driftRate*windowNs*windowNs/8
}

// fit returns the floor of cells, which must not be empty. A few of them show no scatter,
// and so nothing of how well they tell a rate. Below a minute a remembered
// rate is better than any that so few arrivals tell, unless they contradict it.
func (e *Estimator) fit(cells []cell) line {
	first, last := cells[0].x, cells[len(cells)-1].x
	mid, span := (first+last)/2, last-first
	prior, uPrior := e.o.prior()
	hidden := e.hidden(cells)
	if l, ok := e.floor(cells, mid); ok && len(cells) >= fewCells {
		l.scatter, l.moved, l.saw = e.scatter(cells, l, hidden)
		l.lock = max(l.saw, hidden)
		l.uSlope = 4 * (l.scatter + l.moved) / span
		l.uRate = l.uSlope + l.lock/span
		remembered := e.o.PriorU95PPM > 0 && span < shortNs
		if l.uRate < uPrior && !remembered || math.Abs(l.rate-prior) > l.uRate+uPrior {
			return l
		}
	}
	l := support(cells, prior)
	l.scatter, l.moved, l.saw = e.scatter(cells, l, hidden)
	l.lock = max(l.saw, hidden)
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

// tenth is how many of the parts make a stretch.
const tenth = parts / 6

// scatter returns the mean distance above l of the least delays of the parts of the
// window: what one of them may be off by, and the farthest that all parts of a stretch
// are: so much the floor may have moved in between. Where few of them come near to l,
// the least delay goes up and down with the adapter's latency timer: saw is its period.
func (e *Estimator) scatter(cells []cell, l line, hidden float64) (mean, moved, saw float64) {
	tick := float64(e.o.TickNs)
	var sum, n, sumNear, near, stretch float64
	stretches := 0.0
	for i := range parts {
		lo, hi := i*len(cells)/parts, (i+1)*len(cells)/parts
		if hi == lo {
			continue
		}
		least := math.Inf(1)
		for _, c := range cells[lo:hi] {
			least = min(least, c.y-l.at(c.x))
		}
		if least < tick/4 {
			near, sumNear = near+1, sumNear+least
		}
		sum, n = sum+least, n+1
		if i%tenth == 0 {
			stretch = least
		}
		stretch = min(stretch, least)
		if i%tenth == tenth-1 && !math.IsInf(stretch, 1) {
			stretches = max(stretches, stretch)
		}
	}
	if tick > 0 && (near < 0.6*n || hidden == tick) {
		return sumNear/max(1, near) + floorNs, 0, tick
	}
	return sum/n + floorNs, stretches, 0
}

// hidden returns for how long the adapter's latency timer may have made even the fastest
// block of the cells wait: blocks that come in step with it wait for the same few times,
// and a shorter wait is among those that were not seen.
func (e *Estimator) hidden(cells []cell) float64 {
	if e.o.TickNs <= 0 {
		return 0
	}
	var blocks [phases]int
	all := 0
	for i := range cells {
		for p, n := range cells[i].phases {
			blocks[p] += int(n)
			all += int(n)
		}
	}
	empty, run := 0, 0
	for i := range 2 * phases { // twice: the period has no end
		if blocks[i%phases]*phases*5 >= all { // few of them are those of a host that stood still
			run = 0
			continue
		}
		run++
		empty = max(empty, min(run, phases))
	}
	switch {
	case empty == 0:
		return 0
	case empty >= phases/4: // what spreads is the host's own delay
		return float64(e.o.TickNs)
	}
	return float64(empty+2) / phases * float64(e.o.TickNs)
}
