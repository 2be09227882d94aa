package model

// WindowTruth is what really happened in a window. A completion belongs to the
// window that it lies in.
type WindowTruth struct {
	StartNs, EndNs int64

	Energy5VJ, Energy12VJ float64
	EnergyJ               float64 // of both rails
	MeanW                 float64 // 0 for an empty window

	IOs, Reads, Writes, Bytes uint64
	FirstIONs, LastIONs       int64 // completions; 0 if there was none

	ReadsNs, WritesNs float64 // that they were in the drive together, from its door and back
	LongestNs         float64 // of the longest of them

	// EdgeIOs is how many of the IOs of the run share a millisecond with an edge of
	// the window in a way that leaves open on which side they are: those are split
	// in proportion, and the counts above may be off by as many. 0 = counts exact.
	EdgeIOs uint64
}

// Truth returns what happened in [startNs, endNs), host time. Energy is exact for
// whole milliseconds; a part of a millisecond has its part of the IO energy.
func (d *Drive) Truth(startNs, endNs int64) WindowTruth {
	t := WindowTruth{StartNs: startNs, EndNs: endNs}
	if endNs <= startNs {
		return t
	}
	d.mu.Lock()
	w := d.wave(d.past.Load())
	d.mu.Unlock()
	e := w.energy(startNs, endNs)
	d.served(&t, &e)
	t.Energy5VJ, t.Energy12VJ = e[on5V], e[on12V]
	t.EnergyJ = e[on5V] + e[on12V]
	t.MeanW = t.EnergyJ / (float64(endNs-startNs) * 1e-9)
	return t
}

// energy returns the joules of [startNs, endNs) by rail, without IO.
func (w *wave) energy(startNs, endNs int64) [railCount]float64 {
	a, b := cellAt(startNs), cellAt(endNs)
	e := w.joules(a, b)
	head, tail := w.joules(a, a+1), w.joules(b, b+1)
	for rail := range e {
		e[rail] -= head[rail] * float64(startNs-a*cellNs) / cellNs
		e[rail] += tail[rail] * float64(endNs-b*cellNs) / cellNs
	}
	return e
}

// served adds the ledger's part: counts and joules of IO, and what the drive does
// after it.
func (d *Drive) served(t *WindowTruth, e *[railCount]float64) {
	d.mu.Lock()
	d.ring.settle(cellAt(t.EndNs) + msCells)
	afterS := float64(d.chores.ns(t.StartNs, t.EndNs)) * 1e-9
	d.mu.Unlock()
	for rail, watts := range d.cfg.Flash.After.watts() {
		e[rail] += watts * afterS
	}
	end := cellMs(cellAt(t.EndNs - 1))
	for ms := cellMs(cellAt(t.StartNs)); ms <= end; {
		pageEnd := min((ms>>pageBits+1)<<pageBits-1, end)
		d.mu.Lock()
		for page := d.ledger.peek(ms); page != nil && ms <= pageEnd; ms++ {
			t.add(ms, page.drawn[ms&(pageMs-1)], &page.served[ms&(pageMs-1)], e)
		}
		d.mu.Unlock()
		ms = pageEnd + 1
	}
	t.IOs = t.Reads + t.Writes
}

// add adds what of millisecond ms lies in the window.
func (t *WindowTruth) add(ms int64, drawn femto, b *count, e *[railCount]float64) {
	at := ms * msNs
	from, to := max(t.StartNs-at, 0), min(t.EndNs-at, msNs)
	for rail := range e {
		e[rail] += float64(drawn[rail]) * joulesPerFemto * float64(to-from) / msNs
	}
	n := uint64(b.reads) + uint64(b.writes)
	first, last := int64(b.first), int64(b.last)
	if n == 0 || last < from || first >= to {
		return
	}
	share := 1.0
	if first < from || last >= to {
		share = float64(min(last, to)-max(first, from)) / float64(max(last-first, 1))
		t.EdgeIOs += n
	}
	part := func(n uint64) uint64 { return uint64(share*float64(n) + 0.5) }
	t.Reads += part(uint64(b.reads))
	t.Writes += part(uint64(b.writes))
	t.Bytes += part(uint64(b.bytes))
	t.ReadsNs += share * float64(b.readUnits) * latencyUnitNs
	t.WritesNs += share * float64(b.writeUnits) * latencyUnitNs
	t.LongestNs = max(t.LongestNs, float64(b.longest)*latencyUnitNs)
	if t.FirstIONs == 0 {
		t.FirstIONs = at + max(first, from)
	}
	t.LastIONs = at + min(last, to-1)
}
