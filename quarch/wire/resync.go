package wire

import (
	"bytes"
	"encoding/binary"
)

// check is the judgement of a payload as far as it has come: it may still be
// stripes, or text, or neither.
type check struct {
	seen            int // bytes judged
	notData, noText bool
}

// examine goes on judging: have is what came of a payload of the given length,
// phase how many bytes of a stripe went before it. It reports whether the
// payload can still be right.
func (c *check) examine(have []byte, length, phase int, places []byte) bool {
	have = have[:min(len(have), length)]
	data := length &^ 1
	for ; c.seen < len(have); c.seen++ {
		b := have[c.seen]
		if (b < ' ' || b > '~') && b != '\r' && b != '\n' {
			c.noText = true
		}
		if c.seen&1 == 1 && c.seen < data && !c.notData {
			w := uint16(have[c.seen-1]) | uint16(b)<<8
			if !plausible(places[(phase+c.seen-1)/2%len(places)], w) {
				c.notData = true
			}
		}
		if c.notData && c.noText {
			return false
		}
	}
	return !c.notData || !c.noText
}

// hunt looks for the next frame after damage. It judges the stream byte by byte,
// so that its result does not depend on how the stream was split.
type hunt struct {
	from     int64 // start of the damaged frame
	length   int   // its length; 0 if that is what cannot be right
	expected int64 // where the next frame would start if nothing were missing
	scanned  int64 // bytes judged, from the start of the stream
	live     []candidate
}

// near is how many missing bytes the hunt takes for a known loss: then the
// lengths still tell how many stripes are gone.
const near = 4

// candidate is a place where a frame may start, with the frames that follow it.
type candidate struct {
	at      int64
	near    bool
	missing int64 // bytes; valid if near
	phase0  int   // of the first frame
	pos     int64 // frame under examination
	phase   int
	check   check
	frames  int // whole ones, of any kind
	data    int // of them with stripes
	stripes int
}

func (d *Decoder) damaged(what string, length int) {
	at := d.base + int64(d.pos)
	if d.plus != nil {
		d.plusGiveUp()
	}
	if d.pending.Damage == nil {
		d.pending.Damage = &FrameError{at, what}
	}
	h := &hunt{from: at, length: length, expected: at, scanned: max(at-near, d.base, d.floor+1)}
	if length > 0 {
		h.expected = at + 2 + int64(length)
		h.scanned = max(at+1, d.floor+1)
	}
	h.scanned++ // a place is judged once its two length bytes are there
	d.floor = max(d.floor, at)
	d.hunt, d.check = h, check{}
}

// keepFrom returns the index of the first byte that the hunt may still need.
func (h *hunt) keepFrom(d *Decoder) int {
	keep := h.scanned - 1
	for _, c := range h.live {
		keep = min(keep, c.at)
	}
	return int(keep-d.base) - keepBack
}

// run goes on with what was fed; it reports whether a frame was found, which
// then is at d.pos.
func (h *hunt) run(d *Decoder) bool {
	for end := int(h.scanned - d.base); end < len(d.buf); end++ {
		h.spawn(d, h.scanned-1)
		h.scanned++
		if c, ok := h.judge(d, d.buf[:end+1]); ok {
			h.accept(d, c)
			return true
		}
	}
	return false
}

// spawn adds the candidates that start at a place.
func (h *hunt) spawn(d *Decoder, at int64) {
	if at == h.from || lengthVerdict(d.buf[at-d.base:]) != good {
		return
	}
	c := candidate{at: at, pos: at, missing: h.expected - at}
	if c.missing >= 0 && c.missing <= near {
		c.near = true
		if d.plus != nil {
			h.live = append(h.live, c)
			return
		}
		c.phase0 = (d.phase() + h.length&^1) % d.size
		c.phase = c.phase0
		h.live = append(h.live, c)
		return
	}
	if d.plus != nil {
		if h.plusMayStart(d, int(binary.LittleEndian.Uint16(d.buf[at-d.base:]))) {
			h.live = append(h.live, c)
		}
		return
	}
	for phase := 0; phase < d.size; phase += 2 {
		c.phase0, c.phase = phase, phase
		h.live = append(h.live, c)
		if d.aligned {
			return
		}
	}
}

