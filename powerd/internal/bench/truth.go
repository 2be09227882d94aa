package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"powerd/analysis/inrush"
	"powerd/powerd/internal/clock"
	"powerd/powerd/internal/emu"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// truth writes what really happened, on a twin.
func (b *bench) truth(ctx context.Context, dir string, plan suite.Plan, d *results.Document) error {
	if b.emulation == nil {
		return nil
	}
	t, err := b.emulation.Truth(ctx, question(plan, d, clock.Mono()))
	if err != nil {
		return err
	}
	out, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode truth: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "truth.json"), append(out, '\n'), 0o644)
}

// truthBursts is of how many loads after a pause the truth is told: what holds for these
// holds for all.
const truthBursts = 20

// question asks for the truth of every window that the results name.
func question(plan suite.Plan, d *results.Document, nowNs int64) emu.Request {
	q := emu.Request{StartedMonoNs: d.Run.StartedMonoNs, EndedMonoNs: nowNs, Stream: d.Alignment.Stream}
	if d.Idle != nil {
		q.Idle = &emu.Window{Step: d.Idle.Step, StartMonoNs: d.Idle.StartMonoNs, EndMonoNs: d.Idle.EndMonoNs}
	}
	ramped := map[string]bool{}
	for _, s := range plan {
		ramped[s.Name] = s.Job.Ramp > 0
	}
	for _, e := range d.Efficiency {
		if e.FirstRound > 0 { // the sum of others, not a window of its own
			continue
		}
		q.Steps = append(q.Steps, emu.Window{
			Step: e.Step, StartMonoNs: e.StartMonoNs, EndMonoNs: e.EndMonoNs, Ramped: ramped[e.Step],
		})
	}
	for _, r := range d.Recovery {
		for i, b := range r.Bursts[:min(len(r.Bursts), truthBursts)] {
			q.Steps = append(q.Steps, emu.Window{Step: fmt.Sprintf("recovery.%s.burst_%d", r.Step, i+1), StartMonoNs: b.StartMonoNs, EndMonoNs: b.EndMonoNs})
		}
	}
	if d.Inrush != nil {
		for _, c := range d.Inrush.Cycles {
			q.Cycles = append(q.Cycles, cycle(c))
		}
	}
	q.Windows = otherWindows(d)
	return q
}

// otherWindows are those that figures of the results are of besides loads and power-ups.
func otherWindows(d *results.Document) []emu.Window {
	out := []emu.Window{}
	add := func(what string, startNs, endNs int64) {
		out = append(out, emu.Window{Step: what, StartMonoNs: startNs, EndMonoNs: endNs})
	}
	for _, i := range d.Idles {
		what := "idle." + i.Step
		if i.Level > 0 {
			what = fmt.Sprintf("%s.level_%d", what, i.Level)
		}
		if len(i.Windows) == 0 {
			add(what, i.StartMonoNs, i.EndMonoNs)
		}
		for _, w := range i.Windows {
			add(what, w.StartMonoNs, w.EndMonoNs)
		}
	}
	for _, r := range d.Records {
		add("record."+r.Name, r.StartMonoNs, r.EndMonoNs)
	}
	for _, r := range d.Recovery {
		for i := 1; i < min(len(r.Bursts), truthBursts); i++ {
			add(fmt.Sprintf("recovery.%s.pause_%d", r.Step, i+1), r.Bursts[i-1].EndMonoNs, r.Bursts[i].StartMonoNs)
		}
	}
	for _, m := range d.Marks {
		add("marks."+m.Name, m.StartMonoNs, m.EndMonoNs)
	}
	return out
}

// cycle asks for a power-up, and all that the results say of it.
func cycle(c *inrush.Cycle) emu.Cycle {
	out := emu.Cycle{
		Window:    emu.Window{Step: c.Step, StartMonoNs: c.StartMonoNs, EndMonoNs: c.EndMonoNs},
		WindowsUs: []float64{}, LimitsA: map[string][]float64{},
	}
	if c.Total != nil {
		for _, p := range c.Total.Peaks {
			out.WindowsUs = append(out.WindowsUs, p.WindowUs)
		}
	}
	for rail, r := range c.Rails {
		for _, a := range r.Above {
			out.LimitsA[string(rail)] = append(out.LimitsA[string(rail)], a.LimitA)
		}
	}
	return out
}
