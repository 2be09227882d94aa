package bench

import (
	"fmt"

	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/drivecmd"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/suite"
)

// commands returns what does the plan's commands and purges; nil if it has none.
func (b *bench) commands(plan suite.Plan) measure.Commands {
	if !plan.Commands() && !plan.Purges() {
		return nil
	}
	return b.orders()
}

func (b *bench) orders() *drivecmd.Drive {
	return &drivecmd.Drive{Target: b.cfg.Target, Serial: b.cfg.TargetSerial, Emulated: b.twin != nil || b.scale > 0, Now: clock.Mono}
}

// mayCommand refuses commands and purges that could not be done, or must not.
func (b *bench) mayCommand(plan suite.Plan) error {
	for _, st := range plan {
		if st.Kind != suite.Command && st.Kind != suite.Purge {
			continue
		}
		if b.cfg.Target == "" {
			return fmt.Errorf("step %s is for a drive: name it with %s/dev/disk/by-id/…", st.Name, b.targetKey())
		}
		if err := b.orders().Check(st); err != nil {
			return err
		}
	}
	return nil
}
