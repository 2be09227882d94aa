package bench

import (
	"context"

	"powerd/powerd/internal/results"
	"powerd/powerd/internal/supply"
)

// health returns what asks the bench's drive of itself, by the name in the settings; nil for
// a file, and where there is none.
func (b *bench) health() func(context.Context) results.Health {
	if b.target.Block == "" || b.twin != nil {
		return nil
	}
	return func(ctx context.Context) results.Health {
		h := supply.AskHealth(ctx, b.cfg.Target)
		return results.Health{Tool: h.Tool, TempC: h.TempC, PowerState: h.PowerState}
	}
}
