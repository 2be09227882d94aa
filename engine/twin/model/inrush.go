package model

import "slices"

// InrushSpec says what to state of which start-ups.
type InrushSpec struct {
	FromNs, ToNs int64 // power-ons in [FromNs, ToNs), host time, followed up to ToNs; ToNs 0 = all, to a second after each was ready

	WindowsNs                   []int64   // of the moving means whose maxima are peaks; 20 µs at least, a minute at most
	Limits5VAmps, Limits12VAmps []float64 // for Above
	LimitWindowNs               int64     // of the moving mean that is held against the limits, in whole cells
}

// endNs returns up to where a start-up is followed that is ready at readyNs.
func (s *InrushSpec) endNs(readyNs int64) int64 {
	if s.ToNs != 0 {
		return s.ToNs
	}
	return readyNs + 1000*msNs
}

// InrushTruth is one start-up. Its times in seconds count from FirstNs.
type InrushTruth struct {
	OnNs    int64 // the power command took effect
	FirstNs int64 // either rail reached 1 % of its nominal volts
	UVLONs  int64 // the drive came to life
	EndNs   int64 // the window that the peaks are from is [OnNs, EndNs)

	UVLOVolts      float64 // of the supply of the rail with the lock-out, at UVLONs
	ReadyS         float64 // the drive serves IO; 0 = it lost its power before
	EnergyToReadyJ float64 // from OnNs to then; 0 = that is not within the window

	Rail5V, Rail12V RailInrush
	Total           RailInrush // watts and joules only
}

// RailInrush is the waveform of a rail without the instrument's noise. A rail that the
// drive does not have draws nothing.
type RailInrush struct {
	Peaks   []Peak
	Above   []Above // by limit, as asked
	ChargeC float64 // in [FirstNs, EndNs)
	EnergyJ float64
}

// Above is how long the moving mean lay above a limit. Breaks no longer than that mean
// count as above.
type Above struct {
	LimitAmps     float64
	FirstS, LastS float64 // middle of the first and the last mean above
	TotalS        float64 // 0 = never above
}

// Peak is the largest moving mean of a window. AtS is the window's middle.
type Peak struct {
	WindowNs int64
	Amps     float64
	AmpsAtS  float64
	Watts    float64
	WattsAtS float64
}

// Inrushes returns the start-ups that spec asks for and in which the drive came to life.
// Each ends with the next command at the latest.
func (d *Drive) Inrushes(spec InrushSpec) []InrushTruth {
	h := d.past.Load()
	var out []InrushTruth
	for _, onNs := range h.cycles {
		if spec.ToNs != 0 && (onNs < spec.FromNs || onNs >= spec.ToNs) {
			continue
		}
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
	t.EndNs = min(spec.endNs(readyNs), h.nextNs(onNs))
	t.FirstNs = min(h.reaches(on5V, onNs, d.cfg.Rail5V.NominalVolts/100), h.reaches(on12V, onNs, d.cfg.Rail12V.NominalVolts/100))
	lives := h.lives[i].died == forever || readyNs <= h.lives[i].died*cellNs
	if lives {
		t.ReadyS = float64(readyNs-t.FirstNs) * 1e-9
	}
	if lives && readyNs <= t.EndNs {
		t.EnergyToReadyJ = d.Truth(onNs, readyNs).EnergyJ
	}

	s := newScan(spec, cellFrom(onNs), cellFrom(t.FirstNs))
	d.scan(h, s, cellAt(t.EndNs))
	t.Rail5V = s.rail(on5V, spec)
	t.Rail12V = s.rail(on12V, spec)
	t.Total = RailInrush{Peaks: s.peaks(spec, nil, &s.total), EnergyJ: s.total.sum * cellNs * 1e-9}
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
