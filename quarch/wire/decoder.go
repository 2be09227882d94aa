package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Kind says what a frame held.
type Kind byte

// The kinds of frames.
const (
	KindReply  Kind = iota + 1 // Text: a reply or a part of one
	KindHeader                 // Header
	KindData                   // stripes, a status, or both
)

// Frame is what one frame held.
type Frame struct {
	Kind   Kind
	Text   []byte // lent until the next Feed; the last part of a reply ends in Prompt
	Header Header

	First  uint64      // index of the first of N stripes, lost ones counted
	N      int         // stripes appended to the columns
	Status Status      // StatusNone if there was none
	More   bool        // the next Frame is of the same frame; HD Plus only
	Lost   uint64      // stripes lost just before First, as best known
	Resync int         // times the frame boundary was lost and found just before First
	Damage *FrameError // the first cause of Lost
}

// Prompt ends a reply.
const Prompt = "\r\n>"

// FrameError is a place where the bytes cannot be what a module sends.
type FrameError struct {
	Offset int64  // bytes of the stream before the frame that cannot be right
	What   string // what is wrong with it
}

func (e *FrameError) Error() string {
	return fmt.Sprintf("frame at byte %d: %s", e.Offset, e.What)
}

// Decoder reads the framed link: replies, and between ExpectStream and an end
// status one stream. It never blocks and never waits. The zero value is ready
// for replies.
type Decoder struct {
	buf  []byte
	base int64 // bytes dropped before buf
	pos  int   // start of the next frame in buf
	mode mode

	header   Header
	size     int    // bytes of a stripe
	places   []byte // of its words
	carry    [12]byte
	carried  int  // bytes of carry that are filled
	skip     int  // bytes to drop until the next stripe starts, after damage
	aligned  bool // every frame so far ended with a whole stripe
	flags    uint16
	next     uint64 // index of the next stripe
	textOpen bool   // a reply has begun and not ended

	longest    int                // payload of the stream, of late
	recent     [8][maxStripe]byte // the last stripes of as many frames
	remembered int                // stripes that were put there
	check      check              // of the unfinished frame at pos
	plus       *plusDecoder       // nil unless the stream is of the HD Plus format
	hunt       *hunt
	trails     *trails     // of the last hunt, for their memory
	floor      int64       // no frame starts here or before
	astray     *FrameError // before the header: what was no frame, while one is looked for
	pending    Frame       // Lost, Resync, Damage not yet handed out

	asked  bool // the end of the stream is to be expected
	hurt   bool // the stream was damaged once
	silent bool // nothing has come for long
	ending bool // an end was read that is not believed yet
}

type mode byte

const (
	modeReplies mode = iota
	modeHeader
	modeStripes
)

// keepBack is how many bytes before the next frame are kept: bytes lost at the
// end of a frame make it swallow as many of the next.
const keepBack = 32

// ExpectStream says that a stream was asked for: the next frame that is no reply
// is its header. Stripes count from 0 again.
func (d *Decoder) ExpectStream() {
	*d = Decoder{buf: d.buf, base: d.base, pos: d.pos, mode: modeHeader, aligned: true, floor: -1, trails: d.trails}
}

// Reset forgets everything that was fed and returns to replies.
func (d *Decoder) Reset() { *d = Decoder{buf: d.buf[:0]} }

// Feed adds bytes, in any split.
func (d *Decoder) Feed(p []byte) {
	d.silent = d.silent && len(p) == 0
	keep := max(d.pos-keepBack, 0)
	if d.hunt != nil {
		keep = max(d.hunt.keepFrom(d), 0)
	}
	if keep > 0 {
		d.buf = d.buf[:copy(d.buf, d.buf[keep:])]
		d.base += int64(keep)
		d.pos -= keep
	}
	d.buf = append(d.buf, p...)
}

