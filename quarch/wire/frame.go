package wire

import "encoding/binary"

// MaxPayload is the longest payload that is believed, in bytes. A longer length
// is taken for damage; whoever encodes keeps below it.
const MaxPayload = 16384

// What the host sends between commands, as whole frames.
const (
	Ack        = "\x02\x00\xff\xff" // after each frame of a stream; the module ignores it
	SyncAnswer = "\x02\x00\xff\x01" // after StatusSync: the module goes on
)

// Status is the last byte of a payload of odd length.
type Status byte

// The statuses of a stream.
const (
	StatusEnd        Status = 0 // ended as asked
	StatusOverrun    Status = 1 // ended early; the module's buffer ran over
	StatusEndedEarly Status = 2 // ended early for another reason
	StatusNoData     Status = 3 // nothing to send yet
	StatusSync       Status = 7 // paused until SyncAnswer
	StatusNone       Status = 0xff
)

// Ends reports whether nothing follows s.
func (s Status) Ends() bool { return s <= StatusEndedEarly }

func (s Status) known() bool { return s.Ends() || s == StatusNoData || s == StatusSync }

// AppendFrame appends payload as one frame. It cuts nothing: a payload of more
// than MaxPayload bytes is the caller's mistake and will not be believed.
func AppendFrame(dst, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(payload)))
	return append(dst, payload...)
}

// Deframer cuts a byte stream into payloads without judging them: for the side
// that receives commands. The zero value is ready.
type Deframer struct {
	buf []byte
	pos int
}

// Feed adds bytes, in any split.
func (d *Deframer) Feed(p []byte) {
	if d.pos > 0 {
		d.buf = d.buf[:copy(d.buf, d.buf[d.pos:])]
		d.pos = 0
	}
	d.buf = append(d.buf, p...)
}

// Next returns the next whole payload, lent until the next Feed.
func (d *Deframer) Next() (payload []byte, ok bool) {
	rest := d.buf[d.pos:]
	if len(rest) < 2 {
		return nil, false
	}
	end := 2 + int(binary.LittleEndian.Uint16(rest))
	if len(rest) < end {
		return nil, false
	}
	d.pos += end
	return rest[2:end], true
}
