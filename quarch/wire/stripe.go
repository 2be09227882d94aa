package wire

import (
	"encoding/binary"
	"fmt"
)

// Mask says which channels a stripe has.
type Mask byte

// The channels of a stripe, in stripe order.
const (
	Mask5VVolts  Mask = 1 << 3
	Mask5VAmps   Mask = 1 << 2
	Mask12VVolts Mask = 1 << 1
	Mask12VAmps  Mask = 1 << 0
	MaskAll           = Mask5VVolts | Mask5VAmps | Mask12VVolts | Mask12VAmps
)

// StripeBytes returns the bytes of a stripe: 2 a voltage, 4 a current.
func (m Mask) StripeBytes() int {
	n := 0
	for c := range Channels {
		if m.has(c) {
			n += channelBytes(c)
		}
	}
	return n
}

func (m Mask) has(c int) bool { return m>>(Channels-1-c)&1 != 0 }

// Channels is the number of channels of a full stripe. Channel numbers count
// from 0 in stripe order; odd ones are currents.
const Channels = 4

func channelBytes(c int) int { return 2 + 2*(c&1) }

// HeaderBytes is the length of an HD stream header; that of HD Plus has no fixed one.
const HeaderBytes = 4

// Header opens a stream.
type Header struct {
	Version  byte // one of Version…
	Mask     Mask // all channels in HD Plus
	Exponent byte // log2 of the averaging; period = 4 µs · 2^Exponent
}

// Versions of headers: each is of a family of modules.
const (
	VersionPlus = 2 // HD Plus
	VersionPPM  = 3 // the original module
	VersionXLC  = 4
	VersionHD   = 5
)

// AppendHeader appends h as a payload.
func AppendHeader(dst []byte, h Header) []byte {
	if h.Plus() {
		return appendPlusHeader(dst, h)
	}
	return append(dst, h.Version, 0, byte(h.Mask), h.Exponent)
}

// ParseHeader reads the first payload of a stream.
func ParseHeader(payload []byte) (Header, error) {
	n := len(payload)
	if n >= plusLeast && payload[0] == VersionPlus {
		return parsePlusHeader(payload)
	}
	if n != HeaderBytes || payload[0] < VersionPPM || payload[0] > VersionHD {
		return Header{}, fmt.Errorf("stream header % x is of no known format (want %d bytes of version 3 to 5, or %d and more of version 2)",
			payload[:min(n, 24)], HeaderBytes, plusLeast)
	}
	h := Header{Version: payload[0], Mask: Mask(payload[2]), Exponent: payload[3]}
	if h.Mask == 0 || h.Mask > MaskAll {
		return Header{}, fmt.Errorf("stream header % x has the channel mask %#x (want 0x1 to 0xf)", payload, byte(h.Mask))
	}
	return h, h.checkExponent(payload)
}

func (h Header) checkExponent(header []byte) error {
	if h.Exponent > MaxExponent {
		return fmt.Errorf("stream header % x has the averaging exponent %d (want 0 to %d)", header, h.Exponent, MaxExponent)
	}
	return nil
}

// AppendStripe appends one stripe: mV and µA of the 5 V and of the 12 V rail.
// Channels outside mask are left out. Voltages keep their low 14 bits, currents
// their low 24, both as two's complement, all flags 0.
func AppendStripe(dst []byte, mask Mask, v5, a5, v12, a12 int32) []byte {
	for c, x := range [Channels]int32{v5, a5, v12, a12} {
		switch {
		case !mask.has(c):
		case c&1 == 0:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(x)&0x3fff)
		default:
			dst = binary.LittleEndian.AppendUint16(dst, uint16(x>>12)&0xfff)
			dst = binary.LittleEndian.AppendUint16(dst, uint16(x)&0xfff)
		}
	}
	return dst
}

// The greatest counts that are positive: the module's range (6 V, 14.4 V, 13 A; the
// original PPM 7.5 A) and 1.5 % above it. Higher words are small negative values.
const (
	maxMilliVolts5  = 6_090
	maxMilliVolts12 = 14_616
	maxMicroAmps    = 13_200_000
	maxMicroAmpsPPM = 7_612_500
)

// The least counts that are believed: an unloaded rail reads a little below 0.
const (
	minMilliVolts = -256
	minMicroAmps  = -1_000_000
)