// judge drops the candidates that are refuted by buf and returns the first that
// is proved.
func (h *hunt) judge(d *Decoder, buf []byte) (candidate, bool) {
	kept := h.live[:0]
	for _, c := range h.live {
		switch c.advance(d, buf) {
		case good:
			return c, true
		case wait:
			kept = append(kept, c)
		}
	}
	h.live = kept
	return candidate{}, false
}

// enoughFrames in a row are no accident, whatever is in them.
const enoughFrames = 4

// advance follows the frames of a candidate as far as buf goes. It is proved by
// two frames with two stripes or four frames of any kind, if they are longer than a frame of
// the stream; by a reply; or by a sync that something goes before: stripes, or the certainty
// of standing where the lengths say.
func (c *candidate) advance(d *Decoder, buf []byte) verdict {
	for {
		rest := buf[c.pos-d.base:]
		if v := lengthVerdict(rest); v != good {
			return v
		}
		length := int(binary.LittleEndian.Uint16(rest))
		if !c.examine(d, rest[2:], length) {
			return bad
		}
		if len(rest) < 2+length {
			return wait
		}
		if v := c.whole(d, rest[2:2+length]); v != wait {
			return v
		}
		c.pos += int64(2 + length)
		c.check = check{}
	}
}

// examine judges the frame at pos as far as it has come.
func (c *candidate) examine(d *Decoder, have []byte, length int) bool {
	if d.plus != nil {
		return c.plusExamine(d, have, length)
	}
	return c.check.examine(have, length, c.phase, d.places)
}

// whole counts one whole frame of a candidate; wait means that more must follow.
func (c *candidate) whole(d *Decoder, payload []byte) verdict {
	c.frames++
	span := c.pos - c.at + 2 + int64(len(payload))
	if c.check.notData || isText(payload) && len(payload) > 1 {
		if bytes.HasSuffix(payload, []byte(Prompt)) {
			return good
		}
		return c.proved(d, span)
	}
	data := len(payload) &^ 1
	if d.plus != nil {
		if !c.plusPayload(d, payload[:data]) {
			return bad
		}
	} else {
		c.stripes += (c.phase + data) / d.size
		c.phase = (c.phase + data) % d.size
		if data > 0 {
			c.data++
		}
	}
	if len(payload) > data {
		status := Status(payload[data])
		switch {
		case !status.known():
			return bad
		case status == StatusNoData:
		case status.Ends():
			return c.ends(d, span, data)
		case c.stripes > 0 || c.near && c.missing <= 1:
			return good
		}
	}
	return c.proved(d, span)
}

// ends judges an end status after so many bytes of data. Samples may look like a frame that
// ends the stream, and there would be no way back: it takes frames of data before it, or a
// frame of its own where the lengths say that one must be.
func (c *candidate) ends(d *Decoder, span int64, data int) verdict {
	if d.goesOn(int(c.pos-d.base) + 2 + data + 1) {
		return bad
	}
	if c.proved(d, span) == good || c.near && c.missing <= 1 && data == 0 {
		return good
	}
	return bad
}

// proved judges frames that are span bytes long together. Readings that hardly change may
// hold words that look like lengths, each leading to the next, as long as it goes inside
// one frame: its end puts them out of step.
func (c *candidate) proved(d *Decoder, span int64) verdict {
	if span < int64(d.longest)+2 {
		return wait
	}
	if c.data >= 2 && c.stripes >= 2 || c.frames >= enoughFrames {
		return good
	}
	return wait
}

// accept goes on at c and counts what was lost between.
func (h *hunt) accept(d *Decoder, c candidate) {
	if d.plus != nil {
		h.plusAccept(d, c)
		return
	}
	gone := int64(d.phase()) + c.at - h.from
	if c.near {
		gone = int64(d.phase() + h.length&^1)
	}
	lost := uint64(gone) / uint64(d.size)
	d.carried, d.skip = 0, 0
	if c.phase0 > 0 {
		lost++
		d.skip = d.size - c.phase0
	}
	h.goOn(d, c, lost)
}

func (h *hunt) goOn(d *Decoder, c candidate, lost uint64) {
	d.next += lost
	d.pending.Lost += lost
	d.pending.Resync++
	d.pos = int(c.at - d.base)
	d.hunt, d.check = nil, check{}
}
