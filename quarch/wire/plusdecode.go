package wire

import (
	"fmt"
	"slices"
)

// plusDecoder reads the packets of an HD Plus stream, one frame's payload after the
// other. Packets may run across frames.
//
// After a packet that cannot be right it seeks an absolute that other packets follow.
// What it skips has no certain number of stripes, for a packet of 3 bytes may stand for
// 255 of them: the number is estimated from what the bytes before it held.
type plusDecoder struct {
	plain   []byte // in logical order, from the first byte of no finished packet
	at      int    // of plain: the next packet, or where one is sought
	carried int    // bytes of plain that came in earlier frames
	taken   int    // bytes of the present payload in plain
	offset  int64  // of its frame in the stream

	last  plusStripe
	known bool // last is a stripe: an absolute went before

	seeking bool
	suspect bool // it seeks since a place in the present payload
	lost    bool // it sought for too long: no payload is like this
	skipped int  // bytes, while seeking

	cols   Columns // stripes of the present payload
	runs   []plusRun
	gap    plusGap // before the next run
	marks  [2]int  // stripes in cols before the last packet but one, and before the last
	handed int     // stripes of cols that were handed out; with the last, all is emptied
	run    int     // of runs, the next to hand out
	ready  bool    // runs may be handed out: the payload is judged
	tail   bool    // the end of the payload is to be handed out
	status Status  // of its end

	density density
	usual   int // bytes of data in the last payload that had any
}

// plusRun is a number of stripes without a gap, and the gap before them.
type plusRun struct {
	plusGap
	n int
}

type plusGap struct {
	lost   uint64
	resync int
	damage *FrameError
}

// maxSought is how far the next absolute is sought in one payload: the rest of a block,
// a whole one, and the packets by which it is known.
const maxSought = 4 * PlusBlockBytes

// chainPackets is how many packets must follow each other from an absolute on before it
// is believed to be one.
const chainPackets = 4

// take reads on: have is what came of the payload of a frame at byte offset, of the
// given length. It reports whether the payload can still be right.
func (p *plusDecoder) take(have []byte, length int, offset int64) bool {
	data := min(len(have), length) &^ 1
	p.offset = offset
	if p.taken == 0 && isText(have) && len(have) < length {
		return true // it may become a reply
	}
	p.plain = swapPairs(p.plain, have[p.taken:data])
	p.taken = data
	p.read(data == length&^1)
	return !p.lost && (!p.seeking || !p.suspect || data < length&^1)
}

// read takes every packet that is there; whole says that the payload has come to its end.
func (p *plusDecoder) read(whole bool) {
	for !p.lost {
		if p.seeking {
			if !p.seek(whole) {
				return
			}
		}
		rest := p.plain[p.at:]
		size, v := packetBytes(rest)
		if v == wait || v == good && len(rest) < size {
			return
		}
		what := ""
		if v == bad {
			what = fmt.Sprintf("packet id %d (want 4, 8, 10, 12 or 14)", rest[0])
		} else {
			p.marks = [2]int{p.marks[1], len(p.cols[0])}
			what = p.packet(rest[:size])
		}
		if what != "" {
			p.damaged(what)
			continue
		}
		p.at += size
	}
}

// packetBytes returns the length of the packet that begins with b.
func packetBytes(b []byte) (n int, v verdict) {
	if len(b) == 0 {
		return 0, wait
	}
	switch Packet(b[0]) {
	case PacketAbsolute:
		return absoluteBytes, good
	case PacketTrigger:
		return triggerBytes, good
	case PacketDelta:
		return deltaBytes, good
	case PacketRepeat:
		return repeatBytes, good
	case PacketBlank:
		if len(b) < blankBytes {
			return 0, wait
		}
		return blankBytes + int(b[1]), good
	}
	return 0, bad
}

