package wire

import (
	"bytes"
	"encoding/binary"
)

// hunt looks for the next frame after damage. It follows every row of frames that may begin
// after the damage, until one explanation is better than all others by far. Every place is judged once, in order, by the
// bytes up to two after it: the result does not depend on how the stream was split, and the
// cost of a place not on how far the hunt has come.
type hunt struct {
	from     int64 // start of the damaged frame
	length   int   // its length; 0 if that is what cannot be right
	phase    int   // bytes of a stripe before its data
	expected int64 // where the next frame starts if nothing is missing
	longest  int   // payload of a frame, in bytes, as far as is known
	whole    bool  // every frame before it began with a stripe

	next  int64 // the place to judge
	keep  int64 // places before it are not needed
	limit int64 // from where on the best of several trails is taken
	again int64 // where the trails are compared next

	trails *trails
	ground ground
	found  *trail
}

// near is how many missing bytes the hunt takes for a known loss: then the
// lengths still tell how many stripes are gone.
const near = keepBack

// incredible is how many times as long as all frames before a frame is not believed to be.
const incredible = 32

func (d *Decoder) damaged(what string, length int) {
	at := d.base + int64(d.pos)
	if d.plus != nil {
		d.plusGiveUp()
	}
	if d.pending.Damage == nil {
		d.pending.Damage = &FrameError{at, what}
	}
	if d.trails == nil {
		d.trails = &trails{}
	}
	h := &hunt{from: at, length: length, whole: d.aligned, trails: d.trails}
	if length > 0 {
		h.expected = at + 2 + int64(length)
	}
	h.longest = d.longest
	if d.plus == nil {
		h.phase = d.phase()
		seen := d.recent[:]
		if d.remembered < len(seen) { // what is usual in this stream is not known yet
			seen = nil
			if d.remembered == 0 || length < incredible*d.longest {
				h.longest = max(h.longest, length)
			}
		}
		h.ground = newGround(d.size, d.places, seen)
	}
	h.restart(max(at-near, d.base, d.floor+1))
	d.floor = max(d.floor, at)
	d.hunt, d.check, d.hurt = h, check{}, true
}

// patience is how many of the longest frames are waited for one trail to be the best by far.
const patience = 8

// restart begins the search at a place.
func (h *hunt) restart(at int64) {
	h.next, h.keep, h.again = at, at, at
	h.limit = max(at, h.from) + patience*int64(h.longest+2+near)
	h.trails.reset(at)
}

// keepFrom returns the index of the first byte that the hunt may still need.
func (h *hunt) keepFrom(d *Decoder) int { return int(h.keep-d.base) - keepBack }

// run goes on with what was fed; it reports whether a frame was found, which
// then is at d.pos.
func (h *hunt) run(d *Decoder) bool {
	end := d.base + int64(len(d.buf))
	for ; h.found == nil && h.next+2 <= end; h.next++ {
		h.place(d, h.next)
	}
	if h.found == nil && d.silent {
		h.settle(d, end)
	}
	if h.found == nil {
		return false
	}
	h.accept(d, *h.found)
	return true
}

// place judges a place: first the frames whose data ends there, then its own bytes, then
// the frames that begin one before it, for now the length of those is known.
func (h *hunt) place(d *Decoder, at int64) {
	ts := h.trails
	for t, data, text, ok := ts.arrive(at); ok; t, data, text, ok = ts.arrive(at) {
		switch h.completed(d, &t, data, text) {
		case good:
			h.take(t)
		case wait:
			ts.offer(t)
		}
	}
	p := d.buf[at-d.base:]
	if d.plus == nil {
		h.ground.mark(ts, at, binary.LittleEndian.Uint16(p))
	}
	if !isText(p[:1]) {
		ts.lastRaw = at
	}
	if at > h.keep {
		h.begin(d, at-1)
	}
	if at > h.limit+2*MaxPayload { // nothing was proved: the memory is bounded
		h.restart(at)
	}
}

// take ends the hunt with t, unless it has ended with a better one.
func (h *hunt) take(t trail) {
	if h.found == nil || t.better(h.found) {
		h.found = &t
	}
}

// completed counts a whole frame of t, whose data ends where the judgement stands. good means
// that t is proved: by a reply.
func (h *hunt) completed(d *Decoder, t *trail, data, text bool) verdict {
	payload := d.buf[t.start+2-d.base:][:t.length]
	even := int(t.length) &^ 1
	text = text && isText(payload[even:])
	t.frames++
	t.start += 2 + int64(t.length)
	switch {
	case text && bytes.HasSuffix(payload, []byte(Prompt)):
		return good
	case data && h.samples(d, t, payload[:even]):
	case text:
		return wait
	default:
		return bad
	}
	if len(payload) > even {
		status := Status(payload[even])
		t.ended = status.Ends()
		if !status.known() {
			return bad
		}
	}
	return wait
}

// ragged is for how many unlikely words a frame stands that ends within a stripe, where none
// did before: a module may do so after a pause, when much has waited.
const ragged = 8

// samples counts the samples of a frame of t; it reports whether they may be right.
func (h *hunt) samples(d *Decoder, t *trail, data []byte) bool {
	if d.plus != nil {
		return t.plusPayload(d, data)
	}
	t.unlikely += h.trails.unlikely[t.residue] - t.unlikely0
	n := int(t.phase) + len(data)
	t.stripes += int32(n / d.size)
	t.phase = int8(n % d.size)
	if len(data) > 0 {
		t.data++
	}
	if h.whole && t.phase != 0 {
		t.unlikely += ragged
	}
	return true
}