// Next returns the next whole frame and appends its stripes to cols; ok is false
// until more is fed. After an error the decoder is of no use until Reset.
func (d *Decoder) Next(cols *Columns) (f Frame, ok bool, err error) {
	for {
		if d.plus.handing() {
			return d.handOut(cols), true, nil
		}
		if d.hunt != nil && !d.hunt.run(d) {
			return Frame{}, false, nil
		}
		if d.mode == modeHeader {
			if v, err := d.opening(); v != good || err != nil {
				return Frame{}, false, err
			}
		}
		rest := d.buf[d.pos:]
		if len(rest) < 2 {
			return Frame{}, false, nil
		}
		length := int(binary.LittleEndian.Uint16(rest))
		if length == 0 || length > MaxPayload {
			what := fmt.Sprintf("length %d (want 1 to %d)", length, MaxPayload)
			if d.mode != modeStripes {
				return Frame{}, false, &FrameError{d.base + int64(d.pos), what}
			}
			d.damaged(what, 0)
			continue
		}
		if len(rest) < 2+length {
			if d.mode == modeStripes && !d.examine(rest[2:], length) {
				d.damaged("words that no module sends", length)
				continue
			}
			return Frame{}, false, nil
		}
		f, verdict, err := d.frame(rest[2:2+length], rest[2+length:], cols)
		switch {
		case err != nil:
			return Frame{}, false, err
		case verdict == wait:
			return Frame{}, false, nil
		case verdict == bad:
			d.damaged("words that no module sends", length)
			continue
		case verdict == oddStatus:
			d.damaged(fmt.Sprintf("status %d is unknown (want 0 to 3 or 7)", rest[1+length]), length)
			continue
		case verdict == noEnd:
			d.damaged(fmt.Sprintf("an end (status %d) that no reply but more follows", rest[1+length]), length)
			continue
		}
		d.pos += 2 + length
		d.longest = max(length, d.longest-d.longest/32)
		d.check = check{}
		return f, true, nil
	}
}

type verdict byte

const (
	wait verdict = iota
	good
	bad
	oddStatus
	noEnd
)

// frame judges and decodes one whole payload; after is what was fed beyond it.
func (d *Decoder) frame(payload, after []byte, cols *Columns) (Frame, verdict, error) {
	if bytes.HasSuffix(payload, []byte(Prompt)) && isText(payload) || d.textOpen && isText(payload) {
		d.textOpen = !bytes.HasSuffix(payload, []byte(Prompt)) && !bytes.Equal(payload, []byte(">"))
		return Frame{Kind: KindReply, Text: payload, Status: StatusNone}, good, nil
	}
	status, data := StatusNone, payload
	if len(payload)&1 != 0 {
		status, data = Status(payload[len(payload)-1]), payload[:len(payload)-1]
	}
	switch d.mode {
	case modeReplies:
		if isText(payload) && len(payload) > 1 {
			return d.textPart(payload), good, nil
		}
		return Frame{Kind: KindData, Status: status}, good, nil
	case modeHeader:
		return d.headerFrame(payload, status)
	}
	if d.plus != nil {
		f, v := d.plusFrame(payload, status, cols)
		return f, v, nil
	}
	f, v := d.dataFrame(payload, data, status, after, cols)
	return f, v, nil
}

func (d *Decoder) textPart(payload []byte) Frame {
	d.textOpen = true
	return Frame{Kind: KindReply, Text: payload, Status: StatusNone}
}

func (d *Decoder) headerFrame(payload []byte, status Status) (Frame, verdict, error) {
	if len(payload) == 1 && (status == StatusNoData || status == StatusSync) {
		return Frame{Kind: KindData, Status: status}, good, nil
	}
	h, err := ParseHeader(payload)
	if err != nil {
		if isText(payload) && len(payload) > 1 {
			return d.textPart(payload), good, nil
		}
		return Frame{}, bad, err
	}
	d.mode, d.header = modeStripes, h
	if h.Plus() {
		d.plus = &plusDecoder{}
	}
	d.size, d.places = h.Mask.StripeBytes(), h.Mask.places()
	d.floor = d.base + int64(d.pos+1+len(payload))
	f := Frame{Kind: KindHeader, Header: h, Status: StatusNone, Resync: d.pending.Resync, Damage: d.pending.Damage}
	d.pending = Frame{}
	return f, good, nil
}