// packet takes one whole packet and says what is wrong with it.
func (p *plusDecoder) packet(b []byte) (what string) {
	next, n := p.last, 1
	switch Packet(b[0]) {
	case PacketAbsolute:
		next.absolute(b)
		p.known = true
	case PacketDelta:
		if !next.delta(b) {
			return fmt.Sprintf("a delta of %d bits (want %d)", b[2]>>4, deltaWidth)
		}
	case PacketRepeat:
		n = int(b[2])
	default:
		return ""
	}
	if !p.known {
		p.gap.lost += uint64(n)
		if p.gap.damage == nil {
			p.gap.damage = &FrameError{p.offset, "changes of a stripe that never came"}
		}
		return ""
	}
	if !next.plausible() {
		return fmt.Sprintf("a stripe of %d mV, %d µA, %d mV, %d µA, which no module measures", next[0], next[1], next[2], next[3])
	}
	p.last = next
	p.emit(n)
	return ""
}

// emit adds the last stripe n times.
func (p *plusDecoder) emit(n int) {
	if n == 0 {
		return
	}
	if len(p.runs) == 0 || p.gap != (plusGap{}) {
		p.runs = append(p.runs, plusRun{plusGap: p.gap})
		p.gap = plusGap{}
	}
	p.runs[len(p.runs)-1].n += n
	for c, x := range p.last {
		for range n {
			p.cols[c] = append(p.cols[c], x)
		}
	}
}

// damaged begins to seek behind a packet that cannot be right. The two before it go
// with it: whatever broke it may have reached them.
func (p *plusDecoder) damaged(what string) {
	from := max(p.at-p.carried, 0)
	p.forget(p.marks[0])
	if p.gap.damage == nil {
		p.gap.damage = &FrameError{p.offset, fmt.Sprintf("%s at byte %d of its payload", what, from)}
	}
	p.gap.resync++
	p.seeking, p.suspect, p.known = true, true, false
	p.skipped = 1
	p.at++
}

// forget counts the stripes from keep on, all of the last run, as lost.
func (p *plusDecoder) forget(keep int) {
	n := len(p.cols[0]) - keep
	if n <= 0 {
		return
	}
	p.gap.lost += uint64(n)
	p.cols.Truncate(keep)
	last := &p.runs[len(p.runs)-1]
	last.n -= n
	if last.n == 0 {
		gap := last.plusGap
		p.runs = p.runs[:len(p.runs)-1]
		p.gap.lost += gap.lost
		p.gap.resync += gap.resync
		if gap.damage != nil {
			p.gap.damage = gap.damage
		}
	}
}

// seek goes to the next absolute that is believed; it reports whether there is one.
func (p *plusDecoder) seek(whole bool) bool {
	for ; p.at < len(p.plain); p.at++ {
		switch p.anchor(p.plain[p.at:], whole) {
		case wait:
			return false
		case good:
			p.gap.lost += p.density.stripes(p.skipped)
			p.skipped, p.seeking, p.suspect = 0, false, false
			p.marks = [2]int{len(p.cols[0]), len(p.cols[0])}
			return true
		}
		if p.skipped++; p.skipped > maxSought {
			p.lost = true
			return false
		}
	}
	return false
}

// anchor judges whether b begins with an absolute: others must follow, or the end of the
// payload exactly where a packet ends.
func (p *plusDecoder) anchor(b []byte, whole bool) verdict {
	var s plusStripe
	for i := range chainPackets {
		if whole && len(b) == 0 && i > 1 {
			return good
		}
		size, v := packetBytes(b)
		switch {
		case v != good:
			return v
		case i == 0 && Packet(b[0]) != PacketAbsolute:
			return bad
		case len(b) < size:
			return wait
		case !s.follow(b):
			return bad
		}
		b = b[size:]
	}
	return good
}

// follow changes s as a packet says; it reports whether the packet can be right.
func (s *plusStripe) follow(b []byte) bool {
	switch Packet(b[0]) {
	case PacketAbsolute:
		s.absolute(b)
	case PacketDelta:
		if !s.delta(b) {
			return false
		}
	}
	return s.plausible()
}

// finish ends the present payload, which is believed.
func (p *plusDecoder) finish() {
	if !p.seeking {
		p.density.add(p.at, len(p.cols[0]))
	}
	p.begin()
}

