package bench

import (
	"powerd/powerd/internal/catalog"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/measure"
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
