package sim

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"

	"powerd/quarch"
)

// request is what a client sent.
type request struct {
	framed bool
	text   string // without its line end; of a frame possibly no text at all
}

// longestLine is the longest command that is obeyed, in bytes. One of more is refused, as
// much of it as is kept.
const longestLine = 1024

// nextRequest reads one request. Without a link it tells them apart: a frame of
// less than 256 bytes has 0 as its second byte, and no text has.
func nextRequest(r *bufio.Reader, link string) (request, error) {
	for {
		framed := link == quarch.LinkFramed
		if link == "" {
			first, err := r.Peek(2)
			if err != nil {
				return request{}, err
			}
			framed = first[1] == 0
		}
		if framed {
			payload, err := readFrame(r)
			return request{framed: true, text: strings.TrimRight(payload, "\r\n")}, err
		}
		line, err := readLine(r)
		if err != nil || line != "" {
			return request{text: line}, err
		}
	}
}

func readFrame(r io.Reader) (string, error) {
	var length [2]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return "", err
	}
	payload := make([]byte, binary.LittleEndian.Uint16(length[:]))
	_, err := io.ReadFull(r, payload)
	return string(payload), err
}

// readLine reads to CR or LF. Of what exceeds the longest line one byte is kept.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := r.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case b == '\r' || b == '\n':
			return string(line), nil
		case len(line) <= longestLine:
			line = append(line, b)
		}
	}
}