// begin judges the frames that may begin at a place.
func (h *hunt) begin(d *Decoder, at int64) {
	ts := h.trails
	k := at % beginRing
	p := d.buf[at-d.base:]
	if lengthVerdict(p) == good {
		h.spawn(d, at)
		h.decide(at)
		for i, is := range ts.some[k] {
			if is {
				t := ts.begin[k][i]
				length := int(binary.LittleEndian.Uint16(p))
				t.residue = h.residue(d, &t, length)
				ts.follow(t, length)
			}
		}
	}
	ts.some[k] = [maxPhases]bool{}
}

// residue returns that of the stripes in a frame of t that begins at its start.
func (h *hunt) residue(d *Decoder, t *trail, length int) int8 {
	switch {
	case t.ended:
		return noData
	case d.plus != nil:
		return t.plusResidue(d, length)
	}
	return int8((int(t.start%int64(d.size)) + 2 + d.size - int(t.phase)) % d.size)
}

// spawn adds the trails that may begin at a place.
func (h *hunt) spawn(d *Decoder, at int64) {
	if at == h.from {
		return
	}
	t := trail{origin: at, start: at, skipped: h.passed(at)}
	if at > h.from && (d.plus == nil || h.plusMayStart(d, at)) {
		for h.offer(t, 0); d.plus == nil && int(t.phase) < d.size-2; h.offer(t, t.phase) {
			t.phase += 2
		}
	}
	switch missing := h.expected - at; {
	case at < h.from:
		t.kin, t.missing = before, int8(h.from-at)
		h.offer(t, int8(h.phase))
	case h.length > 0 && missing >= 0 && missing <= near:
		t.kin, t.missing = expected, int8(missing)
		h.offer(t, h.phaseAfter(d))
	}
}

// passed returns how many bytes are before a place, or a thousand million of them.
func (h *hunt) passed(at int64) int32 { return int32(min(at-h.from, 1e9)) }

// offer adds t with a phase.
func (h *hunt) offer(t trail, phase int8) {
	if t.phase, t.phase0 = phase, phase; h.whole && phase != 0 {
		t.unlikely += ragged
	}
	h.trails.offer(t)
}

// phaseAfter returns the bytes of a stripe that come before the frame after the damaged one,
// if that has the length that it says.
func (h *hunt) phaseAfter(d *Decoder) int8 {
	if d.plus != nil {
		return 0
	}
	return int8((h.phase + h.length&^1) % d.size)
}

// margin is by how much the score of an explanation must be better than that of any other: in
// bits, one in a million.
const margin = 20

// decide ends the hunt at a place where frames begin, if one of them is proved and no other
// explanation comes near it, or if the best of several has had all the time there is.
func (h *hunt) decide(at int64) {
	if at < h.again {
		return
	}
	ts := h.trails
	var best *trail
	k := at % beginRing
	for i, is := range ts.some[k] {
		if t := &ts.begin[k][i]; is && t.proved(at, h.longest) && (best == nil || t.better(best)) {
			best = t
		}
	}
	if best == nil {
		return
	}
	h.again = at + int64(len(ts.pool)/16) // so that looking at all costs little more than going on
	switch {
	case at >= h.limit:
		for t := range ts.all() {
			if t.proved(t.start, h.longest) && t.better(best) {
				best = t
			}
		}
	case h.passed(at)/3 < best.score()+margin: // what has not begun yet may be as good
		return
	case ts.rival(best):
		return
	}
	h.take(*best)
}

// settle ends the hunt where nothing has come for long: what the module waits in, a sync or
// the end, then ends at the last byte, and so does a reply.
func (h *hunt) settle(d *Decoder, end int64) {
	if h.next != end-1 {
		return
	}
	for t := range h.trails.all() {
		if t.start+2+int64(t.length) != end {
			continue
		}
		u := *t
		data, text := h.trails.judged(t)
		status := StatusNone
		if t.length&1 != 0 {
			status = Status(d.buf[len(d.buf)-1])
		}
		v := h.completed(d, &u, data, text)
		sure := u.kin != stranger || u.proved(end, h.longest)
		if v == good || v == wait && (u.ended && sure || status == StatusSync && (sure || u.stripes > 0)) {
			h.take(u)
		}
	}
}

// accept goes on at t and counts what was lost between.
func (h *hunt) accept(d *Decoder, t trail) {
	if d.plus != nil {
		h.plusAccept(d, t)
		return
	}
	// Where the lengths do not tell, the bytes do, but for those of lengths and those that are
	// missing: t's phase says how many stripes they are if these are few.
	gone := h.phase + h.gone(t) + d.size/4
	gone -= ((gone-int(t.phase0))%d.size + d.size) % d.size
	lost := uint64(max(gone, 0) / d.size)
	d.carried, d.skip = 0, 0
	if t.phase0 > 0 {
		lost++
		d.skip = d.size - int(t.phase0)
	}
	h.goOn(d, t, lost)
}

// gone returns the bytes of samples that are lost before t, or a few more.
func (h *hunt) gone(t trail) int {
	switch t.kin {
	case expected:
		return h.length &^ 1
	case before:
		return 0
	}
	return int(t.origin - h.from)
}

func (h *hunt) goOn(d *Decoder, t trail, lost uint64) {
	d.next += lost
	d.pending.Lost += lost
	d.pending.Resync++
	d.pos = int(t.origin - d.base)
	d.hunt, d.check = nil, check{}
}
