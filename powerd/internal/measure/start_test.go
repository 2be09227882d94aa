package measure_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"powerd/analysis/align"
	"powerd/quarch"
	"powerd/quarch/ppm"
)

// sluggish is a module on a host that saw the first of its streams 40 ms late from
// beginning to end: no map of it can be better than ± 20 ms.
type sluggish struct {
	*ppm.Module
	starts int
}

func (m *sluggish) Stream(ctx context.Context) iter.Seq2[*quarch.Block, error] {
	m.starts++
	late := int64(0)
	if m.starts == 1 {
		late = 40e6
	}
	return func(yield func(*quarch.Block, error) bool) {
		for b, err := range m.Module.Stream(ctx) {
			if b != nil {
				b.ReadAtNs += late
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// A stream whose start the host was slow to see is started again before anything is
// measured in it: the run's U is that of the second one, below 5 ms, nobody is warned
// of the first, and the step has all its samples.
func TestStreamThatBeganBadlyIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		m := &sluggish{Module: b.module}
		b.replace = m
		d, err := b.run(t.Context(), idleStep("idle", 3*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if a := d.Alignment; m.starts != 2 || a.Stream != 2 || a.Status != align.StatusOK || *a.OffsetU95S > 5e-3 {
			t.Errorf("%d starts; stream %d is %s, U %.1f ms (%s)", m.starts, a.Stream, a.Status, *a.OffsetU95S*1e3, a.Why)
		}
		if len(d.Warnings) > 0 || d.Idle == nil || d.Idle.Coverage != 1 {
			t.Errorf("warnings %v, idle %+v", d.Warnings, d.Idle)
		}
		about(t, "idle total", d.Idle.Total.MeanW, 2.7, 1e-9)
	})
}
