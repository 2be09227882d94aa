package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"powerd/powerd/internal/supply"
	"powerd/quarch"
)

const (
	awayAtMost = 30 * time.Second // that a run waits for a module whose cable was touched
	awayPoll   = 250 * time.Millisecond
)

// reopener returns what opens the bench's module again after its port has gone; nil on a
// twin. s, which may be nil, is told of it. Of a module that is lent the one that is opened
// again is this run's own, and its owner opens its own after the run.
func (b *bench) reopener(s *supply.Session) func(context.Context) (quarch.Module, error) {
	if b.twin != nil {
		return nil
	}
	return func(ctx context.Context) (quarch.Module, error) {
		_ = b.module.Close() // the port is gone, and says so
		m, err := b.reopen(ctx)
		if err != nil {
			b.module = nil
			return nil, err
		}
		b.module, b.lent = m, false
		if s != nil {
			s.Use(m)
		}
		return m, nil
	}
}

// reopen waits for the module that the run began with. It sends queries only.
func (b *bench) reopen(ctx context.Context) (quarch.Module, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, awayAtMost, fmt.Errorf("the module did not come back within %v", awayAtMost))
	defer cancel()
	again := time.NewTicker(awayPoll)
	defer again.Stop()
	for {
		m, info, err := openModule(ctx, b.cfg, b.log, b.clock.Mono)
		if err == nil {
			if err = b.sameModule(info); err == nil {
				return m, nil
			}
			return nil, errors.Join(err, m.Close())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// sameModule refuses to go on with another module, or with one that has restarted: its
// outputs went off, and with them the drive.
func (b *bench) sameModule(info quarch.Info) error {
	switch {
	case info.Serial != b.info.Serial:
		return fmt.Errorf("the module that came back is %s, not %s", info.Serial, b.info.Serial)
	case quarch.Restarted(b.info.RuntimeS, info.RuntimeS, b.clock.Mono()-b.openedNs):
		return fmt.Errorf("module %s restarted meanwhile, so that its drive may have lost its power", info.Serial)
	case info.Powered != nil && !*info.Powered:
		return fmt.Errorf("module %s is back, and its outputs are off; nothing was switched", info.Serial)
	}
	return nil
}
