package measure

import (
	"context"
	"fmt"
	"time"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// Beacons are short bursts of reads between the steps of a run, whose starts place the
// module's stream on the host's clock.
type Beacons struct {
	Every time.Duration // at least so long apart, but in a stream that has none yet
	On    bool          // the drive has power when the run begins
	// Read reads from the drive for so long; nil = there are no beacons.
	Read func(ctx context.Context, length time.Duration) (results.Burst, error)
}

const (
	// bursts are in a beacon, each after a pause of the same length: one edge to a burst,
	// since power rises with the first read, and falls when the drive is done.
	bursts   = 4
	burstFor = 50 * time.Millisecond

	// stillFor is between a beacon and a step in which the drive is to be let alone: the
	// interval of the kernel's counts that holds its last reads has ended by then.
	stillFor = 300 * time.Millisecond

	// lastEvery is how soon after another beacon one ends a run, if not sooner: what lies
	// between two beacons is placed better than what lies beside one.
	lastEvery = 10 * time.Second

	// coarsestNs is the longest stripe that tells when a burst began: a pause has 12.
	coarsestNs = 4_096_000
)

// beacons is where a run is with them.
type beacons struct {
	Beacons
	lastNs int64 // of the stream under way; 0 = it has none
	off    bool  // the drive has no power, or nobody knows
	failed bool
}

// beacon reads bursts before step i of the plan, or after the last one, if that is due and
// does no harm: the drive has power, and nothing is measured that they could disturb. A
// drive that is let alone, by an idle step or for somebody else's load, has just been
// loaded otherwise.
func (r *run) beacon(ctx context.Context, i int) error {
	b := &r.beacons
	if period := r.live.period(); b.Read == nil || b.off || b.failed || !r.recorder.running() || period <= 0 || period > coarsestNs {
		return nil
	}
	every, still := b.Every, burstFor
	switch {
	case i == len(r.Plan):
		every = min(every, lastEvery)
	case r.Plan[i].Kind == suite.Command || r.Plan[i].Kind == suite.Purge: // it may find the drive in a state that a read would end
		return nil
	case r.Plan[i].Kind == suite.Idle || r.Plan[i].Kind == suite.Record:
		if i == 0 || r.Plan[i-1].Kind != suite.Load {
			return nil
		}
		still = stillFor
	}
	if b.lastNs != 0 && r.Now()-b.lastNs < every.Nanoseconds() {
		return nil
	}
	read := r.burst(ctx)
	if len(read) == 0 {
		return nil
	}
	b.lastNs = r.Now()
	if err := r.capture.Event(results.BeaconEvent(b.lastNs, read)); err != nil {
		return err
	}
	_ = r.wait(ctx, still) // what ends it ends the step too
	return nil
}

// burst does one beacon. A drive that cannot be read from is told once, and not asked
// again; a stream that ended and a run that is to end are the next step's to tell.
func (r *run) burst(ctx context.Context) (out []results.Burst) {
	for range bursts {
		if r.wait(ctx, burstFor) != nil {
			return out
		}
		b, err := r.beacons.Read(ctx, burstFor)
		if err != nil {
			if ctx.Err() == nil {
				r.beacons.failed = true
				r.warn("", "beacons", fmt.Sprintf("the stream was placed without bursts of reads from here on: %v", err))
			}
			return out
		}
		out = append(out, b)
	}
	return out
}
