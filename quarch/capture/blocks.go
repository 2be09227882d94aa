package capture

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"

	"powerd/quarch"
)

// ToEnd as the end of a range means all there is.
const ToEnd = uint64(math.MaxUint64)

// Blocks yields the stripes [from, to), in order: one block a part, cut to the
// range. A block is lent for one iteration. What is lost inside the range before
// a block's first stripe stands in its Lost; what is lost after the last one
// shows as its End before to. ReadAtNs is that of the part's last read.
//
// A damaged part is yielded as a nil block and a *PartError, and so is one that is
// not there though the part after it follows on it. Stop there to be strict; go on to
// be tolerant: the next block counts the damaged part's stripes as lost. Other errors
// end the iteration.
func (s *Stream) Blocks(from, to uint64) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		r := partReader{stream: s}
		next := from
		ended, whole := uint64(0), false // where the part before ended, if it was read
		for i := s.partOf(from); i < len(s.parts) && s.parts[i].first < to; i++ {
			b, err := r.read(s.parts[i])
			if err != nil {
				var damaged *PartError
				if !yield(nil, err) || !errors.As(err, &damaged) {
					return
				}
				whole = false
				continue
			}
			if begin := b.First - r.lost; whole && ended < begin && !yield(nil, s.absent(ended, begin)) {
				return
			}
			ended, whole = b.End(), true
			if b = cut(b, from, to); b == nil {
				continue
			}
			b.Lost = b.First - next
			next = b.End()
			if !yield(b, nil) {
				return
			}
		}
	}
}

// absent is the error of parts that are not there.
func (s *Stream) absent(from, to uint64) error {
	return &PartError{
		Path: s.path(partFile{name: partName(s.Number, from)}), Stream: s.Number, First: from,
		Err: fmt.Errorf("%d stripes of it and of what follows: %w", to-from, fs.ErrNotExist),
	}
}

// partOf returns the index of the last part that begins at or before stripe k.
func (s *Stream) partOf(k uint64) int {
	i, found := slices.BinarySearchFunc(s.parts, k, func(p partFile, k uint64) int { return cmp.Compare(p.first, k) })
	if found || i == 0 {
		return i
	}
	return i - 1
}

// cut returns the part of b in [from, to), nil if there is none.
func cut(b *quarch.Block, from, to uint64) *quarch.Block {
	i, j := max(from, b.First), min(to, b.End())
	if i >= j {
		return nil
	}
	if i == b.First && j == b.End() {
		return b
	}
	return b.Slice(int(i-b.First), int(j-b.First))
}

// partReader reads parts of a stream into one block, column by column.
type partReader struct {
	stream *Stream
	tables tableReader
	block  quarch.Block
	lost   uint64 // stripes known to be lost just before the block
	atNs   []int64
}

// read returns the part as a block, valid until the next call. Its Lost is not
// set.
func (r *partReader) read(p partFile) (*quarch.Block, error) {
	path := r.stream.path(p)
	b, err := r.decode(path, p)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("read part: %w", err)
	}
	if err != nil {
		return nil, &PartError{Path: path, Stream: r.stream.Number, First: p.first, Err: err}
	}
	return b, nil
}

func (r *partReader) decode(path string, p partFile) (*quarch.Block, error) {
	t, err := r.tables.open(path)
	if err != nil {
		return nil, err
	}
	h, err := readHead(t)
	if err != nil {
		return nil, err
	}
	if h.first != p.first || h.stream != r.stream.Number {
		return nil, fmt.Errorf("it is stream %d from stripe %d under another name", h.stream, h.first)
	}
	b := &r.block
	r.lost = h.lost
	b.First, b.Resync, b.PeriodNs, b.ReadAtNs = h.first, h.resync, h.periodNs, h.readAtNs
	for len(b.Traces) < len(h.rails) {
		b.Traces = append(b.Traces, quarch.Trace{})
	}
	b.Traces = b.Traces[:len(h.rails)]
	for i, rail := range h.rails {
		tr := &b.Traces[i]
		tr.Rail, tr.LSBVolts, tr.LSBAmps = rail.Rail, rail.LSBVolts, rail.LSBAmps
		if tr.V, err = t.int32s(tr.V[:0], voltsColumn(rail.Rail)); err != nil {
			return nil, err
		}
		if tr.A, err = t.int32s(tr.A[:0], ampsColumn(rail.Rail)); err != nil {
			return nil, err
		}
	}
	b.AtNs = nil
	if h.periodNs == 0 {
		if r.atNs, err = t.int64s(r.atNs[:0], atColumn); err != nil {
			return nil, err
		}
		b.AtNs = r.atNs
	}
	return b, nil
}
