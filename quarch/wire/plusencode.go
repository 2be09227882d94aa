package wire

import "encoding/binary"

// PlusEncoder turns stripes into HD Plus data: whole blocks, of which each begins with
// an absolute packet, so that it can be read by itself. The zero value is ready.
//
// As a device would, it sends a stripe that equals the one before as part of a repeat,
// one that is within ±511 counts as a delta, and any other as an absolute. Force asks
// for something else.
type PlusEncoder struct {
	// Force, for tests of readers: PacketAbsolute sends nothing but absolutes;
	// PacketDelta no repeats; PacketRepeat no deltas; PacketBlank and PacketTrigger put
	// one of theirs before every stripe's packet. 0 = none.
	Force Packet

	block   []byte // the open one, in logical order
	last    plusStripe
	repeats byte // of last, not in the block yet
	open    int  // stripes of the open block, with repeats
	done    uint64
}

// Stripes returns how many stripes are in the blocks that were returned so far.
func (e *PlusEncoder) Stripes() uint64 { return e.done }

// Append adds a stripe: mV and µA of the 5 V and of the 12 V rail. It appends to dst
// the blocks that have become full. Voltages keep their low 15 bits, currents their low
// 25, as two's complement.
func (e *PlusEncoder) Append(dst []byte, v5, a5, v12, a12 int32) []byte {
	s := plusStripe{v5, a5, v12, a12}
	switch e.Force {
	case PacketBlank:
		dst = e.packet(e.settle(dst), byte(PacketBlank), 3, 0xa5, 0xa5, 0xa5)
	case PacketTrigger:
		dst = e.Trigger(dst)
	}
	if e.open > 0 && s == e.last && e.Force != PacketAbsolute && e.Force != PacketDelta {
		if e.repeats == repeatMost {
			dst = e.settle(dst)
		}
		if e.open > 0 && e.has(repeatBytes) {
			e.repeats++
			e.open++
			return dst
		}
	}
	dst = e.settle(dst)
	if e.open > 0 && e.Force != PacketAbsolute && e.Force != PacketRepeat {
		if p, ok := e.last.deltaTo(s); ok && e.has(deltaBytes) {
			e.block = append(e.block, p[:]...)
			e.last = s
			e.open++
			return dst
		}
	}
	if !e.has(absoluteBytes) {
		dst = e.fill(dst)
	}
	e.block = s.appendAbsolute(e.block)
	e.last = s
	e.open++
	return dst
}

// Trigger puts a trigger packet before the next stripe.
func (e *PlusEncoder) Trigger(dst []byte) []byte {
	return e.packet(e.settle(dst), byte(PacketTrigger), 0)
}

// Flush fills the open block up with blanks and appends it to dst, if there is one.
func (e *PlusEncoder) Flush(dst []byte) []byte {
	dst = e.settle(dst)
	if len(e.block) == 0 {
		return dst
	}
	return e.fill(dst)
}

// packet puts a packet that is no stripe into the block.
func (e *PlusEncoder) packet(dst []byte, bytes ...byte) []byte {
	if !e.has(len(bytes)) {
		dst = e.fill(dst)
	}
	e.block = append(e.block, bytes...)
	return dst
}

// settle puts the repeats of the stripe before into the block, for which there is room.
func (e *PlusEncoder) settle(dst []byte) []byte {
	if e.repeats > 0 {
		e.block = append(e.block, byte(PacketRepeat), 0, e.repeats)
		e.repeats = 0
	}
	return dst
}

// has reports whether n more bytes leave the block full or with room for a blank.
func (e *PlusEncoder) has(n int) bool {
	left := PlusBlockBytes - len(e.block) - n
	return left == 0 || left >= blankBytes
}

// fill ends the open block with blanks, of which none may leave a single byte.
func (e *PlusEncoder) fill(dst []byte) []byte {
	for len(e.block) < PlusBlockBytes {
		n := PlusBlockBytes - len(e.block) - blankBytes
		if n > blankMost {
			n = min(blankMost, n-blankBytes)
		}
		e.block = append(e.block, byte(PacketBlank), byte(n))
		e.block = append(e.block, make([]byte, n)...)
	}
	dst = swapPairs(dst, e.block)
	e.block = e.block[:0]
	e.done += uint64(e.open)
	e.open = 0
	return dst
}

// appendAbsolute appends s as an absolute packet.
func (s *plusStripe) appendAbsolute(dst []byte) []byte {
	dst = append(dst, byte(PacketAbsolute), 0)
	for rail := range 2 {
		bits := uint64(s[2*rail]&0x7fff)<<25 | uint64(s[2*rail+1]&0x1ffffff)
		dst = append(dst, byte(bits>>32))
		dst = binary.BigEndian.AppendUint32(dst, uint32(bits))
	}
	return dst
}

// deltaTo returns the delta packet from s to t; ok is false if a change is too large.
func (s *plusStripe) deltaTo(t plusStripe) (p [deltaBytes]byte, ok bool) {
	bits := uint64(deltaWidth)
	for c := range s {
		d := t[c] - s[c]
		if d < deltaLeast || d > deltaMost {
			return p, false
		}
		bits = bits<<deltaWidth | uint64(d)&(1<<deltaWidth-1)
	}
	bits <<= 4
	p[0] = byte(PacketDelta)
	binary.BigEndian.PutUint16(p[2:], uint16(bits>>32))
	binary.BigEndian.PutUint32(p[4:], uint32(bits))
	return p, true
}
