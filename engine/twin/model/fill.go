package model

import "math"

const (
	batchCells = 512     // cells that are calculated in one go
	mostAlike  = 1 << 30 // cells of a stretch; six hours
)

// cellBuffer holds a part of the waveform while Fill walks over it: a batch of cells,
// or a stretch in which all are alike.
type cellBuffer struct {
	first  int64
	points []point
	work   batch
	alike  span
}

func (b *cellBuffer) forget() { b.points, b.alike = b.points[:0], span{} }

// batch is the watts of IO of neighbouring cells by rail.
type batch [batchCells][railCount]float64

// Fill writes stripes: the means over consecutive periods of periodNs from
// startNs on, v in millivolts and a in microamperes, one slice for each of rails,
// as many stripes as the slices are long. They carry the instrument's noise, less
// of it the longer the period. "5v" and "12v" are the drive's; any other rail
// reads as an open channel.
//
// What has been given out stays so: IO and commands that are reported afterwards
// take effect behind it. So a caller asks up to a time before which no IO will be
// admitted any more, see Whole, and no more than a second behind the host's clock: older
// work is known as a mean of each millisecond only.
func (d *Drive) Fill(startNs, periodNs int64, rails []string, v, a [][]int32) {
	if len(rails) == 0 || len(v[0]) == 0 || periodNs <= 0 {
		return
	}
	d.fillMu.Lock()
	defer d.fillMu.Unlock()
	endNs := startNs + int64(len(v[0]))*periodNs
	d.mu.Lock()
	d.filled = max(d.filled, cellAt(endNs-1)+1)
	w := d.wave(d.past.Load())
	d.mu.Unlock()

	d.cells.forget()
	dither := newDither(d, periodNs, rails)
	for k := range v[0] {
		t := startNs + int64(k)*periodNs
		m := d.mean(&w, t, t+periodNs)
		dither.write(&m, t, k, v, a)
	}
}

// mean returns the means of volts and amperes over [from, to).
func (d *Drive) mean(w *wave, from, to int64) point {
	c := cellAt(from)
	p, end := d.cell(w, c)
	if to <= end*cellNs {
		return *p
	}
	var m point
	all := float64(to - from)
	for {
		until := min(end*cellNs, to)
		part := float64(until-from) / all
		for rail := range m.v {
			m.v[rail] += p.v[rail] * part
			m.i[rail] += p.i[rail] * part
		}
		if from = until; from == to {
			return m
		}
		p, end = d.cell(w, end)
	}
}

// cell returns a cell of the waveform with its work, and up to where the cells behind
// it are like it.
func (d *Drive) cell(w *wave, c int64) (p *point, end int64) {
	b := &d.cells
	if c >= b.alike.from && c < b.alike.to {
		return &b.points[0], b.alike.to
	}
	if c < b.first || c >= b.first+int64(len(b.points)) || b.alike.to > b.alike.from {
		if d.load(w, c); b.alike.to > b.alike.from {
			return &b.points[0], b.alike.to
		}
	}
	return &b.points[c-b.first], c + 1
}

// load calculates what begins with cell c: one point for a stretch that is alike, or
// a batch.
func (d *Drive) load(w *wave, c int64) {
	b := &d.cells
	b.forget()
	b.first = c
	watts, until := d.sameWork(c)
	if end := min(w.sameUntil(c), until, c+mostAlike); end > c+1 {
		b.alike = span{c, end}
		b.points = append(b.points, w.at(c, watts))
		return
	}
	d.works(c, &b.work)
	for k := range b.work {
		b.points = append(b.points, w.at(c+int64(k), b.work[k]))
	}
}

// works reads the watts of IO from cell c on.
func (d *Drive) works(c int64, work *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k := range work {
		work[k] = d.workAt(c + int64(k))
	}
}

// sameWork returns the watts of IO in cell c, and the end of the cells from c on that
// are known to have the same; c if none are.
func (d *Drive) sameWork(c int64) (watts [railCount]float64, end int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	end = forever
	switch {
	case !d.ring.holds(c):
		ms := cellMs(c)
		end = (ms + 1) * msCells
		if d.ledger.peek(ms) == nil {
			end = min((ms>>pageBits+1)<<pageBits*msCells, d.ring.tail)
		}
	case d.ring.any && c < d.ring.head:
		return watts, c
	}
	if d.cfg.Flash.After.Watts > 0 {
		end = min(end, d.chores.sameUntil(c))
	}
	if end > c+1 {
		watts = d.workAt(c)
	}
	return watts, end
}

// workAt returns the watts of IO in a cell; the caller holds mu.
func (d *Drive) workAt(c int64) (watts [railCount]float64) {
	var e femto
	longS := cellNs * 1e-9
	if d.ring.holds(c) {
		e = d.ring.at(c)
	} else if ms := cellMs(c); d.ledger.peek(ms) != nil {
		e, longS = d.ledger.peek(ms).drawn[ms&(pageMs-1)], msNs*1e-9
	}
	for rail := range watts {
		watts[rail] = float64(e[rail]) * (joulesPerFemto / longS)
	}
	if a := &d.cfg.Flash.After; a.Watts > 0 && d.chores.on(c) {
		for rail, more := range a.watts() {
			watts[rail] += more
		}
	}
	return watts
}

// dither is the instrument: noise and rounding.
type dither struct {
	n       *normals
	seed    uint64
	index   []int // of each rail asked for, -1 = open
	sigmaMV [railCount]float64
	sigmaUA [railCount]float64
	openMV  float64
	openUA  float64
}

func newDither(d *Drive, periodNs int64, rails []string) *dither {
	t := &dither{n: d.normals, seed: mix(d.cfg.Seed + 1)}
	for _, name := range rails {
		t.index = append(t.index, d.cfg.index(name))
	}
	if d.cfg.NoiseOff {
		return t
	}
	root := math.Sqrt(float64(d.cfg.SampleNs) / float64(max(periodNs, d.cfg.SampleNs)))
	for i := range railCount {
		t.sigmaMV[i] = d.cfg.rail(i).NoiseVolts * 1e3 * root
		t.sigmaUA[i] = d.cfg.rail(i).NoiseAmps * 1e6 * root
	}
	of := on5V
	if d.cfg.Rail5V.absent() {
		of = on12V
	}
	t.openMV, t.openUA = t.sigmaMV[of], t.sigmaUA[of]
	return t
}

// write rounds stripe k, which begins at ns, into the channels. Its noise is a
// function of seed, time and channel.
func (t *dither) write(m *point, ns int64, k int, v, a [][]int32) {
	bits := mix(t.seed ^ uint64(ns))
	for j, rail := range t.index {
		if j > 0 && j%2 == 0 { // 64 bits last for two rails
			bits = mix(t.seed ^ uint64(ns) + uint64(j))
		}
		zv, za := float64(t.n[bits&0xffff]), float64(t.n[bits>>16&0xffff])
		bits >>= 32
		if rail < 0 {
			v[j][k], a[j][k] = round(zv*t.openMV), round(za*t.openUA)
			continue
		}
		v[j][k] = round(m.v[rail]*1e3 + zv*t.sigmaMV[rail])
		a[j][k] = round(m.i[rail]*1e6 + za*t.sigmaUA[rail])
	}
}

// round is faster than math.Round, which treats cases that can't occur here.
func round(x float64) int32 {
	if x < 0 {
		return int32(x - 0.5)
	}
	return int32(x + 0.5)
}
