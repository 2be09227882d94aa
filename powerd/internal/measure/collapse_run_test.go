package measure_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"powerd/engine"
	"powerd/powerd/internal/measure"
	"powerd/powerd/internal/results"
	"powerd/powerd/internal/suite"
	"powerd/quarch"
)

// fallingEngine is a timed engine that says that its rate is a tenth after a time.
type fallingEngine struct {
	*timedEngine
	after time.Duration
}

type fallingRun struct {
	engine.Run
	progress chan engine.Progress
}

func (r *fallingRun) Progress() <-chan engine.Progress { return r.progress }

func (e *fallingEngine) Start(ctx context.Context, job engine.Job) (engine.Run, error) {
	run, err := e.timedEngine.Start(ctx, job)
	if err != nil {
		return nil, err
	}
	startNs, out := e.now(), make(chan engine.Progress)
	go func() {
		defer close(out)
		for p := range run.Progress() {
			if p.AtNs-startNs > e.after.Nanoseconds() {
				p.Interval.Reads /= 10
			}
			out <- p
		}
	}()
	return &fallingRun{run, out}, nil
}

// A load of six minutes whose rate falls from 1000 to 100 IOPS after two and a half is
// warned of while it runs, and the warning is kept: in the capture, and so in the
// results.
func TestCollapseIsWarnedOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		clock := func() quarch.Clock {
			return quarch.Clock{MonoNs: b.now(), RawNs: b.now(), UTCNs: time.Now().UnixNano()}
		}
		start := clock()
		var shown []results.Warning
		load := loadStep("fill", 6*time.Minute)
		load.Sampling = 131072 * time.Microsecond
		d, err := measure.Run(t.Context(), measure.Parts{
			Module: b.module, Engine: &fallingEngine{b.engine, 150 * time.Second}, Store: b.store, Now: b.now, Clock: clock,
			Log:  slog.New(slog.DiscardHandler),
			Show: func(s measure.Status) { shown = s.Warnings },
		}, measure.Spec{
			Dir: b.dir, Target: b.target, Plan: suite.Plan{load},
			Meta: results.Meta{
				Run: results.Run{ID: "r1", StartedMonoNs: start.MonoNs}, Suite: results.Suite{Name: "fill", Scale: 1}, Start: start,
				Bench:  results.Bench{RailsUsed: []quarch.Rail{quarch.Rail5V, quarch.Rail12V}},
				Module: results.Module{Driver: "ppm", Serial: "QTL1999-02-001", Link: quarch.LinkFramed},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		const want = "step fill: IOPS fell from 1,000 to 100 and stayed there for 60 s"
		if len(shown) != 1 || shown[0].Code != "collapse" || !strings.HasPrefix(shown[0].Text, want) {
			t.Errorf("shown: %v", shown)
		}
		kept := 0
		for _, w := range d.Warnings {
			if w.Code == "collapse" && strings.HasPrefix(w.Text, want) {
				kept++
			}
		}
		if kept != 1 {
			t.Errorf("%d times in the results: %v", kept, d.Warnings)
		}
	})
}
