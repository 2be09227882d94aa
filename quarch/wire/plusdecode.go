package wire

import "fmt"

// plusDecoder reads the blocks of an HD Plus stream, one frame's payload after the other.
// Blocks may run across frames, packets never across blocks.
//
// Packets carry no check, and a lost byte exchanges all bytes after it in such a way that
// they may still pass for packets. But they do not end where the block does: so a block is
// believed once its last packet has ended it, and never before. How many stripes an
// unbelieved block held is not certain, for a packet of 3 bytes may stand for 255 of them:
// the number is estimated from what the bytes before it held.
type plusDecoder struct {
	plain   []byte // in logical order, from the first byte that was not judged
	at      int    // of plain: the next block
	carried int    // bytes of plain that came in earlier frames
	taken   int    // bytes of the present payload in plain
	offset  int64  // of its frame in the stream
	skip    int    // bytes to drop until the next block starts, after damage
	adrift  bool   // where blocks start is not known
	adriftN int    // bytes dropped since

	last  plusStripe
	known bool // last is a stripe: an absolute went before
	bad   int  // blocks in a row that were not believed, up to the last of the payload

	cols Columns // stripes of the present payload
	runs []plusRun
	gap  plusGap // before the next run

	tail   bool   // the payload is judged; its runs and its end are to be handed out
	status Status // of its end
	run    int    // of runs, the next to hand out
	handed int    // stripes of cols that were handed out

	start   plusStart
	density density

	whole, ragged   uint64 // payloads of whole blocks and others, of those with data
	previous, usual int    // bytes of data of the last one, and of the last two of one length
}

