package model

import "math"

// longestPeakNs is the longest window of a peak: a minute of running sums is kept.
const longestPeakNs = 60_000 * msNs

// scan walks over the waveform cell by cell and keeps what is asked of a start-up.
type scan struct {
	first  int64 // cell that the walk begins with
	origin int64 // cell that times, charges and energies count from

	amps, watts [railCount]trail
	total       trail
	above       [railCount][]stay
	mean        int // cells of the mean that is held against limits
}

func newScan(spec *InrushSpec, first, origin int64) *scan {
	s := &scan{first: first, origin: origin, mean: int(max(spec.LimitWindowNs/cellNs, 1))}
	for rail, limits := range [railCount][]float64{spec.Limits5VAmps, spec.Limits12VAmps} {
		s.amps[rail], s.watts[rail] = newTrail(spec.WindowsNs, s.mean), newTrail(spec.WindowsNs, 0)
		for _, amps := range limits {
			s.above[rail] = append(s.above[rail], stay{limit: amps})
		}
	}
	s.total = newTrail(spec.WindowsNs, 0)
	return s
}

// scan walks up to cell end.
func (d *Drive) scan(h *history, s *scan, end int64) {
	d.mu.Lock()
	w := d.wave(h)
	d.mu.Unlock()
	var work batch
	for c := s.first; c < end; c++ {
		k := (c - s.first) % batchCells
		if k == 0 {
			d.works(c, &work)
		}
		p := w.at(c, work[k])
		s.take(c, &p)
	}
}

// take takes in cell c.
func (s *scan) take(c int64, p *point) {
	counts := c >= s.origin
	all := 0.0
	for rail := range railCount {
		watts := p.watts(rail)
		all += watts
		s.amps[rail].push(p.i[rail], counts)
		s.watts[rail].push(watts, counts)
		if a := &s.amps[rail]; a.n >= s.mean {
			for i := range s.above[rail] {
				s.above[rail][i].see(a.n-s.mean, a.over(s.mean)/float64(s.mean), s.mean)
			}
		}
	}
	s.total.push(all, counts)
}

// rail returns what was found of a rail.
func (s *scan) rail(rail int, spec *InrushSpec) RailInrush {
	const cellS = cellNs * 1e-9
	r := RailInrush{ChargeC: s.amps[rail].sum * cellS, EnergyJ: s.watts[rail].sum * cellS}
	r.Peaks = s.peaks(spec, &s.amps[rail], &s.watts[rail])
	for _, a := range s.above[rail] {
		above := Above{LimitAmps: a.limit}
		if a.cells > 0 {
			middle := float64(s.mean) / 2
			above.FirstS, above.LastS = s.seconds(float64(a.first)+middle), s.seconds(float64(a.last)+middle)
			above.TotalS = float64(a.cells) * cellS
		}
		r.Above = append(r.Above, above)
	}
	return r
}

// peaks returns the largest means; a window that is too long, or longer than the walk,
// has none.
func (s *scan) peaks(spec *InrushSpec, amps, watts *trail) []Peak {
	var out []Peak
	for i, ns := range spec.WindowsNs {
		w := &watts.windows[i]
		if !w.found() {
			continue
		}
		p := Peak{WindowNs: ns, Watts: w.mean(), WattsAtS: s.seconds(w.at)}
		if amps != nil {
			w = &amps.windows[i]
			p.Amps, p.AmpsAtS = w.mean(), s.seconds(w.at)
		}
		out = append(out, p)
	}
	return out
}

// seconds returns the time of a place in cells after the walk's first, from the origin.
func (s *scan) seconds(cells float64) float64 {
	return (cells - float64(s.origin-s.first)) * cellNs * 1e-9
}

// trail follows one quantity: its sum, and the largest means over windows.
type trail struct {
	sums    []float64 // running sums before the latest cells, a ring
	n       int       // cells so far
	sum     float64   // of those that count
	windows []largest
}

func newTrail(windowsNs []int64, mean int) trail {
	reach := mean
	var t trail
	for _, ns := range windowsNs {
		w := newLargest(ns)
		if ns > longestPeakNs {
			w.whole = math.MaxInt
		} else {
			reach = max(reach, w.whole+1)
		}
		t.windows = append(t.windows, w)
	}
	t.sums = make([]float64, reach+1)
	return t
}

// before returns the running sum before the cell that lies back cells ago.
func (t *trail) before(back int) float64 { return t.sums[(t.n-back)%len(t.sums)] }

// over returns the sum of the latest n cells.
func (t *trail) over(n int) float64 { return t.before(0) - t.before(n) }

// push takes in a cell.
func (t *trail) push(x float64, counts bool) {
	if counts {
		t.sum += x
	}
	before := t.before(0)
	t.n++
	t.sums[t.n%len(t.sums)] = before + x
	for i := range t.windows {
		w := &t.windows[i]
		if w.part == 0 {
			if t.n >= w.whole {
				w.take(t.over(w.whole), float64(t.n)-float64(w.whole)/2)
			}
			continue
		}
		if t.n <= w.whole {
			continue
		}
		// The largest one of whole cells and a part has an end on a border of cells.
		oldest, inner := t.over(w.whole+1)-t.over(w.whole), t.over(w.whole+1)-x
		size := float64(w.whole) + w.part
		w.take(t.over(w.whole)+w.part*oldest, float64(t.n)-size/2)
		w.take(inner+w.part*x, float64(t.n-w.whole-1)+size/2)
	}
}

// largest is the largest mean over one window.
type largest struct {
	whole int     // cells
	part  float64 // of one more
	best  float64 // the sum; -Inf = none yet
	at    float64 // its middle, in cells
}

// newLargest returns the window of ns. Within a cell nothing changes, so that a shorter
// one has the cell's mean.
func newLargest(ns int64) largest {
	w := largest{whole: 1, best: math.Inf(-1)}
	if ns > cellNs {
		w.whole, w.part = int(ns/cellNs), float64(ns%cellNs)/cellNs
	}
	return w
}

func (w *largest) take(sum, at float64) {
	if sum > w.best {
		w.best, w.at = sum, at
	}
}

func (w *largest) found() bool { return !math.IsInf(w.best, -1) }

func (w *largest) mean() float64 { return w.best / (float64(w.whole) + w.part) }

// stay is the time above a limit.
type stay struct {
	limit       float64
	first, last int // first cell of the first and the last mean above
	cells       int
}

// see takes in the mean that begins with cell k. A break of up to bridge cells counts.
func (a *stay) see(k int, mean float64, bridge int) {
	if mean <= a.limit {
		return
	}
	switch more := k - a.last; {
	case a.cells == 0:
		a.first, a.cells = k, 1
	case more-1 <= bridge:
		a.cells += more
	default:
		a.cells++
	}
	a.last = k
}
