package pair

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"powerd/analysis"
	"powerd/analysis/align"
	"powerd/powerd/internal/live"
	"powerd/quarch"
)

const (
	maxStarts = 3    // of a stream, until it is well placed
	goodU95Ns = 20e6 // of its start, that is well placed
)

// watch owns a module's stream from its begin to its end and keeps all of it.
type watch struct {
	cancel context.CancelFunc
	first  chan struct{} // closed when the first block is in
	done   chan struct{} // closed when the reading goroutine has ended

	mu     sync.Mutex // guards what follows until done is closed
	blocks []*quarch.Block
	placed *align.Estimator // nil on a polled link
	broke  error            // why the stream ended by itself
}

// begin starts the stream and returns when it runs and is placed as well as it can be.
func (p *Parts) begin(ctx context.Context, s Spec) (*watch, error) {
	info, err := p.Module.Info(ctx)
	if err != nil {
		return nil, err
	}
	framed := info.Link == quarch.LinkFramed
	if sampler, ok := p.Module.(quarch.Sampler); ok && framed {
		if err := sampler.SetPeriod(ctx, max(finestNs, s.PeriodNs)); err != nil {
			return nil, err
		}
	}
	if !framed {
		return start(ctx, p.Module, info)
	}
	var w *watch
	err = live.Starter{
		Start: func() (err error) { w, err = start(ctx, p.Module, info); return err },
		Settle: func() error {
			if err := w.wait(ctx, live.Settling); err != nil {
				return w.after(err)
			}
			return nil
		},
		Placed: func() bool { return w.isWellPlaced() },
		Stop:   func() error { return w.end() },
	}.Begin(maxStarts)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// start begins a stream and returns when its first block is in.
func start(ctx context.Context, m quarch.Module, info quarch.Info) (*watch, error) {
	stream, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it is stopped in an orderly way
	w := &watch{cancel: cancel, first: make(chan struct{}), done: make(chan struct{})}
	go w.read(stream, m, info)
	err := live.AwaitFirst(ctx, w.first, w.done)
	switch {
	case err == nil:
		return w, nil
	case errors.Is(err, live.ErrEnded):
		if ended := w.end(); ended != nil {
			err = ended
		}
	}
	return nil, w.after(err)
}

// read is the goroutine of the stream.
func (w *watch) read(ctx context.Context, m quarch.Module, info quarch.Info) {
	defer close(w.done)
	for b, err := range m.Stream(ctx) {
		if err != nil {
			w.mu.Lock()
			w.broke = err
			w.mu.Unlock()
			return
		}
		if w.add(b, m, info) {
			close(w.first)
		}
	}
}

// add keeps a block; isFirst reports whether it was the first one.
func (w *watch) add(b *quarch.Block, m quarch.Module, info quarch.Info) (isFirst bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	isFirst = w.blocks == nil
	if isFirst && b.PeriodNs > 0 {
		w.placed = align.NewEstimator(align.Options{PeriodNs: b.PeriodNs, TickNs: int64(info.LatencyMs) * 1e6})
		if s, ok := m.(quarch.Starter); ok {
			sentNs, _ := s.StreamStart()
			w.placed.Bound(align.Bound{NotBeforeNs: sentNs, Kind: "stream start"})
		}
	}
	w.blocks = append(w.blocks, b.Clone())
	if w.placed != nil {
		w.placed.Add(b.Arrival())
	}
	return isFirst
}

func (w *watch) isWellPlaced() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.placed == nil || w.placed.Map().HalfWidthNs() <= goodU95Ns
}

// wait lets time pass while the stream runs.
func (w *watch) wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-w.done:
		if err := w.end(); err != nil {
			return err
		}
		return errors.New("the module ended its stream too early")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end stops the stream, waits for it, and returns why it broke, if it did.
func (w *watch) end() error {
	w.cancel()
	<-w.done
	return w.broke
}

// after ends the stream because of err; the answer says once what happened.
func (w *watch) after(err error) error {
	ended := w.end()
	if err == nil || errors.Is(err, ended) {
		return ended
	}
	return errors.Join(err, ended)
}

// place returns the map of the whole stream, which has ended.
func (w *watch) place() (analysis.TimeMap, error) {
	if w.placed != nil {
		return w.placed.Map(), nil
	}
	return align.Polled(w.all())
}

// all yields the blocks of the stream, which has ended.
func (w *watch) all() iter.Seq2[*quarch.Block, error] {
	return func(yield func(*quarch.Block, error) bool) {
		for _, b := range w.blocks {
			if !yield(b, nil) {
				return
			}
		}
	}
}
