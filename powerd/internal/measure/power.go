package measure

import (
	"context"
	"fmt"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// Power switches the drive's supply. Off and On return the host times right before the
// command was sent and right after it was acknowledged.
type Power interface {
	Off(ctx context.Context) (sentNs, ackedNs int64, err error)
	On(ctx context.Context) (sentNs, ackedNs int64, err error)
	// Ready waits until the drive is back where the host knows it.
	Ready(ctx context.Context) error
	// Restore puts back what was changed, also under a ctx that was cancelled, and says
	// what it did; empty if nothing was to be done.
	Restore(ctx context.Context) (said string, err error)
}

// powerCycle switches the drive off and on again. However it ends, the supply is as it
// was found afterwards, or the error says how it is.
func (r *run) powerCycle(ctx context.Context, st suite.Step) (err error) {
	done := false
	r.beacons.off = true
	defer func() {
		r.beacons.off = !done
		if !done { // also after a panic, and after an "off" that failed: nobody knows what it did
			err = distinct(err, r.restore(ctx, st.Name))
		}
	}()
	if err := r.switched(ctx, st.Name, false, r.Power.Off); err != nil {
		return err
	}
	if err := r.wait(ctx, st.OffTime); err != nil {
		return err
	}
	if err := r.switched(ctx, st.Name, true, r.Power.On); err != nil {
		return err
	}
	answered := r.awaitAnswer(ctx, st.Name)
	if err := distinct(r.wait(ctx, st.Duration), answered()); err != nil {
		return err
	}
	if err := r.Power.Ready(ctx); err != nil {
		return err
	}
	done = true
	return nil
}

// switched does one power command and marks it in the capture.
func (r *run) switched(ctx context.Context, step string, on bool, do func(context.Context) (int64, int64, error)) error {
	sent, acked, err := do(ctx)
	if err != nil {
		return err
	}
	return r.capture.Event(results.PowerEvent(step, on, sent, acked))
}

// restore puts the supply back as it was found, and tells what that took.
func (r *run) restore(ctx context.Context, step string) error {
	if r.Power == nil {
		return nil
	}
	said, err := r.Power.Restore(ctx)
	if said != "" {
		r.warn(step, "supply_restored", said)
	}
	if err != nil {
		return fmt.Errorf("the supply is not as it was found: %w", err)
	}
	return nil
}
