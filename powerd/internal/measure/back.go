package measure

import (
	"context"
	"errors"
	"fmt"

	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// back sees to it that a run outlives a cable that was touched: it waits for the module
// and reports whether the steps after i can be measured. The step under way has failed: its
// window lacks what nobody has seen. A drive whose power is being cut is not left to wait.
func (r *run) back(ctx context.Context, i int, why error) bool {
	if r.Reopen == nil || !errors.Is(why, quarch.ErrUnplugged) || i == len(r.Plan)-1 || r.Plan[i].Kind == suite.PowerCycle {
		return false
	}
	_ = r.recorder.stop() // it is known why it broke
	sinceNs := r.recorder.reachedNs.Load()
	r.warn("", "module_away", "the module has gone: it is waited for, and the run goes on with the next step; Ctrl-C ends it")
	m, err := r.Reopen(ctx)
	if err != nil {
		r.warn("", "module_lost", err.Error())
		return false
	}
	r.Module, r.recorder.module = m, m
	r.warn("", "module_back", fmt.Sprintf("the module is back: no samples for %.1f s, as its port was unplugged", float64(r.Now()-sinceNs)*1e-9))
	return true
}