// begin makes ready for the next payload and keeps what is no whole packet.
func (p *plusDecoder) begin() {
	p.plain = p.plain[:copy(p.plain, p.plain[p.at:])]
	p.at, p.carried, p.taken = 0, len(p.plain), 0
	p.marks = [2]int{len(p.cols[0]), len(p.cols[0])}
}

// reject drops the stripes of a payload that was read to its end and is not believed.
func (p *plusDecoder) reject() {
	for len(p.runs) > 0 {
		p.forget(len(p.cols[0]) - p.runs[len(p.runs)-1].n)
	}
	p.known = false
}

// missing returns how many bytes have not been read of gone bytes of payload that begin
// with the present one.
func (p *plusDecoder) missing(gone int) int { return max(0, p.skipped+gone-(p.at-p.carried)) }

// restart goes on with another payload after damage. aligned says that it begins with a
// packet.
func (p *plusDecoder) restart(aligned bool) {
	p.plain = p.plain[:0]
	p.at, p.carried, p.taken, p.skipped = 0, 0, 0, 0
	p.seeking, p.suspect, p.lost, p.known = !aligned, false, false, false
	p.marks = [2]int{len(p.cols[0]), len(p.cols[0])}
}

// isData reports whether a payload that could be text is packets.
func (p *plusDecoder) isData(data []byte) bool {
	trial := &plusDecoder{plain: slices.Clone(p.plain[p.at:]), last: p.last, known: p.known, seeking: p.seeking}
	return trial.take(data, len(data), 0) && !trial.suspect
}

// ended adds to the gap what the end of the stream leaves unread.
func (p *plusDecoder) ended() {
	if p.seeking {
		p.gap.lost += p.density.stripes(p.skipped + len(p.plain) - p.at)
	}
}

// density is how many stripes there are to the byte, of late.
type density struct{ nBytes, nStripes int }

// densityWindow is after how many bytes older ones begin to count half.
const densityWindow = 64 << 10

func (d *density) add(nBytes, nStripes int) {
	if d.nBytes += nBytes; d.nBytes > densityWindow {
		d.nBytes, d.nStripes = d.nBytes/2, d.nStripes/2
	}
	d.nStripes += nStripes
}

// stripes returns the number of stripes in n bytes, as best known.
func (d *density) stripes(n int) uint64 {
	if d.nBytes == 0 || d.nStripes == 0 {
		return uint64(n / absoluteBytes)
	}
	return uint64((n*d.nStripes + d.nBytes/2) / d.nBytes)
}

// examine reads what has come of the payload at pos; it reports whether that can still
// be right.
func (d *Decoder) examine(have []byte, length int) bool {
	if d.plus != nil {
		return d.plus.take(have, length, d.base+int64(d.pos))
	}
	return d.check.examine(have, length, d.phase(), d.places)
}

// plusFrame reads one whole payload. It is handed out run by run: the first with this
// frame, the rest by Next.
func (d *Decoder) plusFrame(payload []byte, status Status, cols *Columns) (Frame, verdict) {
	p, data := d.plus, payload[:len(payload)&^1]
	if isText(payload) && len(payload) > 1 && p.taken == 0 && !p.isData(data) {
		return d.textPart(payload), good
	}
	if !p.take(payload, len(payload), d.base+int64(d.pos)) {
		return Frame{}, bad
	}
	if status != StatusNone && !status.known() {
		p.reject()
		return Frame{}, oddStatus
	}
	d.aligned = d.aligned && !p.seeking && p.at == len(p.plain)
	if len(data) > 0 {
		p.usual = len(data)
	}
	p.finish()
	p.ready, p.tail, p.status = true, true, status
	if status.Ends() {
		p.ended()
		d.mode = modeReplies
	}
	return d.handOut(cols), good
}

// handing reports whether something of the last payload is still to be handed out.
func (p *plusDecoder) handing() bool { return p != nil && p.ready && (p.tail || p.run < len(p.runs)) }

