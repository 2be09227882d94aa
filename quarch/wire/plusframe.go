package wire

import (
	"encoding/binary"
	"slices"
)

// What Decoder and hunt do otherwise where the data is of the HD Plus format.

// examine reads what has come of the payload at pos; it reports whether that can still be
// right.
func (d *Decoder) examine(have []byte, length int) bool {
	if d.plus != nil {
		return d.plus.take(have, length, d.base+int64(d.pos))
	}
	return d.check.examine(have, length, d.phase(), d.places)
}

// plusFrame reads one whole payload. It is handed out run by run: the first with this
// frame, the rest by Next.
func (d *Decoder) plusFrame(payload []byte, status Status, cols *Columns) (Frame, verdict) {
	p := d.plus
	data := len(payload) &^ 1
	if isText(payload) && len(payload) > 1 && !p.isData(payload[:data]) {
		return d.textPart(payload), good
	}
	if !p.take(payload, len(payload), d.base+int64(d.pos)) || p.odd(data) && !status.Ends() {
		return Frame{}, bad
	}
	if status != StatusNone && !status.known() {
		return Frame{}, oddStatus
	}
	if status.Ends() {
		if v := d.ends(d.pos + 2 + len(payload)); v != good {
			return Frame{}, v.ofEnd()
		}
	}
	p.learn(data)
	p.finish()
	if status.Ends() {
		p.ended()
		d.mode = modeReplies
	}
	p.tail, p.status = true, status
	return d.handOut(cols), good
}

// learn notes how long payloads are; one that damage cut off must not count for much.
func (p *plusDecoder) learn(data int) {
	switch {
	case data == 0:
		return
	case data%PlusBlockBytes == 0:
		p.whole++
	default:
		p.ragged++
	}
	if data == p.previous {
		p.usual = data
	}
	p.previous = data
}

// aligned reports whether payloads hold whole blocks, as a rule.
func (p *plusDecoder) aligned() bool { return p.whole >= p.ragged }

// odd reports whether a payload has not the whole blocks that all have had so far: its
// length is wrong, or it is the stream's last.
func (p *plusDecoder) odd(data int) bool {
	const enough = 8
	return p.whole >= enough && p.ragged == 0 && data%PlusBlockBytes != 0
}

// handing reports whether something of the last payload is still to be handed out.
func (p *plusDecoder) handing() bool { return p != nil && p.tail }

// handOut returns the next run of the last payload, and with the last run its status. The
// stripes that the stream's end shows to be lost come in a frame of their own.
func (d *Decoder) handOut(cols *Columns) Frame {
	p := d.plus
	f := Frame{Kind: KindData, First: d.next, Status: StatusNone}
	if p.run < len(p.runs) {
		r := p.runs[p.run]
		d.note(r.plusGap)
		f.First, f.N = d.next, r.n
		d.tell(&f)
		for c := range cols {
			cols[c] = append(cols[c], p.cols[c][p.handed:p.handed+r.n]...)
		}
		p.run++
		p.handed += r.n
		d.next += uint64(r.n)
	}
	f.More = p.run < len(p.runs) || f.N > 0 && p.status.Ends() && p.gap != (plusGap{})
	if f.More {
		return f
	}
	f.Status = p.status
	if f.Status.Ends() && f.N == 0 {
		d.note(p.gap)
		p.gap = plusGap{}
		f.First = d.next
		d.tell(&f)
	}
	p.empty()
	return f
}

// note counts a gap; the next frame with stripes tells of it.
func (d *Decoder) note(g plusGap) {
	d.next += g.lost
	d.pending.Lost += g.lost
	d.pending.Resync += g.resync
	if d.pending.Damage == nil {
		d.pending.Damage = g.damage
	}
}

// tell says in f what was lost before it.
func (d *Decoder) tell(f *Frame) {
	f.Lost, f.Resync, f.Damage = d.pending.Lost, d.pending.Resync, d.pending.Damage
	d.pending = Frame{}
}

// plusGiveUp forgets all that was read of the present payload, for where its bytes belong is
// not certain; what is wrong with them is kept.
func (d *Decoder) plusGiveUp() {
	p := d.plus
	g := p.start.gap
	for _, r := range p.runs {
		g.add(plusGap{damage: r.damage})
	}
	g.add(plusGap{damage: p.gap.damage})
	p.gap = plusGap{}
	p.empty()
	d.note(g)
}

// plusMayStart reports whether a trail may begin at a place. Where blocks run across frames
// the length there must be the usual one, or the search have gone on for long.
func (h *hunt) plusMayStart(d *Decoder, at int64) bool {
	const long = 64 << 10
	length := int(binary.LittleEndian.Uint16(d.buf[at-d.base:]))
	return d.plus.aligned() || length&^1 == d.plus.usual || h.next-h.from > long
}

// plusResidue returns noData for a frame that cannot hold packets: one without whole blocks
// where all frames had whole blocks so far. The stream's last may be short.
func (t *trail) plusResidue(d *Decoder, length int) int8 {
	if d.plus.aligned() && t.kin == stranger && length&^1%PlusBlockBytes != 0 {
		return noData
	}
	return 0
}

// plusPayload judges the data of a trail's frame and counts its stripes.
func (t *trail) plusPayload(d *Decoder, data []byte) bool {
	if len(data) == 0 || !d.plus.aligned() {
		return true
	}
	for block := range slices.Chunk(swapPairs(nil, data), PlusBlockBytes) {
		if !endsWell(block) {
			return false
		}
		t.stripes++ // at least
	}
	t.data++
	return true
}

// plusAccept is accept where the bytes alone do not say how many stripes they were.
func (h *hunt) plusAccept(d *Decoder, t trail) {
	p := d.plus
	gone, skip := h.gone(t), 0
	switch {
	case t.kin == stranger && h.length > 0:
		gone -= 2
	case t.kin != stranger && !p.aligned():
		skip = (PlusBlockBytes - (p.start.phase+gone)%PlusBlockBytes) % PlusBlockBytes
	}
	if t.kin == stranger && !p.aligned() {
		skip = -1
	}
	lost := p.density.stripes(p.start.unread + gone + max(skip, 0))
	p.restart(skip)
	h.goOn(d, t, lost)
}
