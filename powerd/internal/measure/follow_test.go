package measure_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
)

// kernel is a follower that has seen 40 reads of 4 KiB a tenth of a second.
type kernel struct {
	now   func() int64
	fails error // at once

	dir   string
	began int
	ended int
}

func (k *kernel) Follow(ctx context.Context, dir string, sink func(engine.Interval)) error {
	k.dir = dir
	k.began++
	defer func() { k.ended++ }()
	if k.fails != nil {
		return k.fails
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	fromNs := k.now()
	for {
		select {
		case <-tick.C:
			toNs := k.now()
			sink(engine.Interval{StartNs: fromNs, EndNs: toNs, Reads: 40, ReadBytes: 40 * 4096})
			fromNs = toNs
		case <-ctx.Done():
			return nil
		}
	}
}

// The target is followed from the run's start to its end. What it shows is the preview
// and goes to the stores where no engine of powerd's runs: 400 IOPS and 1.64 MB/s of
// somebody else; while one runs it is that one's 1000.
func TestTargetIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := &kernel{now: b.now}
		b.follow = k
		record := idleStep("oltp", 5*time.Second)
		record.Kind = suite.Record
		doc, err := b.run(t.Context(), record, loadStep("read", 5*time.Second))
		if err != nil || doc.Run.Outcome != results.Completed {
			t.Fatalf("%v, %+v", err, doc)
		}
		if k.began != 1 || k.ended != 1 || k.dir != filepath.Join(b.dir, "engine") {
			t.Errorf("followed %d times, ended %d times, into %s", k.began, k.ended, k.dir)
		}
		seen := map[string]measure.Status{} // the last of each step
		for _, s := range b.shown {
			if s.IOPS != nil {
				seen[s.Step] = s
			}
		}
		if s := seen["oltp"]; s.IOPS == nil || math.Abs(*s.IOPS-400) > 0.1 || math.Abs(*s.MBPerS-1.6384) > 1e-3 {
			t.Errorf("somebody else's load: %+v", s)
		}
		if s := seen["read"]; s.IOPS == nil || math.Abs(*s.IOPS-1000) > 0.1 {
			t.Errorf("powerd's own load: %+v", s)
		}
		rows := map[string]int64{}
		for _, e := range b.store.engines {
			rows[e.Step] += e.Reads
		}
		if rows["oltp"] < 1900 || rows["oltp"] > 2000 { // 400 IOPS · 5 s
			t.Errorf("%d reads of the first step were stored", rows["oltp"])
		}
		if rows["read"] != 5000 { // the engine's own 1000 IOPS · 5 s, once
			t.Errorf("%d reads of the second step were stored", rows["read"])
		}
	})
}

// A target that cannot be followed is a warning with the reason; everything else is
// measured all the same.
func TestTargetCannotBeFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.follow = &kernel{now: b.now, fails: fmt.Errorf("%w: it is a file on ext4", engine.ErrTarget)}
		doc, err := b.run(t.Context(), idleStep("idle", 3*time.Second))
		if err != nil || doc.Idle == nil || doc.Idle.Total.MeanW == nil {
			t.Fatalf("%v, %+v", err, doc)
		}
		found := 0
		for _, w := range doc.Warnings {
			if w.Code == "not_followed" && strings.Contains(w.Text, "it is a file on ext4") && !strings.Contains(w.Text, "step") {
				found++
			}
		}
		// It concerns the whole run: whoever looks on is told of no step.
		last := b.shown[len(b.shown)-1]
		if found != 1 || len(last.Warnings) != 1 || !strings.HasPrefix(last.Warnings[0].Text, "the IO that reached the target") {
			t.Errorf("warnings %+v, shown %+v", doc.Warnings, last.Warnings)
		}
	})
}

// A run that is interrupted ends its following before it returns.
func TestInterruptEndsTheFollowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		k := &kernel{now: b.now}
		b.follow = k
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := b.run(ctx, idleStep("idle", time.Hour)); !errors.Is(err, context.DeadlineExceeded) || k.ended != 1 {
			t.Errorf("%v, ended %d times", err, k.ended)
		}
	})
}
