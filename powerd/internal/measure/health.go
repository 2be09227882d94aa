package measure

import (
	"context"
	"time"

	"powerd/powerd/internal/results"
)

// healthAtMost is how long a drive is asked of itself.
const healthAtMost = 20 * time.Second

// askHealth writes down what the drive says of itself, if it does, also under a ctx that was
// cancelled.
func (r *run) askHealth(ctx context.Context, when string) {
	if r.Health == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthAtMost)
	defer cancel()
	if h := r.Health(ctx); h.Tool != "" {
		r.note(r.capture.Event(results.HealthEvent(r.Now(), when, h)))
	}
}
