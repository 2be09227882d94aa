package capture

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"

	"powerd/quarch"
)

// Replay returns a stream as the module that it came from: the same blocks, cut
// where they were cut, with the times they had. It plays as fast as it is read,
// and as often as it is asked. It is strict: a damaged part ends the stream. The
// module is also a quarch.Starter.
func Replay(s *Stream) quarch.Module { return &replay{stream: s} }

type replay struct {
	stream    *Stream
	streaming atomic.Bool
	closed    atomic.Bool
}

func (r *replay) Info(context.Context) (quarch.Info, error) {
	if r.closed.Load() {
		return quarch.Info{}, r.closedError()
	}
	return r.stream.Info(), nil
}

func (r *replay) closedError() error {
	return fmt.Errorf("replay of %s: %w", r.stream.Serial, quarch.ErrClosed)
}

func (r *replay) SetPower(context.Context, bool) error {
	return fmt.Errorf("switch power of %s: %w: this is a replay of what it did", r.stream.Serial, quarch.ErrRefused)
}

// StreamStart returns the times that the capture has; 0 where it has none.
func (r *replay) StreamStart() (sentNs, ackedNs int64) { return r.stream.SentNs, r.stream.AckedNs }

func (r *replay) Close() error {
	r.closed.Store(true)
	return nil
}

func (r *replay) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		if !r.streaming.CompareAndSwap(false, true) {
			yield(nil, fmt.Errorf("replay of %s: %w: it streams already", r.stream.Serial, quarch.ErrBusy))
			return
		}
		defer r.streaming.Store(false)
		r.play(ctx, yield)
	}
}

func (r *replay) play(ctx context.Context, yield func(*quarch.Block, error) bool) {
	rows, err := r.stream.Arrivals()
	if err != nil {
		yield(nil, fmt.Errorf("replay: %w", err))
		return
	}
	for part, err := range r.stream.Blocks(0, ToEnd) {
		if err != nil {
			yield(nil, fmt.Errorf("replay: %w", err))
			return
		}
		for part.Len() > 0 {
			if ctx.Err() != nil {
				return
			}
			if r.closed.Load() {
				yield(nil, r.closedError())
				return
			}
			var b *quarch.Block
			b, part, rows = nextBlock(part, rows)
			if !yield(b, nil) {
				return
			}
		}
	}
}

// nextBlock cuts from part the block that arrived first, and returns what is
// left. Stripes whose arrival ends in a later part, or was never noted, keep the
// part's own time.
func nextBlock(part *quarch.Block, rows []quarch.Arrival) (b, rest *quarch.Block, left []quarch.Arrival) {
	for len(rows) > 0 && rows[0].First+rows[0].N <= part.First {
		rows = rows[1:]
	}
	n := part.Len()
	if len(rows) == 0 || rows[0].First+rows[0].N > part.End() {
		return part, part.Slice(n, n), rows
	}
	k := int(rows[0].First + rows[0].N - part.First)
	b = part.Slice(0, k)
	b.ReadAtNs = rows[0].ReadAtNs
	return b, part.Slice(k, n), rows[1:]
}
