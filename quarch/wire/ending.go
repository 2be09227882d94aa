package wire

import (
	"bytes"
	"encoding/binary"
)

// ExpectEnd says that the end of the stream was asked for: an end is then believed at once
// in a stream that was never damaged.
func (d *Decoder) ExpectEnd() { d.asked = true }

// Silence says that nothing has come since the last Feed for so long that a module which
// streams would have sent something. It is believed to have ended its stream, or to wait at a
// sync, if that is how the last byte can be read; Next then goes on.
func (d *Decoder) Silence() { d.silent = true }

// Doubt reports whether Silence would tell something: an end of the stream is not believed
// yet, or the next frame is looked for.
func (d *Decoder) Doubt() bool { return d.Hunting() || d.ending }

// Hunting reports whether the next frame is looked for after damage.
func (d *Decoder) Hunting() bool { return d.hunt != nil }

// ends judges an end status after which the bytes from index at on were fed. Readings near
// zero, and lengths that are wrong, look like frames with such a status, and there is no way
// back. So, unless it was to be expected, it is believed only if what follows is a reply, for
// after its end a module sends nothing else; or if nothing follows for long.
func (d *Decoder) ends(at int) verdict {
	d.ending = false
	if d.asked && !d.hurt {
		return good
	}
	v := d.afterEnd(at)
	if v == wait && d.silent && at == len(d.buf) {
		return good
	}
	d.ending = v == wait
	return v
}

// ofEnd returns v as the judgement of the frame that has the end.
func (v verdict) ofEnd() verdict {
	if v == bad {
		return noEnd
	}
	return v
}

// afterEnd judges what was fed from index at on: good is a whole reply.
func (d *Decoder) afterEnd(at int) verdict {
	for {
		rest := d.buf[at:]
		if v := lengthVerdict(rest); v != good {
			return v
		}
		length := int(binary.LittleEndian.Uint16(rest))
		payload := rest[2:min(len(rest), 2+length)]
		switch {
		case length == 1 || !isText(payload):
			return bad
		case len(payload) < length:
			return wait
		case bytes.HasSuffix(payload, []byte(Prompt)):
			return good
		}
		at += 2 + length
	}
}
