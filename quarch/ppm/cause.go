package ppm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"powerd/quarch"
	"powerd/quarch/wire"
)

// slowShare is the share of stripes in time below which the line is to blame.
const slowShare = 0.8

// blame says beside err, with which a stream ends that could not be stopped, why its
// stripes did not come, and what to do about it: nothing at all was heard any more, or
// the line carries less than the module makes, so that whatever is asked waits behind
// samples. It may ask the module, queries only.
func (c *consumer) blame(err error) error {
	if errors.Is(err, quarch.ErrUnplugged) || errors.Is(err, quarch.ErrClosed) {
		return err
	}
	now := c.m.o.Now()
	sentNs, ackedNs := c.m.StreamStart()
	heardNs := max(c.s.heardNs.Load(), ackedNs)
	due, n := (now-sentNs)/max(1, c.layout.periodNs), c.s.stripes.Load()
	switch silence := time.Duration(now - heardNs); {
	case silence > c.m.o.Timeout/2+stallPeriods*time.Duration(c.layout.periodNs):
		return fmt.Errorf("%w; %d stripes came in the %s after the stream's start, and nothing in the %s since then: %s",
			err, n, seconds(heardNs-sentNs), seconds(int64(silence)), c.m.state(now-sentNs, c.exponent))
	case n > 0 && float64(n) < slowShare*float64(due):
		return fmt.Errorf("%w; only %d of %d stripes had come by then: the line is too slow for one in %d µs, raise the averaging", err, n, due, c.layout.periodNs/1000)
	}
	return err
}

func seconds(ns int64) string { return fmt.Sprintf("%.3g s", float64(ns)*1e-9) }

// state asks a module that fell silent in mid-stream what has become of it, and says
// that with the cure. The stream began sinceNs ago, with this averaging.
func (m *Module) state(sinceNs int64, exponent byte) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*m.o.Timeout)
	defer cancel()
	now, err := m.averaging(ctx)
	if err != nil {
		return "it does not answer now either; look at its power, its cable, and what is between"
	}
	const restarted = "it restarted in mid-stream, and its settings are at their defaults; look at its supply, and run again"
	runtime, err := m.runtime(ctx)
	switch {
	case err == nil && runtime != nil && *runtime+1 < float64(sinceNs)*1e-9:
		return fmt.Sprintf("it answers now, and has been on for %.0f s: %s", *runtime, restarted)
	case now != exponent:
		return fmt.Sprintf("it answers now, with an averaging of %d where %d was set: %s", wire.Samples(now), wire.Samples(exponent), restarted)
	}
	return "it answers now: it, or what is between, stood still for a while; look at cable, hub and bridge, and run again"
}
