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
	// FirstOptions say where a first answer is waited for.
	FirstOptions = beacon.FirstOptions
)

// ReadBurst reads from a drive for a while, and does nothing else to it.
func ReadBurst(ctx context.Context, o BurstOptions) (Burst, error) { return beacon.Burst(ctx, o) }

// CheckReads says why a drive cannot be read from in bursts, nil if it can. It reads
// nothing.
func CheckReads(path string) error { return beacon.Check(path) }

// ReadFirst tries to read from a drive until it answers, and does nothing else to it.
func ReadFirst(ctx context.Context, o FirstOptions) beacon.First { return beacon.FirstRead(ctx, o) }
