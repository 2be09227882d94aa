package model

// rests are the pauses in which the host asks nothing of a drive that has idle states.
// Those behind it are kept for the whole run, if one of the states was entered.
type rests struct {
	least int64 // cells until the first state has been entered
	done  []span
	from  int64 // the drive rests from here on, if no IO comes; forever = it is dead
}

// busy says that the drive has something to do from cell c until cell end.
func (r *rests) busy(c, end int64) {
	r.cut(c)
	r.from = max(r.from, end)
}

// drop says that the drive has died at cell c.
func (r *rests) drop(c int64) {
	r.cut(c)
	r.from = forever
}

// begin lets a drive rest from cell c on, unless it is known to be alive.
func (r *rests) begin(c int64) {
	if r.from == forever {
		r.from = c
	}
}

func (r *rests) cut(c int64) {
	if r.from != forever && c-r.from >= r.least {
		r.done = append(r.done, span{r.from, c})
	}
}

// at returns the rest that cell c lies in; without one, an empty one that begins with
// the next, and the rest before.
func (r *rests) at(c int64) (rest, before span) {
	if c >= r.from {
		return span{r.from, forever}, before
	}
	i := newest(len(r.done), c, func(i int) int64 { return r.done[i].from })
	if i >= 0 && c < r.done[i].to {
		return r.done[i], before
	}
	next := r.from
	if i+1 < len(r.done) {
		next = r.done[i+1].from
	}
	if i >= 0 {
		before = r.done[i]
	}
	return span{next, next}, before
}

// wake returns when the drive is there for an IO that reaches it at nowNs, and gets it
// out of its idle state.
func (d *Drive) wake(nowNs int64) int64 {
	if len(d.cfg.IdleStates) == 0 {
		return nowNs
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := max(cellFrom(nowNs), d.filled)
	h := d.past.Load()
	l := h.lifeAt(c)
	if l == nil || d.awakeNs > nowNs || c < l.born+d.start.settled() {
		return max(nowNs, d.awakeNs)
	}
	w := d.wave(h)
	s := w.stretchAt(l, c)
	state := s.state
	if s.entering > 0 {
		c, state = s.entering, state+1
	}
	if state < 0 {
		return nowNs
	}
	d.awakeNs = c*cellNs + d.start.exitNs(&d.cfg.IdleStates[state])
	d.rests.busy(c, cellFrom(d.awakeNs))
	return max(nowNs, d.awakeNs)
}
