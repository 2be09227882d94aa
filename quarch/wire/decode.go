package wire

import "encoding/binary"

// Columns are the counts of decoded stripes, one slice a channel, in stripe
// order: mV and µA of the 5 V and of the 12 V rail. Channels that the stream
// does not have stay untouched.
type Columns [Channels][]int32

// Reset empties the columns and keeps their memory.
func (c *Columns) Reset() {
	for i := range c {
		c[i] = c[i][:0]
	}
}

// Truncate drops the stripes from n on.
func (c *Columns) Truncate(n int) {
	for i := range c {
		c[i] = c[i][:min(n, len(c[i]))]
	}
}

const (
	wordBits = 0x3fff // data of a word; the other two bits are flags
	flagBits = 0xc000
	halfBits = 0x0fff // data of half a current
)

// decodeStripes appends the whole stripes of p to cols. It returns the union of
// all words, for their flags, and whether every count is in the module's range.
func decodeStripes(p []byte, mask Mask, cols *Columns) (union uint16, ok bool) {
	size := mask.StripeBytes()
	n := len(p) / size
	from := [Channels]int{}
	for c := range cols {
		if mask.has(c) {
			from[c] = len(cols[c])
			cols[c] = append(cols[c], make([]int32, n)...)
		}
	}
	if mask == MaskAll {
		return decodeFull(p, cols[0][from[0]:], cols[1][from[1]:], cols[2][from[2]:], cols[3][from[3]:])
	}
	ok = true
	for i := range n {
		s := p[i*size:]
		for c := range cols {
			if !mask.has(c) {
				continue
			}
			x, words, good := decodeChannel(c, s)
			cols[c][from[c]+i] = x
			union |= words
			ok = ok && good
			s = s[channelBytes(c):]
		}
	}
	return union, ok
}

// withinPPM reports whether the currents from stripe from on are in the range of the
// original PPM, which is smaller.
func (c *Columns) withinPPM(from int) bool {
	for _, column := range [...][]int32{c[1], c[3]} {
		for _, x := range column[min(from, len(column)):] {
			if x > maxMicroAmpsPPM {
				return false
			}
		}
	}
	return true
}

// decodeFull is decodeStripes for stripes of all four channels: the hot path.
func decodeFull(p []byte, v5, a5, v12, a12 []int32) (union uint16, ok bool) {
	n := len(v5)
	a5, v12, a12 = a5[:n], v12[:n], a12[:n]
	var halves uint16
	ok = true
	for i := range n {
		s := p[:12]
		p = p[12:]
		w0, w1, w2 := binary.LittleEndian.Uint16(s), binary.LittleEndian.Uint16(s[2:]), binary.LittleEndian.Uint16(s[4:])
		w3, w4, w5 := binary.LittleEndian.Uint16(s[6:]), binary.LittleEndian.Uint16(s[8:]), binary.LittleEndian.Uint16(s[10:])
		halves |= w1 | w2 | w4 | w5
		union |= w0 | w3
		x0, ok0 := volts(w0, maxMilliVolts5)
		x1, ok1 := amps(w1, w2)
		x2, ok2 := volts(w3, maxMilliVolts12)
		x3, ok3 := amps(w4, w5)
		v5[i], a5[i], v12[i], a12[i] = x0, x1, x2, x3
		if !ok0 || !ok1 || !ok2 || !ok3 {
			ok = false
		}
	}
	return union | halves, ok && halves&(wordBits&^halfBits) == 0
}

func decodeChannel(c int, s []byte) (x int32, words uint16, ok bool) {
	w := binary.LittleEndian.Uint16(s)
	if c&1 == 0 {
		x, ok = volts(w, maxMilliVolts(c))
		return x, w, ok
	}
	lo := binary.LittleEndian.Uint16(s[2:])
	x, ok = amps(w, lo)
	return x, w | lo, ok && (w|lo)&(wordBits&^halfBits) == 0
}

func maxMilliVolts(c int) int32 {
	if c == 0 {
		return maxMilliVolts5
	}
	return maxMilliVolts12
}

func volts(w uint16, limit int32) (mV int32, ok bool) {
	x := int32(w & wordBits)
	if x > limit {
		x -= wordBits + 1
	}
	return x, x >= minMilliVolts
}

func amps(hi, lo uint16) (uA int32, ok bool) {
	x := int32(hi&wordBits)<<12 + int32(lo&wordBits)
	if x > maxMicroAmps {
		x -= 1 << 24
	}
	return x, x >= minMicroAmps
}

// plausible judges one word by its place in the stripe: what decodeStripes takes
// passes here, so that an unfinished frame can be judged word by word.
func plausible(place byte, w uint16) bool {
	switch place {
	case placeVolts5:
		_, ok := volts(w, maxMilliVolts5)
		return ok
	case placeVolts12:
		_, ok := volts(w, maxMilliVolts12)
		return ok
	case placeAmpsHigh:
		const highest, lowest = maxMicroAmps >> 12, (1<<24 + minMicroAmps) >> 12
		x := w & wordBits
		return x <= highest || x >= lowest && x <= halfBits
	}
	return w&wordBits <= halfBits
}

// Places of words in a stripe.
const (
	placeVolts5 byte = iota
	placeVolts12
	placeAmpsHigh
	placeAmpsLow
)

// places returns the places of a stripe's words, in order.
func (m Mask) places() []byte {
	var p []byte
	for c := range Channels {
		switch {
		case !m.has(c):
		case c&1 == 1:
			p = append(p, placeAmpsHigh, placeAmpsLow)
		case c == 0:
			p = append(p, placeVolts5)
		default:
			p = append(p, placeVolts12)
		}
	}
	return p
}