// handOut returns the next run of the last payload, and with the last run its status. The
// stripes that the stream's end shows to be lost come in a frame of their own.
func (d *Decoder) handOut(cols *Columns) Frame {
	p := d.plus
	f := Frame{Kind: KindData, First: d.next, Status: StatusNone}
	if p.run < len(p.runs) {
		r := p.runs[p.run]
		d.note(r.plusGap)
		f.First, f.N = d.next, r.n
		f.Lost, f.Resync, f.Damage = d.pending.Lost, d.pending.Resync, d.pending.Damage
		d.pending = Frame{}
		for c := range cols {
			cols[c] = append(cols[c], p.cols[c][p.handed:p.handed+r.n]...)
		}
		p.run++
		p.handed += r.n
		d.next += uint64(r.n)
	}
	f.More = p.run < len(p.runs) || !p.tail || f.N > 0 && p.status.Ends() && p.gap.lost > 0
	if f.More {
		if !p.handing() {
			p.empty()
		}
		return f
	}
	if f.Status = p.status; f.Status.Ends() {
		d.note(p.gap)
		p.gap = plusGap{}
		if f.N == 0 {
			f.First, f.Lost, f.Resync, f.Damage = d.next, d.pending.Lost, d.pending.Resync, d.pending.Damage
		}
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

// empty forgets what was handed out.
func (p *plusDecoder) empty() {
	p.cols.Reset()
	p.runs, p.run, p.handed, p.ready, p.tail = p.runs[:0], 0, 0, false, false
	p.marks = [2]int{}
}

// giveUp ends the reading of a payload in which the next frame must be looked for.
func (d *Decoder) giveUp() {
	p := d.plus
	if p.suspect {
		p.gap.resync-- // finding the frame counts
	}
	d.note(p.gap)
	p.gap = plusGap{}
}

// plusPackets judges the payload of a candidate and counts its stripes.
func (c *candidate) plusPackets(d *Decoder, data []byte) bool {
	plain := swapPairs(nil, data)
	if len(plain) == 0 {
		return true
	}
	stripes := 0
	if d.aligned {
		for len(plain) > 0 {
			n, ok := packetAt(plain)
			if !ok {
				return false
			}
			if id := Packet(plain[0]); id != PacketBlank && id != PacketTrigger {
				stripes++
			}
			plain = plain[n:]
		}
	} else {
		for ; len(plain) > 0 && stripes == 0; plain = plain[1:] {
			if d.plus.anchor(plain, true) == good {
				stripes = 1
			}
		}
	}
	if stripes > 0 {
		c.stripes += stripes
		c.data++
	}
	return true
}

// plusBegins judges the first packet of a candidate's payload as soon as it is there.
func (c *candidate) plusBegins(d *Decoder, have []byte, length int) bool {
	have = have[:min(len(have), length)&^1]
	if c.begun || !d.aligned || len(have) < min(absoluteBytes, length&^1) {
		return true
	}
	c.begun = true
	first := swapPairs(nil, have[:min(absoluteBytes, len(have))])
	if len(first) == 0 || isText(have) {
		return true
	}
	_, ok := packetAt(first)
	return ok || Packet(first[0]) == PacketBlank
}

// packetAt returns the length of the whole packet that b begins with; ok is false if it
// cannot be right whatever stripe went before.
func packetAt(b []byte) (n int, ok bool) {
	n, v := packetBytes(b)
	if v != good || len(b) < n {
		return n, false
	}
	if Packet(b[0]) == PacketDelta {
		return n, b[2]>>4 == deltaWidth
	}
	var s plusStripe
	return n, s.follow(b)
}

// usualAfter is after how many bytes of search a frame of any length will do, where
// packets run across frames.
const usualAfter = 64 << 10

// plusMayStart reports whether a candidate may start with a frame of the given length.
func (h *hunt) plusMayStart(d *Decoder, length int) bool {
	return d.aligned || length&^1 == d.plus.usual || h.scanned-h.from > usualAfter
}
