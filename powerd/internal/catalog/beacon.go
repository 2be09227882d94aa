package catalog

import (
	"context"

	"powerd/engine/beacon"
)

// A burst of reads by powerd itself.
type (
	// BurstOptions say what to read, how hard and for how long.
	BurstOptions = beacon.Options
	// Burst is what a burst of reads did.
	Burst = beacon.Result
)

// ReadBurst reads from a drive for a while, and does nothing else to it.
func ReadBurst(ctx context.Context, o BurstOptions) (Burst, error) { return beacon.Burst(ctx, o) }

// CheckReads says why a drive cannot be read from in bursts, nil if it can. It reads
// nothing.
func CheckReads(path string) error { return beacon.Check(path) }
