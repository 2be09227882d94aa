package model

import "slices"

// InrushSpec says what to state of each start-up.
type InrushSpec struct {
	WindowsNs                 []int64 // of the moving means whose maxima are peaks, cut to multiples of 20 µs, at least one
	Limit5VAmps, Limit12VAmps float64 // for Above; 0 = not asked
	LimitWindowNs             int64   // of the moving mean that is held against the limits
}

// InrushTruth is one start-up. Its times in seconds count from FirstNs.
type InrushTruth struct {
	OnNs    int64 // the power command took effect
	FirstNs int64 // either rail reached 1 % of its nominal volts
	UVLONs  int64 // the drive came to life
	EndNs   int64 // the window that the peaks are from is [OnNs, EndNs)

	UVLOVolts      float64 // of the supply of the rail with the lock-out, at UVLONs
	ReadyS         float64 // the drive serves IO, unless it loses power before
	EnergyToReadyJ float64 // from OnNs to then, or to EndNs if that is sooner

	Rail5V, Rail12V RailInrush
	Total           RailInrush // watts only
}

// RailInrush is the waveform of a rail without the instrument's noise.
type RailInrush struct {
	Peaks                   []Peak
	AboveFirstS, AboveLastS float64 // middle of the first and last mean above the limit
	AboveTotalS             float64 // 0 = never above
}

// Peak is the largest moving mean of a window. AtS is the window's middle.
type Peak struct {
	WindowNs int64
	Amps     float64
	AmpsAtS  float64
	Watts    float64
	WattsAtS float64
}

// Inrushes returns every start-up so far that the drive came to life in, from
// power-on to a second after it was ready or to the next command.
func (d *Drive) Inrushes(spec InrushSpec) []InrushTruth {
	h := d.past.Load()
	var out []InrushTruth
	for _, onNs := range h.cycles {
		if t, ok := d.inrush(h, onNs, &spec); ok {
			out = append(out, t)
		}
	}
	return out
}

func (d *Drive) inrush(h *history, onNs int64, spec *InrushSpec) (t InrushTruth, ok bool) {
	i := slices.IndexFunc(h.lives, func(l life) bool { return l.born >= cellFrom(onNs) })
	if i < 0 || h.lives[i].born*cellNs > h.nextNs(onNs) {
		return t, false
	}
	born := h.lives[i].born
	readyNs := born*cellNs + d.cfg.ReadyNs
	t = InrushTruth{OnNs: onNs, UVLONs: born * cellNs, UVLOVolts: h.volts(railIndex(d.cfg.LockOut.Rail), born*cellNs)}
	t.EndNs = min(readyNs+1000*msNs, h.nextNs(onNs))
	t.FirstNs = min(h.reaches(on5V, onNs, d.cfg.Rail5V.NominalVolts/100), h.reaches(on12V, onNs, d.cfg.Rail12V.NominalVolts/100))
	t.ReadyS = float64(readyNs-t.FirstNs) * 1e-9
	t.EnergyToReadyJ = d.Truth(onNs, min(readyNs, t.EndNs)).EnergyJ

	s := d.series(h, cellFrom(onNs), cellAt(t.EndNs))
	originS := float64(t.FirstNs-cellFrom(onNs)*cellNs) * 1e-9
	for _, ns := range spec.WindowsNs {
		n := int(max(ns/cellNs, 1))
		t.Rail5V.peak(ns, n, originS, s.amps[on5V], s.watts[on5V])
		t.Rail12V.peak(ns, n, originS, s.amps[on12V], s.watts[on12V])
		t.Total.peak(ns, n, originS, nil, s.total)
	}
	n := int(max(spec.LimitWindowNs/cellNs, 1))
	t.Rail5V.above(spec.Limit5VAmps, n, originS, s.amps[on5V])
	t.Rail12V.above(spec.Limit12VAmps, n, originS, s.amps[on12V])
	return t, true
}

// reaches returns when a rail's supply reaches volts on the ramp that began at
// onNs, or forever if it does not.
func (h *history) reaches(rail int, onNs int64, volts float64) int64 {
	r := h.ramp(rail, onNs)
	if r == nil { // the drive does not have it
		return forever
	}
	if r.from >= volts {
		return onNs
	}
	if r.to < volts {
		return forever
	}
	return r.startNs + int64((volts-r.from)/(r.to-r.from)*float64(r.endNs-r.startNs))
}

// series is the running sum of a stretch of the waveform, cell by cell; each
// begins with 0.
type series struct {
	amps, watts [railCount][]float64
	total       []float64
}

func (d *Drive) series(h *history, from, to int64) *series {
	s := &series{}
	d.mu.Lock()
	w := d.wave(h)
	d.mu.Unlock()
	var sum point
	var watts [railCount]float64
	push := func() {
		for rail := range railCount {
			s.amps[rail] = append(s.amps[rail], sum.i[rail])
			s.watts[rail] = append(s.watts[rail], watts[rail])
		}
		s.total = append(s.total, watts[on5V]+watts[on12V])
	}
	push()
	var work batch
	for c := from; c < to; c++ {
		k := (c - from) % batchCells
		if k == 0 {
			d.works(c, &work)
		}
		p := w.at(c, work[k])
		for rail := range railCount {
			sum.i[rail] += p.i[rail]
			watts[rail] += p.watts(rail)
		}
		push()
	}
	return s
}

// peak appends the largest mean of n cells. A window longer than the stretch has
// none.
func (r *RailInrush) peak(windowNs int64, n int, originS float64, amps, watts []float64) {
	if n >= len(watts) {
		return
	}
	p := Peak{WindowNs: windowNs}
	if amps != nil {
		p.Amps, p.AmpsAtS = largest(amps, n, originS)
	}
	p.Watts, p.WattsAtS = largest(watts, n, originS)
	r.Peaks = append(r.Peaks, p)
}

func largest(sum []float64, n int, originS float64) (mean, atS float64) {
	best := 0
	for k := range len(sum) - n {
		if sum[k+n]-sum[k] > sum[best+n]-sum[best] {
			best = k
		}
	}
	return (sum[best+n] - sum[best]) / float64(n), middle(best, n, originS)
}

// above finds where the moving mean of n cells is above limit.
func (r *RailInrush) above(limit float64, n int, originS float64, sum []float64) {
	if limit <= 0 {
		return
	}
	cells := 0
	for k := 0; k+n < len(sum); k++ {
		if sum[k+n]-sum[k] <= limit*float64(n) {
			continue
		}
		if cells == 0 {
			r.AboveFirstS = middle(k, n, originS)
		}
		r.AboveLastS = middle(k, n, originS)
		cells++
	}
	r.AboveTotalS = float64(cells) * cellNs * 1e-9
}

// middle returns the middle of the n cells from k on, in seconds from the origin.
func middle(k, n int, originS float64) float64 {
	return (float64(k)+float64(n)/2)*cellNs*1e-9 - originS
}