func (d *Decoder) dataFrame(payload, data []byte, status Status, after []byte, cols *Columns) (Frame, verdict) {
	before := len(cols[d.anyChannel()])
	s := d.decode(data, cols)
	n := len(cols[d.anyChannel()]) - before
	if !s.ok || d.header.Version == VersionPPM && !cols.withinPPM(before) {
		cols.Truncate(before)
		if isText(payload) && len(payload) > 1 {
			return d.textPart(payload), good
		}
		return Frame{}, bad
	}
	if status != StatusNone && !status.known() {
		cols.Truncate(before)
		return Frame{}, oddStatus
	}
	if status.Ends() {
		if v := d.ends(d.pos + 2 + len(payload)); v != good {
			cols.Truncate(before)
			return Frame{}, v.ofEnd()
		}
	}
	if s.union&flagBits&^d.flags != 0 && !status.Ends() && status != StatusSync {
		// Flags that this stream never had are damage as likely as a trigger:
		// the frame is believed once the next one starts where it should.
		v := lengthVerdict(after)
		if v != good {
			cols.Truncate(before)
			return Frame{}, v
		}
	}
	d.commit(s)
	d.remember(data)
	f := Frame{Kind: KindData, First: d.next, N: n, Status: status}
	d.next += uint64(n)
	if n > 0 || status.Ends() {
		f.Lost, f.Resync, f.Damage = d.pending.Lost, d.pending.Resync, d.pending.Damage
		d.pending = Frame{}
	}
	if status.Ends() {
		d.mode = modeReplies
	}
	return f, good
}

func lengthVerdict(p []byte) verdict {
	if len(p) < 2 {
		return wait
	}
	if n := binary.LittleEndian.Uint16(p); n == 0 || n > MaxPayload {
		return bad
	}
	return good
}

func (d *Decoder) anyChannel() int {
	for c := range Channels {
		if d.header.Mask.has(c) {
			return c
		}
	}
	return 0
}

// decoded is what decoding a payload would leave behind, kept apart until the
// frame is believed.
type decoded struct {
	ok      bool
	union   uint16
	carry   [12]byte
	carried int
	skip    int
}

func (d *Decoder) decode(data []byte, cols *Columns) decoded {
	s := decoded{ok: true, carry: d.carry, carried: d.carried}
	judged := d.edgesPlausible(data)
	cut := min(d.skip, len(data))
	s.skip = d.skip - cut
	data = data[cut:]
	if s.carried > 0 {
		n := copy(s.carry[s.carried:d.size], data)
		data = data[n:]
		s.carried += n
		if s.carried < d.size {
			s.ok = judged
			return s
		}
		s.union, s.ok = decodeStripes(s.carry[:d.size], d.header.Mask, cols)
	}
	union, ok := decodeStripes(data, d.header.Mask, cols)
	s.union, s.ok = s.union|union, s.ok && ok && judged
	s.carried = copy(s.carry[:], data[len(data)/d.size*d.size:])
	return s
}

// edgesPlausible judges the words of data that are no whole stripe in it.
func (d *Decoder) edgesPlausible(data []byte) bool {
	phase := d.phase()
	lead := min((d.size-phase)%d.size, len(data))
	tail := lead + (len(data)-lead)/d.size*d.size
	return wordsPlausible(data[:lead], phase, d.places) && wordsPlausible(data[tail:], 0, d.places)
}

func wordsPlausible(p []byte, phase int, places []byte) bool {
	for i := 0; i+1 < len(p); i += 2 {
		if !plausible(places[(phase+i)/2%len(places)], binary.LittleEndian.Uint16(p[i:])) {
			return false
		}
	}
	return true
}

func (d *Decoder) commit(s decoded) {
	d.carry, d.carried, d.skip = s.carry, s.carried, s.skip
	d.flags |= s.union & flagBits
	d.aligned = d.aligned && s.carried == 0 && s.skip == 0
}

// remember keeps the last whole stripe of data that was committed.
func (d *Decoder) remember(data []byte) {
	if end := len(data) - d.carried; end >= d.size {
		copy(d.recent[d.remembered%len(d.recent)][:], data[end-d.size:end])
		d.remembered++
	}
}

// phase returns how many bytes of a stripe went before the frame at pos.
func (d *Decoder) phase() int {
	if d.skip > 0 {
		return d.size - d.skip
	}
	return d.carried
}

func isText(p []byte) bool {
	for _, b := range p {
		if (b < ' ' || b > '~') && b != '\r' && b != '\n' {
			return false
		}
	}
	return true
}
