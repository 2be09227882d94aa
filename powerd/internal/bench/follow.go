package bench

import (
	"context"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
)

// follower returns what follows the IO that reaches the bench's target; nil if it has
// none. It goes by the name in the settings: a drive whose power was cut may come back
// as another of the kernel's.
func (b *bench) follower() measure.Follower {
	if b.cfg.Target == "" {
		return nil
	}
	return catalog.Follow(b.cfg.Target, clock.Mono)
}

// answer returns what tries to read from the bench's target after a power-up, by the name
// in the settings; nil if it has none.
func (b *bench) answer() measure.Answer {
	if b.cfg.Target == "" {
		return nil
	}
	return func(ctx context.Context) results.Ready {
		f := catalog.ReadFirst(ctx, catalog.FirstOptions{Path: b.cfg.Target, Now: clock.Mono})
		r := results.Ready{Tries: f.Tries, FailedNs: f.FailedNs, GoodNs: f.GoodNs, LongestNs: f.LongestNs}
		if f.Err != nil {
			r.Why = f.Err.Error()
		}
		return r
	}
}
