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

// requests reads what a client sends.
type requests struct {
	br     *bufio.Reader
	link   string // empty = either
	dropNs int64  // a frame whose next byte comes later is dropped
	waitNs int64  // how long the latest read waited: what came while nobody read is not late
}

// newRequests reads from r. A client that is killed may leave half a frame behind, or one
// that tries the terminal link a line, which is a length and the beginning of a long frame:
// what comes after more than dropNs is of another, and begins a frame of its own.
func newRequests(r io.Reader, link string, dropNs int64, now func() int64) *requests {
	q := &requests{link: link, dropNs: dropNs}
	q.br = bufio.NewReader(readerFunc(func(p []byte) (int, error) {
		fromNs := now()
		n, err := r.Read(p)
		q.waitNs = now() - fromNs
		return n, err
	}))
	return q
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// next reads one request. Without a link it tells them apart: a frame of
// less than 256 bytes has 0 as its second byte, and no text has.
func (q *requests) next() (request, error) {
	for {
		framed := q.link == quarch.LinkFramed
		if q.link == "" {
			first, err := q.br.Peek(2)
			if err != nil {
				return request{}, err
			}
			framed = first[1] == 0
		}
		if framed {
			payload, err := q.frame()
			return request{framed: true, text: strings.TrimRight(payload, "\r\n")}, err
		}
		line, err := readLine(q.br)
		if err != nil || line != "" {
			return request{text: line}, err
		}
	}
}

// frame reads a frame's payload.
func (q *requests) frame() (string, error) {
	var got []byte
	for {
		read := q.br.Buffered() == 0
		b, err := q.br.ReadByte()
		if err != nil {
			return "", err
		}
		if read && len(got) > 0 && q.waitNs > q.dropNs {
			got = got[:0]
		}
		got = append(got, b)
		if len(got) >= 2 && len(got) == 2+int(binary.LittleEndian.Uint16(got)) {
			return string(got[2:]), nil
		}
	}
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
