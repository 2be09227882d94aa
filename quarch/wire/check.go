package wire

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
