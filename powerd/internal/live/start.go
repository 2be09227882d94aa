package live

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// FirstBlock bounds the wait for a stream's first stripe, which may be 131 ms long; a
	// poll round 80 ms.
	FirstBlock = 10 * time.Second

	// Settling is how much of a stream must have come until its start is judged.
	Settling = 250 * time.Millisecond
)

// ErrEnded says that a stream ended before its first block.
var ErrEnded = errors.New("the module ended its stream before the first sample")

// AwaitFirst waits for a stream's first block. Its owner closes first when that is in,
// and ended when the stream has ended, which gives ErrEnded.
func AwaitFirst(ctx context.Context, first, ended <-chan struct{}) error {
	timeout := time.NewTimer(FirstBlock)
	defer timeout.Stop()
	select {
	case <-first:
		return nil
	case <-ended:
		return ErrEnded
	case <-timeout.C:
		return fmt.Errorf("no sample within %v", FirstBlock)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Starter is a stream that can be started again.
type Starter struct {
	Start  func() error // returns when the first block is in
	Settle func() error // returns when Settling of the stream is in
	Placed func() bool  // reports whether its start is placed well enough
	Stop   func() error // ends it, to start it again
}

// Begin starts a stream. How well it is placed in host time rests on its start; where the
// host was slow to see that, the stream is started again, so many times in all at most,
// as of several exchanges the quickest one tells the time best.
func (s Starter) Begin(most int) error {
	for try := 1; ; try++ {
		if err := s.Start(); err != nil {
			return err
		}
		if err := s.Settle(); err != nil {
			return err
		}
		if try == most || s.Placed() {
			return nil
		}
		if err := s.Stop(); err != nil {
			return err
		}
	}
}
