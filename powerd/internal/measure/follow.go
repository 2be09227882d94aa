package measure

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"powerd/engine"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/suite"
)

// Follower writes down into dir what the kernel counts on a run's target, and hands
// each interval to sink, until ctx is done. It ends before only with an error.
type Follower interface {
	Follow(ctx context.Context, dir string, sink func(engine.Interval)) error
}

// followed is what is kept of the target's IO for previews.
type followed struct {
	mu      sync.Mutex
	recent  []engine.Interval   // of about the last second
	pending []store.Engine100ms // for the stores
}

const recentIntervals = 10

// follow starts following the target, and returns what ends it and waits for that. A
// run goes on without.
func (r *run) follow(ctx context.Context, dir string) (stop func()) {
	if r.Follow == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var following sync.WaitGroup
	following.Go(func() {
		if err := r.Follow.Follow(ctx, dir, r.followed.add(r.board)); err != nil {
			r.warn("", "not_followed", fmt.Sprintf("the IO that reached the target was not followed: %v", err))
		}
	})
	return func() { cancel(); following.Wait() }
}

// add returns what takes the intervals. While an engine of powerd's own loads the
// drive, the stores get what that says of itself.
func (f *followed) add(b *board) func(engine.Interval) {
	return func(iv engine.Interval) {
		step, loads := b.underWay()
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.recent) == recentIntervals {
			f.recent = slices.Delete(f.recent, 0, 1)
		}
		f.recent = append(f.recent, iv)
		if !loads {
			f.pending = append(f.pending, engineSummaries(step, []engine.Interval{iv})...)
		}
	}
}

// take returns what the stores have not got yet.
func (f *followed) take() []store.Engine100ms {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.pending
	f.pending = nil
	return out
}

// preview fills in what reached the target in the last second. A step that loads it has
// its engine's word.
func (f *followed) preview(s *Status, nowNs int64) {
	if s.Kind == suite.Load {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var sum engine.Interval
	for _, iv := range f.recent {
		if nowNs-iv.EndNs >= previewLate.Nanoseconds() {
			continue
		}
		if sum.EndNs != iv.StartNs { // the first, or the first after a gap
			sum = engine.Interval{StartNs: iv.StartNs}
		}
		sum.EndNs = iv.EndNs
		sum.Reads, sum.Writes = sum.Reads+iv.Reads, sum.Writes+iv.Writes
		sum.ReadBytes, sum.WriteBytes = sum.ReadBytes+iv.ReadBytes, sum.WriteBytes+iv.WriteBytes
	}
	if sum.EndNs <= sum.StartNs {
		return
	}
	iops, mb := rates(sum)
	s.IOPS, s.MBPerS = &iops, &mb
}

// underWay returns the step under way, and whether an engine of powerd's loads the
// drive in it.
func (b *board) underWay() (step string, loads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ended := b.ended[b.index]; ended || b.beganNs == 0 || b.index >= len(b.plan) {
		return "", false
	}
	st := &b.plan[b.index]
	return st.Name, st.Kind == suite.Load
}
