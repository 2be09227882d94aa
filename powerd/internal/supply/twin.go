package supply

import (
	"context"
	"fmt"

	"powerd/quarch"
)

// Twin switches the emulated module of a drive twin: nothing lives on its drive, and
// both are gone after the run. It is switched on however the run ends.
type Twin struct {
	module quarch.Module
	now    func() int64
	off    bool
}

// OfTwin returns what switches a twin's module; now is host CLOCK_MONOTONIC in ns.
func OfTwin(m quarch.Module, now func() int64) *Twin { return &Twin{module: m, now: now} }

func (t *Twin) set(ctx context.Context, on bool) (sentNs, ackedNs int64, err error) {
	sentNs = t.now()
	t.off = true // until it is known to be on
	if err := t.module.SetPower(ctx, on); err != nil {
		return sentNs, t.now(), err
	}
	t.off = !on
	return sentNs, t.now(), nil
}

// Off cuts the drive's power.
func (t *Twin) Off(ctx context.Context) (sentNs, ackedNs int64, err error) { return t.set(ctx, false) }

// On gives the drive its power back.
func (t *Twin) On(ctx context.Context) (sentNs, ackedNs int64, err error) { return t.set(ctx, true) }

// Ready waits for nothing: the drive's file is always there.
func (*Twin) Ready(context.Context) error { return nil }

// Restore switches the drive on if it is off, and says so.
func (t *Twin) Restore(ctx context.Context) (said string, err error) {
	if !t.off {
		return "", nil
	}
	if _, _, err := t.set(context.WithoutCancel(ctx), true); err != nil {
		return "", fmt.Errorf("the drive was left without power: %w", err)
	}
	return "the drive was switched on again", nil
}
