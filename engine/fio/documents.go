package fio

import (
	"bytes"
	"strings"
)

// maxDocument bounds what is held of one document. fio's largest, json+ with
// hundreds of entries, stay under a tenth of it.
const maxDocument = 64 << 20

type pieceKind int

const (
	pieceDocument pieceKind = iota // a whole JSON object
	pieceText                      // a line between documents
	pieceCut                       // the beginning of an object that never ended
)

// piece is a part of fio's output with its place in it.
type piece struct {
	kind   pieceKind
	offset int64 // of the first byte
	data   []byte
}

// splitter cuts fio's output into pieces while it grows. An object begins with
// "{" at the start of a line or right behind another object; everything else is
// text. Within an object fio never starts a line with "{", so one there means
// that the object before it was cut off.
type splitter struct {
	pending  []byte
	base     int64 // offset of pending[0]
	scanned  int   // bytes of the pending object looked at
	depth    int
	inString bool
	escaped  bool
}

// feed takes the next bytes of the output and returns the pieces that are
// complete. Their data is the caller's.
func (s *splitter) feed(p []byte) []piece {
	s.pending = append(s.pending, p...)
	var out []piece
	for len(s.pending) > 0 {
		var got *piece
		var more bool
		if s.pending[0] == '{' {
			got, more = s.object()
		} else {
			got, more = s.line()
		}
		if got != nil {
			out = append(out, *got)
		}
		if more {
			break
		}
	}
	return out
}

// close returns what is left at the end of the output.
func (s *splitter) close() []piece {
	if len(s.pending) == 0 {
		return nil
	}
	kind := pieceText
	if s.pending[0] == '{' {
		kind = pieceCut
	}
	if p := s.take(len(s.pending), kind); p != nil {
		return []piece{*p}
	}
	return nil
}

// line takes a line of text; more = it has not ended yet.
func (s *splitter) line() (got *piece, more bool) {
	end := bytes.IndexByte(s.pending, '\n')
	if end < 0 {
		if len(s.pending) > maxDocument {
			return s.take(len(s.pending), pieceText), true
		}
		return nil, true
	}
	return s.take(end+1, pieceText), false
}

// object scans for the end of the object at pending[0].
func (s *splitter) object() (got *piece, more bool) {
	for i := s.scanned; i < len(s.pending); i++ {
		c := s.pending[i]
		if c == '{' && i > 0 && s.pending[i-1] == '\n' {
			return s.take(i, pieceCut), false
		}
		switch {
		case s.escaped:
			s.escaped = false
		case s.inString:
			s.escaped = c == '\\'
			s.inString = c != '"'
		case c == '"':
			s.inString = true
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			s.depth--
			if s.depth == 0 {
				return s.take(i+1, pieceDocument), false
			}
		}
	}
	s.scanned = len(s.pending)
	if s.scanned > maxDocument {
		return s.take(s.scanned, pieceCut), true
	}
	return nil, true
}

// take removes n bytes and makes a piece of them; blank text makes none.
func (s *splitter) take(n int, kind pieceKind) *piece {
	p := &piece{kind: kind, offset: s.base, data: bytes.Clone(s.pending[:n])}
	s.pending = append(s.pending[:0], s.pending[n:]...)
	s.base += int64(n)
	s.scanned, s.depth, s.inString, s.escaped = 0, 0, false, false
	if kind == pieceText && len(bytes.TrimSpace(p.data)) == 0 {
		return nil
	}
	return p
}

// isReport tells a report of fio's from another object that stands in its
// output.
func isReport(data []byte) bool { return bytes.Contains(data, []byte(`"fio version"`)) }

// textOf is a piece of text as a message: one line, valid, of bounded length.
func textOf(data []byte) string {
	return clip(strings.ToValidUTF8(strings.TrimSpace(string(data)), "?"), 300)
}
