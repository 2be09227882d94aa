package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// mostAstray is how many bytes are passed over in the search for a header.
const mostAstray = 64 << 10

// longestReply and longestHeader are the longest ones that are believed, in bytes, before a
// stream's header has come.
const (
	longestReply  = 1024
	longestHeader = 1024
)

// opening judges the frame at pos before the header of a stream has come: it must be a reply,
// a status, or the header. What is none of these is passed over, byte by byte, until one begins;
// a header of another format is an error, as is a search without end.
func (d *Decoder) opening() (verdict, error) {
	if d.astray == nil {
		switch v, err := mayOpen(d.buf[d.pos:]); {
		case err != nil:
			return bad, err
		case v != bad:
			return v, nil
		}
		d.astray = &FrameError{d.base + int64(d.pos), "bytes that are no frame, where a stream's header must come"}
		d.pos++
	}
	for ; len(d.buf)-d.pos >= 2; d.pos++ {
		if n := d.base + int64(d.pos) - d.astray.Offset; n > mostAstray {
			return bad, &FrameError{d.astray.Offset, fmt.Sprintf("no header of a stream in %d bytes", mostAstray)}
		}
		v := reopens(d.buf[d.pos:])
		if v == good {
			d.pending.Damage, d.pending.Resync = d.astray, d.pending.Resync+1
			d.astray = nil
		}
		if v != bad {
			return v, nil
		}
	}
	return wait, nil
}

// mayOpen judges the frame that p begins with, as far as it has come, where nothing was wrong
// before. An error is a header's that can be told from anything else, and not be used.
func mayOpen(p []byte) (verdict, error) {
	if v := lengthVerdict(p); v != good {
		return v, nil
	}
	length := int(binary.LittleEndian.Uint16(p))
	payload := p[2:min(len(p), 2+length)]
	whole := len(payload) == length
	switch {
	case len(payload) == 0:
		return wait, nil
	case length == 1:
		status := Status(payload[0])
		return when(status == StatusNoData || status == StatusSync), nil
	case isText(payload):
		if !whole && length <= longestReply {
			return wait, nil
		}
		return when(length <= longestReply), nil
	case looksLikeHeader(payload[0], length):
		if !whole {
			return wait, nil
		}
		_, err := ParseHeader(payload)
		return good, err
	}
	return bad, nil
}

func when(yes bool) verdict {
	if yes {
		return good
	}
	return bad
}

// looksLikeHeader reports whether a payload of a length that begins with version is a header,
// of a known format or another.
func looksLikeHeader(version byte, length int) bool {
	if length == HeaderBytes {
		return version > 0 && version <= VersionHD
	}
	return version > 0 && version <= VersionPlus && length >= plusLeast && length <= longestHeader
}

// reopens is mayOpen after bytes that were no frame: only a header and a whole reply are
// believed.
func reopens(p []byte) verdict {
	if v := lengthVerdict(p); v != good {
		return v
	}
	length := int(binary.LittleEndian.Uint16(p))
	payload := p[2:min(len(p), 2+length)]
	switch {
	case len(payload) == 0:
		return wait
	case isText(payload):
		if length > longestReply {
			return bad
		}
		if len(payload) < length {
			return wait
		}
		return when(bytes.HasSuffix(payload, []byte(Prompt)))
	case !looksLikeHeader(payload[0], length):
		return bad
	case len(payload) < min(length, plusLeast):
		return wait
	}
	if _, err := ParseHeader(payload); err != nil {
		return bad
	}
	if len(payload) < length {
		return wait
	}
	return good
}