// plusStart is what was before the present payload.
type plusStart struct {
	gap    plusGap
	unread int // bytes that nothing was counted of yet
	phase  int // of a block; meaningless while adrift
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

// plusMark is a place in a plusDecoder's output.
type plusMark struct {
	stripes, runs, inRun int
	gap                  plusGap
}

// enoughBadBlocks in a row mean that not the blocks but the frame is wrong.
const enoughBadBlocks = 2

// take reads on: have is what came of the payload of a frame at byte offset, of the given
// length. It reports whether the payload can still be right.
func (p *plusDecoder) take(have []byte, length int, offset int64) bool {
	p.offset = offset
	data := min(len(have), length) &^ 1
	if p.taken == 0 && isText(have) && len(have) < length {
		return true // it may become a reply
	}
	if length&1 == 0 && p.odd(length) {
		p.gap.add(plusGap{damage: &FrameError{offset, fmt.Sprintf("%d bytes of data (want blocks of %d)", length, PlusBlockBytes)}})
		return false
	}
	p.plain = swapPairs(p.plain, have[p.taken:data])
	p.taken = data
	for p.bad < enoughBadBlocks && p.toBlock() {
		p.block(p.plain[p.at:p.at+PlusBlockBytes], p.at-p.carried)
		p.at += PlusBlockBytes
	}
	return p.bad < enoughBadBlocks && (p.bad == 0 || data < length&^1)
}

// toBlock goes to where the next block starts; it reports whether the block is there.
func (p *plusDecoder) toBlock() bool {
	n := min(p.skip, len(p.plain)-p.at)
	p.at, p.skip = p.at+n, p.skip-n
	for p.adrift && len(p.plain)-p.at >= PlusBlockBytes {
		if startsBlock(p.plain[p.at:]) {
			p.gap.lost += p.density.stripes(p.adriftN)
			p.adrift, p.adriftN = false, 0
			break
		}
		p.at += 2
		p.adriftN += 2
	}
	return p.skip == 0 && len(p.plain)-p.at >= PlusBlockBytes
}

// startsBlock reports whether b begins with an absolute and then has packets up to where a
// block would end.
func startsBlock(b []byte) bool {
	return Packet(b[0]) == PacketAbsolute && endsWell(b[:PlusBlockBytes])
}

// endsWell reports whether b is packets to its very end, whatever stripe went before.
func endsWell(b []byte) bool {
	for len(b) > 0 {
		n, ok := packetAt(b)
		if !ok {
			return false
		}
		b = b[n:]
	}
	return true
}

// block takes one block, which begins at a byte of the present payload, and believes it or
// not. After a packet that cannot be right it goes on with the next absolute from which the
// packets lead to the end of the block; the two packets before it go with it, for what broke
// it may have broken them.
func (p *plusDecoder) block(b []byte, from int) {
	start := p.here()
	before := [3]plusMark{start, start, start} // two packets before the present one, one, and it
	wrong, blank := 0, 0
	for i := 0; i < len(b); {
		before = [3]plusMark{before[1], before[2], p.here()}
		n, what := p.packet(b[i:])
		if what == "" {
			if Packet(b[i]) == PacketBlank {
				blank += n
			}
			i += n
			continue
		}
		wrong++
		bad := i
		for i++; i < len(b) && (Packet(b[i]) != PacketAbsolute || !endsWell(b[i:])); i++ {
		}
		damage := &FrameError{p.offset, fmt.Sprintf("%s at byte %d of its payload", what, max(from+bad, 0))}
		if i == len(b) {
			p.disbelieve(start, len(b), damage)
			return
		}
		p.forget(before[0])
		p.gap.add(plusGap{p.density.inPackets(i - bad), 1, damage})
		before = [3]plusMark{p.here(), p.here(), p.here()}
	}
	p.bad = 0
	if wrong == 0 {
		p.density.add(len(b), blank, len(p.cols[0])-start.stripes)
	}
}

// disbelieve drops what came of a block of the given length.
func (p *plusDecoder) disbelieve(start plusMark, length int, damage *FrameError) {
	p.forget(start)
	p.gap = start.gap // what was counted in it was not believed either
	p.gap.add(plusGap{p.density.stripes(length), 1, damage})
	p.known = false
	p.bad++
}

// packet takes the packet that b begins with; it returns its length, and what is wrong with
// it if it cannot be right.
func (p *plusDecoder) packet(b []byte) (n int, what string) {
	n, ok := packetBytes(b)
	if !ok {
		return 0, fmt.Sprintf("packet id %d (want 4, 8, 10, 12 or 14)", b[0])
	}
	if n > len(b) {
		return 0, fmt.Sprintf("packet id %d of %d bytes where the block has %d left", b[0], n, len(b))
	}
	next, times := p.last, 1
	switch Packet(b[0]) {
	case PacketAbsolute:
		next.absolute(b)
		p.known = true
	case PacketDelta:
		if !next.delta(b) {
			return 0, fmt.Sprintf("a delta of %d bits (want %d)", b[2]>>4, deltaWidth)
		}
	case PacketRepeat:
		times = int(b[2])
	default:
		return n, ""
	}
	switch {
	case !p.known:
		p.gap.add(plusGap{lost: uint64(times), damage: &FrameError{p.offset, "changes of a stripe that never came"}})
	case !next.plausible():
		return 0, fmt.Sprintf("a stripe of %d mV, %d µA, %d mV, %d µA, which no module measures", next[0], next[1], next[2], next[3])
	default:
		p.last = next
		p.emit(times)
	}
	return n, ""
}

// packetBytes returns the length of the packet that b begins with; ok is false if there is
// no such packet.
func packetBytes(b []byte) (n int, ok bool) {
	switch Packet(b[0]) {
	case PacketAbsolute:
		return absoluteBytes, true
	case PacketTrigger:
		return triggerBytes, true
	case PacketDelta:
		return deltaBytes, true
	case PacketRepeat:
		return repeatBytes, true
	case PacketBlank:
		if len(b) < blankBytes {
			return blankBytes, true
		}
		return blankBytes + int(b[1]), true
	}
	return 0, false
}

// packetAt returns the length of the whole packet that b begins with; ok is false if it
// cannot be right whatever stripe went before.
func packetAt(b []byte) (n int, ok bool) {
	n, ok = packetBytes(b)
	if !ok || len(b) < n {
		return n, false
	}
	var s plusStripe
	switch Packet(b[0]) {
	case PacketAbsolute:
		s.absolute(b)
		return n, s.plausible()
	case PacketDelta:
		return n, s.delta(b)
	}
	return n, true
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

// here returns the place that the output has come to.
func (p *plusDecoder) here() plusMark {
	m := plusMark{stripes: len(p.cols[0]), runs: len(p.runs), gap: p.gap}
	if m.runs > 0 {
		m.inRun = p.runs[m.runs-1].n
	}
	return m
}

// forget takes the output back to a place, and counts the stripes after it as lost.
func (p *plusDecoder) forget(to plusMark) {
	n := len(p.cols[0]) - to.stripes
	if n == 0 {
		return
	}
	var gap plusGap
	for _, r := range p.runs[to.runs:] {
		gap.add(r.plusGap)
	}
	gap.add(p.gap)
	gap.lost += uint64(n)
	p.cols.Truncate(to.stripes)
	p.runs = p.runs[:to.runs]
	if to.runs > 0 {
		p.runs[to.runs-1].n = to.inRun
	}
	p.gap = gap
}

// add makes g the gap that g and h are together; the first damage is kept.
func (g *plusGap) add(h plusGap) {
	g.lost += h.lost
	g.resync += h.resync
	if g.damage == nil {
		g.damage = h.damage
	}
}

// finish ends the present payload, which is believed; what is no whole block is kept.
func (p *plusDecoder) finish() {
	p.plain = p.plain[:copy(p.plain, p.plain[p.at:])]
	p.at, p.carried, p.taken = 0, len(p.plain), 0
	p.mark()
}

// mark keeps what is before the next payload.
func (p *plusDecoder) mark() {
	p.start = plusStart{p.gap, p.adriftN + p.carried, (p.carried + PlusBlockBytes - p.skip) % PlusBlockBytes}
	if p.skip > 0 {
		p.start.unread = -p.skip // they were counted already
	}
}

// ended judges what the end of the stream leaves of a block.
func (p *plusDecoder) ended() {
	rest := p.plain[p.at:]
	switch {
	case len(rest) == 0:
	case p.skip > 0 || p.adrift:
		p.gap.lost += p.density.stripes(p.adriftN + len(rest))
	default:
		p.block(rest, 0)
	}
	p.at = len(p.plain)
}

// restart goes on with another payload after damage, of which skip bytes are the end of a
// block; a negative number says that nobody knows.
func (p *plusDecoder) restart(skip int) {
	p.plain = p.plain[:0]
	p.at, p.carried, p.taken, p.adriftN, p.bad = 0, 0, 0, 0, 0
	p.skip, p.adrift, p.known = max(skip, 0), skip < 0, false
	p.mark()
}

// empty forgets what was handed out.
func (p *plusDecoder) empty() {
	p.cols.Reset()
	p.runs, p.run, p.handed, p.tail = p.runs[:0], 0, 0, false
}

// isData reports whether a payload that could be text goes on with the block before it.
func (p *plusDecoder) isData(data []byte) bool {
	if phase := p.start.phase; p.adrift || phase+len(data) < PlusBlockBytes {
		return phase > 0 // nothing judges it: a reply of several frames is rare
	}
	trial := plusDecoder{plain: append([]byte(nil), p.plain...), skip: p.skip, last: p.last, known: p.known}
	return trial.take(data, len(data), 0)
}

// density is how many stripes there are to the byte, of late.
type density struct{ nBytes, nBlank, nStripes int }

// densityWindow is after how many bytes older ones begin to count half.
const densityWindow = 64 << 10

func (d *density) add(nBytes, nBlank, nStripes int) {
	if d.nBytes > densityWindow {
		*d = density{d.nBytes / 2, d.nBlank / 2, d.nStripes / 2}
	}
	d.nBytes += nBytes
	d.nBlank += nBlank
	d.nStripes += nStripes
}

// stripes returns the number of stripes in n bytes of whole blocks, as best known.
func (d *density) stripes(n int) uint64 { return share(n, d.nStripes, d.nBytes) }

// inPackets returns the number of stripes in n bytes that are no blank, as best known.
func (d *density) inPackets(n int) uint64 { return share(n, d.nStripes, d.nBytes-d.nBlank) }

// share returns n · part / whole, rounded; where nothing is known, all are absolutes.
func share(n, part, whole int) uint64 {
	if part == 0 {
		return uint64(n / absoluteBytes)
	}
	return uint64((n*part + whole/2) / whole)
}
