package wire

import (
	"encoding/binary"
	"fmt"
)

// PlusBlockBytes is the length of a block of the HD Plus format: the bytes of a stream's
// payloads, put end to end, are such blocks; a block is a row of packets, filled up with blank ones. Of each
// 16-bit pair the second byte comes first: logical byte i stands at i^1. A packet
// begins with its id:
//
//	 4 absolute  id, group, then for the 5 V and the 12 V rail 15 bits of mV and
//	             25 bits of µA, signed, big-endian                        12 bytes
//	 8 blank     id, n, n bytes of no meaning                            2+n bytes
//	10 trigger   id, group                                                2 bytes
//	12 delta     id, group, 4 bits that say 10, then four times 10 bits, signed:
//	             the changes of 5 V mV, 5 V µA, 12 V mV, 12 V µA since the
//	             stripe before; 4 spare bits                              8 bytes
//	14 repeat    id, group, count: the stripe before, so many times more  3 bytes
//
// A delta or a repeat means something only after an absolute.
const PlusBlockBytes = 512

// Packet is the id of an HD Plus packet.
type Packet byte

// The packets of the HD Plus format.
const (
	PacketAbsolute Packet = 4
	PacketBlank    Packet = 8
	PacketTrigger  Packet = 10
	PacketDelta    Packet = 12
	PacketRepeat   Packet = 14
)

const (
	absoluteBytes = 12
	triggerBytes  = 2
	deltaBytes    = 8
	repeatBytes   = 3
	blankBytes    = 2 // and what follows

	deltaWidth = 10
	deltaLeast = -1 << (deltaWidth - 1)
	deltaMost  = -deltaLeast - 1
	repeatMost = 255
	blankMost  = 255
)

// Offsets in an HD Plus header. What stands elsewhere in it is not known.
const (
	plusGroups   = 10 // one byte: 1
	plusChannels = 12 // u16: 4
	plusExponent = 18
	plusLeast    = 19 // bytes
)

// plusHeaderBytes is the length of the header that AppendHeader makes: without a
// table of strings, whose size (u16 at offset 8) is 0.
const plusHeaderBytes = 20

func appendPlusHeader(dst []byte, h Header) []byte {
	var b [plusHeaderBytes]byte
	b[0] = h.Version
	b[plusGroups] = 1
	binary.LittleEndian.PutUint16(b[plusChannels:], Channels)
	b[plusExponent] = h.Exponent
	return append(dst, b[:]...)
}

func parsePlusHeader(payload []byte) (Header, error) {
	groups, channels := payload[plusGroups], binary.LittleEndian.Uint16(payload[plusChannels:])
	if groups != 1 || channels != Channels {
		return Header{}, fmt.Errorf("HD Plus stream header has %d groups and %d channels (want 1 and %d): % x",
			groups, channels, Channels, payload[:plusLeast])
	}
	h := Header{Version: payload[0], Mask: MaskAll, Exponent: payload[plusExponent]}
	return h, h.checkExponent(payload[:plusLeast])
}

// Plus reports whether the stream's data is of the HD Plus format.
func (h Header) Plus() bool { return h.Version == VersionPlus }

// plusStripe is the stripe that deltas and repeats rest on: mV and µA of the 5 V and
// of the 12 V rail.
type plusStripe [Channels]int32

// absolute reads an absolute packet.
func (s *plusStripe) absolute(p []byte) {
	for rail := range 2 {
		b := p[2+5*rail:]
		word := binary.BigEndian.Uint32(b[1:])
		s[2*rail] = int32(int16(binary.BigEndian.Uint16(b)) >> 1)
		s[2*rail+1] = int32(word<<7) >> 7 // 25 bits, the uppermost is that of b[1]
	}
}

// delta adds a delta packet; ok is false if its width is none that is known.
func (s *plusStripe) delta(p []byte) (ok bool) {
	bits := uint64(binary.BigEndian.Uint16(p[2:]))<<32 | uint64(binary.BigEndian.Uint32(p[4:]))
	for c := range s {
		const spare = 4
		shift := spare + deltaWidth*(Channels-1-c)
		s[c] += int32(bits>>shift<<(64-deltaWidth)>>32) >> (32 - deltaWidth)
	}
	return bits>>44 == deltaWidth
}

// plausible reports whether every count is in the module's range.
func (s *plusStripe) plausible() bool {
	return s[0] >= minMilliVolts && s[0] <= maxMilliVolts5 && s[2] >= minMilliVolts && s[2] <= maxMilliVolts12 &&
		s[1] >= minMicroAmps && s[1] <= maxMicroAmps && s[3] >= minMicroAmps && s[3] <= maxMicroAmps
}

// swapPairs appends data with the bytes of each pair exchanged; of an odd one the
// last byte is left out.
func swapPairs(dst, data []byte) []byte {
	for i := 0; i+1 < len(data); i += 2 {
		dst = append(dst, data[i+1], data[i])
	}
	return dst
}
