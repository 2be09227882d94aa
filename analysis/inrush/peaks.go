package inrush

import "math"

// slider finds the highest sliding means of one quantity, for several windows at
// once, from prefix sums. Sums may wrap around: differences do not, as long as
// one window's sum fits an int64.
type slider struct {
	windows []slide
	reach   int     // stripes that the longest window needs before the present one
	sums    []int64 // prefix sums of the unbroken run: sums[i] is before stripe first+i
	first   uint64  // stripe of sums[0]
	next    uint64  // stripe that would go on with the run
	noise   *noise
}

// slide is one window of a slider.
type slide struct {
	whole int     // stripes
	part  float64 // of one more
	best  float64 // highest sum so far, in counts
	at    float64 // index of the middle of the window of best
	found bool
}

func newSlider(stripes []float64, periodNs int64) *slider {
	s := &slider{noise: newNoise(periodNs)}
	s.reach = s.noise.reach()
	for _, n := range stripes {
		whole := math.Floor(n + 1e-9)
		w := slide{whole: int(whole), part: max(0, n-whole), best: math.Inf(-1)}
		if w.part < 1e-6 {
			w.part = 0
		}
		s.windows = append(s.windows, w)
		s.reach = max(s.reach, w.whole+1)
	}
	s.sums = make([]int64, 0, 4*s.reach+1<<17)
	return s
}

// add adds stripes from k on, in counts. A gap before them starts anew.
func (s *slider) add(k uint64, xs []int64) {
	if k != s.next || len(s.sums) == 0 {
		s.sums, s.first = append(s.sums[:0], 0), k
	}
	s.next = k + uint64(len(xs))
	if n := len(s.sums) - 1 - s.reach; len(s.sums) > 4*s.reach+1<<16 { // seldom, since it copies
		s.sums = s.sums[:copy(s.sums, s.sums[n:])]
		s.first += uint64(n)
	}
	from := len(s.sums)
	sum := s.sums[from-1]
	for _, x := range xs {
		sum += x
		s.sums = append(s.sums, sum)
	}
	s.noise.look(s.sums, s.first, from)
	for i := range s.windows {
		w := &s.windows[i]
		if w.part == 0 {
			s.scan(w, from)
		} else {
			s.scanPart(w, from)
		}
	}
}

// scan looks at the windows that end after sums[from-1].
func (s *slider) scan(w *slide, from int) {
	lo := max(from, w.whole)
	if lo >= len(s.sums) {
		return
	}
	ends, starts := s.sums[lo:], s.sums[lo-w.whole:len(s.sums)-w.whole]
	best := largest(ends, starts)
	if float64(best) <= w.best { // nearly always: where it lies does not matter then
		return
	}
	at := 0
	for ends[at]-starts[at] != best {
		at++
	}
	w.take(float64(best), float64(s.first)+float64(lo+at)-float64(w.whole)/2)
}

// largest returns the largest difference; two chains of comparisons keep the
// processor busy.
func largest(ends, starts []int64) int64 {
	ends = ends[:len(starts)]
	even, odd := int64(math.MinInt64), int64(math.MinInt64)
	i := 0
	for ; i+1 < len(starts); i += 2 {
		even = max(even, ends[i]-starts[i])
		odd = max(odd, ends[i+1]-starts[i+1])
	}
	if i < len(starts) {
		even = max(even, ends[i]-starts[i])
	}
	return max(even, odd)
}

// scanPart does the same for a window of whole stripes and a part of one: the
// highest such window has one of its ends on a border between stripes.
func (s *slider) scanPart(w *slide, from int) {
	for e := max(from, w.whole+1); e < len(s.sums); e++ {
		newest := s.sums[e] - s.sums[e-1]
		oldest := s.sums[e-w.whole] - s.sums[e-w.whole-1]
		late := float64(s.sums[e]-s.sums[e-w.whole]) + w.part*float64(oldest)
		early := float64(s.sums[e-1]-s.sums[e-w.whole-1]) + w.part*float64(newest)
		size := w.size()
		if late > w.best {
			w.take(late, float64(s.first)+float64(e)-size/2)
		}
		if early > w.best {
			w.take(early, float64(s.first)+float64(e-w.whole-1)+size/2)
		}
	}
}

func (w *slide) take(sum, at float64) {
	if sum > w.best {
		w.best, w.at, w.found = sum, at, true
	}
}

// size returns the window's length in stripes.
func (w *slide) size() float64 { return float64(w.whole) + w.part }

// mean returns the highest mean in counts.
func (w *slide) mean() float64 { return w.best / w.size() }
