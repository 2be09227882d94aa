package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// truth writes what really happened, on a twin.
func (b *bench) truth(ctx context.Context, dir string, plan suite.Plan, d *results.Document) error {
	if b.emulation == nil {
		return nil
	}
	q := emu.Request{StartedMonoNs: d.Run.StartedMonoNs, Stream: d.Alignment.Stream}
	if d.Idle != nil {
		q.Idle = &emu.Window{Step: d.Idle.Step, StartMonoNs: d.Idle.StartMonoNs, EndMonoNs: d.Idle.EndMonoNs}
	}
	ramped := map[string]bool{}
	for _, s := range plan {
		ramped[s.Name] = s.Job.Ramp > 0
	}
	for _, e := range d.Efficiency {
		q.Steps = append(q.Steps, emu.Window{
			Step: e.Step, StartMonoNs: e.StartMonoNs, EndMonoNs: e.EndMonoNs, Ramped: ramped[e.Step],
		})
	}
	t, err := b.emulation.Truth(ctx, q)
	if err != nil {
		return err
	}
	out, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode truth: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "truth.json"), append(out, '\n'), 0o644)
}
