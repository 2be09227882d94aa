package measure

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"powerd/powerd/internal/live"
	"powerd/powerd/internal/results"
	"powerd/quarch"
	"powerd/quarch/capture"
)

// recorder owns the module's stream: it reads it into the capture and into the
// live summaries, from start to stop.
type recorder struct {
	module  quarch.Module
	capture *capture.Writer
	live    *preview

	cancel context.CancelFunc
	done   chan struct{} // the reading goroutine has ended
	first  chan struct{} // the first block of the stream is in

	again     atomic.Bool  // the stream is stopped to be started again
	reachedNs atomic.Int64 // samples up to about this host time are in
	mu        sync.Mutex
	err       error // why the stream broke; nil while it runs or was stopped
}

// running reports whether a stream is under way.
func (r *recorder) running() bool {
	if r.done == nil {
		return false
	}
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// failure returns why the stream broke.
func (r *recorder) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// maxStarts is how often a stream is started at most until it is well placed.
const maxStarts = 4

// start begins a stream of the given period (0 leaves the module's own) and returns
// when its first blocks are in the capture.
func (r *recorder) start(ctx context.Context, periodNs int64) error {
	return live.Starter{
		Start:  func() error { return r.startOnce(ctx, periodNs) },
		Settle: func() error { return r.waitFor(ctx, r.reachedNs.Load()+live.Settling.Nanoseconds()) },
		Placed: r.live.wellPlaced,
		Stop: func() error {
			r.again.Store(true)
			defer r.again.Store(false)
			return r.stop()
		},
	}.Begin(maxStarts)
}

// startOnce begins a stream and returns when its first block is in the capture.
func (r *recorder) startOnce(ctx context.Context, periodNs int64) error {
	if s, ok := r.module.(quarch.Sampler); ok && periodNs > 0 {
		if err := s.SetPeriod(ctx, periodNs); err != nil {
			return fmt.Errorf("set sampling: %w", err)
		}
	}
	info, err := r.module.Info(ctx)
	if err != nil {
		return fmt.Errorf("start stream: %w", err)
	}
	stream, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel, r.done, r.first = cancel, make(chan struct{}), make(chan struct{})
	r.mu.Lock()
	r.err = nil
	r.mu.Unlock()
	go r.read(stream, info, r.done, r.first)

	err = live.AwaitFirst(ctx, r.first, r.done)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, live.ErrEnded):
		if failed := r.failure(); failed != nil {
			return failed
		}
	case ctx.Err() != nil:
		return errors.Join(err, r.stop())
	}
	return errors.Join(fmt.Errorf("start stream on %s: %w", info.Port, err), r.stop())
}

// read is the goroutine of a stream.
func (r *recorder) read(ctx context.Context, info quarch.Info, done, first chan struct{}) {
	defer close(done)
	begun, err := r.take(ctx, info, first)
	r.live.end()
	r.fail(err) // before the capture has written its last part: a step must not end well meanwhile
	if begun {
		reason := "done"
		switch {
		case err != nil:
			reason = err.Error()
		case r.again.Load():
			reason = results.StartedAgain
		}
		r.fail(r.capture.EndStream(reason))
	}
}

func (r *recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = distinct(r.err, err)
}

// take moves blocks until the stream ends; begun reports whether there was one.
func (r *recorder) take(ctx context.Context, info quarch.Info, first chan struct{}) (begun bool, err error) {
	for b, err := range r.module.Stream(ctx) {
		if err != nil {
			return begun, err
		}
		if !begun {
			if err := r.begin(info, b.PeriodNs); err != nil {
				return begun, err
			}
		}
		if err := r.capture.Write(b); err != nil {
			return true, err
		}
		if b.Lost > 0 {
			if err := r.capture.Event(results.Lost(b)); err != nil {
				return true, err
			}
		}
		r.reachedNs.Store(r.live.add(b))
		if !begun {
			begun = true
			close(first)
		}
	}
	return begun, nil
}

func (r *recorder) begin(info quarch.Info, periodNs int64) error {
	s := capture.StreamInfo{Module: info}
	if st, ok := r.module.(quarch.Starter); ok {
		s.SentNs, s.AckedNs = st.StreamStart()
	}
	r.live.begin(periodNs, s.SentNs)
	return r.capture.BeginStream(s)
}

// stop ends the stream in an orderly way and waits for it.
func (r *recorder) stop() error {
	if r.done == nil {
		return nil
	}
	r.cancel()
	<-r.done
	r.done = nil
	return r.failure()
}

// waitFor returns when samples up to host time ns are in, the stream has ended, or
// ctx is done.
func (r *recorder) waitFor(ctx context.Context, ns int64) error {
	if r.done == nil {
		return nil
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.NewTimer(live.FirstBlock)
	defer timeout.Stop()
	for r.reachedNs.Load() < ns {
		select {
		case <-tick.C:
		case <-r.done:
			return r.failure()
		case <-timeout.C:
			return fmt.Errorf("wait for samples: none for %v", live.FirstBlock)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
