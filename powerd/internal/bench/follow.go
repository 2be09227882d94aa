package bench

import (
	"context"
	"math/rand/v2"
	"time"

	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/config"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// follower returns what follows the IO that reaches the bench's target; nil if it has
// none. It goes by the name in the settings: a drive whose power was cut may come back
// as another of the kernel's.
func (b *bench) follower() measure.Follower {
	if b.cfg.Target == "" {
		return nil
	}
	return catalog.Follow(b.cfg.Target, b.clock.Mono)
}

// answer returns what tries to read from the bench's target after a power-up, by the name
// in the settings; nil if it has none.
func (b *bench) answer() measure.Answer {
	if b.cfg.Target == "" {
		return nil
	}
	return func(ctx context.Context) results.Ready {
		f := catalog.ReadFirst(ctx, catalog.FirstOptions{Path: b.cfg.Target, Now: b.clock.Mono})
		r := results.Ready{Tries: f.Tries, FailedNs: f.FailedNs, GoodNs: f.GoodNs, LongestNs: f.LongestNs}
		if f.Err != nil {
			r.Why = f.Err.Error()
		}
		return r
	}
}

// beacons returns the bursts of reads that place the stream; none where the plan has
// nothing to do with the drive, or where reads could not be seen.
func (b *bench) beacons(c *config.Config, plan suite.Plan) measure.Beacons {
	every := time.Duration(c.Alignment.Beacons)
	if b.cfg.Target == "" || every == 0 || b.info.Link != quarch.LinkFramed || !plan.Loads() && !plan.PowerCycles() {
		return measure.Beacons{}
	}
	return measure.Beacons{Every: every, On: b.isOn(), Read: func(ctx context.Context, length time.Duration) (results.Burst, error) {
		got, err := catalog.ReadBurst(ctx, catalog.BurstOptions{Path: b.cfg.Target, Duration: length, Readers: 4, Seed: rand.Uint64(), Now: b.clock.Mono})
		return results.Burst{SubmitNs: got.StartNs, DoneNs: got.FirstDoneNs, EndNs: got.EndNs, Reads: got.Reads}, err
	}}
}
