package model

// span is a stretch of cells, the last one excluded.
type span struct{ from, to int64 }

// chores are when the drive works on after its host has stopped writing. Those
// behind it are kept for the whole run: one at most for each pause of QuietNs.
type chores struct {
	done   []span
	next   span  // begins or has begun, if no IO interrupts it
	owedNs int64 // of work
}

// interrupt ends the work under way at cell c, in which the drive has something else
// to do until cell end, and plans the next one.
func (h *chores) interrupt(a *After, c, end int64) {
	h.cut(c)
	from := max(end+cellsFor(a.QuietNs), h.next.from)
	h.next = span{from, from + h.owedNs/cellNs}
}

// owe adds what a write leaves to be done. Call it while none is under way.
func (h *chores) owe(a *After, workNs int64) {
	h.owedNs = min(a.LongNs, h.owedNs+int64(a.PerWork*float64(workNs)))
	h.next.to = h.next.from + h.owedNs/cellNs
}

// cut ends the work under way at cell c.
func (h *chores) cut(c int64) {
	if to := min(c, h.next.to); to > h.next.from {
		h.done = append(h.done, span{h.next.from, to})
		h.owedNs -= (to - h.next.from) * cellNs
	}
	if c > h.next.from {
		h.next = span{c, c}
	}
}

// drop forgets what there would be to do from cell c on: the drive has died.
func (h *chores) drop(c int64) {
	h.cut(c)
	h.next, h.owedNs = span{c, c}, 0
}

// on says whether the drive works in cell c.
func (h *chores) on(c int64) bool {
	if c >= h.next.from {
		return c < h.next.to
	}
	i := newest(len(h.done), c, func(i int) int64 { return h.done[i].from })
	return i >= 0 && c < h.done[i].to
}

// sameUntil returns the end of the cells from c on in which the drive goes on working, or
// not working, as it does in c.
func (h *chores) sameUntil(c int64) int64 {
	if c >= h.next.from {
		if c < h.next.to {
			return h.next.to
		}
		return forever
	}
	i := newest(len(h.done), c, func(i int) int64 { return h.done[i].from })
	switch {
	case i >= 0 && c < h.done[i].to:
		return h.done[i].to
	case i+1 < len(h.done):
		return h.done[i+1].from
	}
	return h.next.from
}

// ns returns for how long the drive works in [startNs, endNs).
func (h *chores) ns(startNs, endNs int64) (sum int64) {
	add := func(s span) { sum += max(0, min(s.to*cellNs, endNs)-max(s.from*cellNs, startNs)) }
	add(h.next)
	for i := newest(len(h.done), cellAt(endNs), func(i int) int64 { return h.done[i].from }); i >= 0 && h.done[i].to*cellNs > startNs; i-- {
		add(h.done[i])
	}
	return sum
}

// watts returns the power of the work by rail.
func (a *After) watts() [railCount]float64 {
	return split(a.Portion5V, a.Watts)
}
