package measure

import (
	"context"
	"sync"

	"powerd/powerd/internal/results"
)

// Answer tries to read from the drive until it answers or ctx is done, and says how that
// went.
type Answer func(ctx context.Context) results.Ready

// awaitAnswer tries the drive beside the step, and returns what ends that, waits for it
// and keeps what came of it.
func (r *run) awaitAnswer(ctx context.Context, step string) (stop func() error) {
	if r.Answer == nil {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	var trying sync.WaitGroup
	var ready results.Ready
	trying.Go(func() { ready = r.Answer(ctx) })
	return func() error {
		cancel()
		trying.Wait()
		return r.capture.Event(results.ReadyEvent(r.Now(), step, ready))
	}
}
