// Package storetest is what every store must pass, and the run that its tests
// hand over.
//
// # The problem
//
// A run hands the same things to every store in the same order, and relies on the
// same promises: what was taken is kept, a second Close is harmless, calls may
// overlap, and a cancelled context refuses a call without breaking the store.
//
// # Errors
//
// A broken promise fails the test and names the call.
package storetest

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/store"
)

// Run runs the suite. open opens a new, empty store, which the suite closes.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	t.Run("a whole run", func(t *testing.T) { wholeRun(t, open(t)) })
	t.Run("calls out of order", func(t *testing.T) { outOfOrder(t, open(t)) })
	t.Run("two runs, one after the other", func(t *testing.T) { twoRuns(t, open(t)) })
	t.Run("summaries from several goroutines", func(t *testing.T) { concurrent(t, open(t)) })
	t.Run("a cancelled context", func(t *testing.T) { cancelled(t, open(t)) })
	t.Run("no summaries, no tables", func(t *testing.T) { empty(t, open(t)) })
}

// Drive returns a run of one emulated drive.
func Drive(id, drive, serial string) store.Run {
	return store.Run{
		ID: id, Suite: "demo", Bench: "bench 1", Drive: drive, DriveSerial: serial, Firmware: "0003",
		Module: "QTL1999-01-001", Simulated: true,
		StartedUTCNs: 1_790_000_000_000_000_000, StartedMonoNs: 5_000_000_000,
	}
}

// Rails returns n summaries of the 5 V rail, 100 ms apart from startNs on.
func Rails(startNs int64, n int) []store.Rail100ms {
	rails := make([]store.Rail100ms, n)
	for i := range rails {
		rails[i] = store.Rail100ms{
			EndNs: startNs + int64(i+1)*100_000_000, Rail: "5v", Step: "idle", N: 1562, Lost: 1,
			V: store.Stats{Min: 4.9, Mean: 5, Max: 5.1, Std: 0.01},
			A: store.Stats{Min: 0.1, Mean: 0.2, Max: 0.3, Std: 0.02},
			W: store.Stats{Min: 0.5, Mean: 1, Max: 1.5, Std: math.NaN()},
		}
	}
	return rails
}

// Engines returns n summaries of an engine beside those of Rails.
func Engines(startNs int64, n int) []store.Engine100ms {
	engines := make([]store.Engine100ms, n)
	for i := range engines {
		engines[i] = store.Engine100ms{
			EndNs: startNs + int64(i+1)*100_000_000, DurationNs: 100_000_000, Step: "randread-4k-qd32",
			Reads: 1000, ReadBytes: 4_096_000,
		}
	}
	return engines
}

// Efficiency returns a table of two cells, the second of which has no power
// figure. ratio is the first one's IOPS/mW.
func Efficiency(ratio float64) *analysis.Table {
	return &analysis.Table{
		Name: "efficiency",
		Columns: []analysis.Column{
			{Name: "step", Kind: analysis.Key},
			{Name: "rw", Kind: analysis.Key},
			{Name: "bs_bytes", Unit: "B", Kind: analysis.Count},
			{Name: "read_pct", Unit: "%", Kind: analysis.Count},
			{Name: "qd", Kind: analysis.Count},
			{Name: "jobs", Kind: analysis.Count},
			{Name: "state", Kind: analysis.Key},
			{Name: "ios", Unit: "IO", Kind: analysis.Count},
			{Name: "iops", Unit: "1/s"},
			{Name: "mean_w", Unit: "W"},
			{Name: "iops_per_mw", Unit: "1/s/mW"},
			{Name: "remark", Kind: analysis.Text},
		},
		Rows: []analysis.Row{
			{StartNs: 10_000_000_000, EndNs: 15_000_000_000, Cells: []analysis.Cell{
				analysis.Word("randread-4k-qd1"), analysis.Word("randread"), analysis.Val(4096), analysis.Val(100),
				analysis.Val(1), analysis.Val(1), analysis.Word("not_judged"),
				analysis.Val(50000), analysis.Val(10000), analysis.ValU(10/ratio, 0.01), analysis.ValU(ratio, 0.05), analysis.Word("first"),
			}},
			{StartNs: 20_000_000_000, EndNs: 25_000_000_000, Cells: []analysis.Cell{
				analysis.Word("randread-4k-qd32"), analysis.Word("randread"), analysis.Val(4096), analysis.Val(100),
				analysis.Val(32), analysis.Val(1), analysis.Word("not_judged"),
				analysis.Val(137500), analysis.Val(27500), analysis.No("coverage 91 %"), analysis.No("coverage 91 %"),
				{},
			}},
		},
	}
}

func wholeRun(t *testing.T, s store.Store) {
	ctx := t.Context()
	run := Drive("run-1", "Model A", "SN1")
	ok(t, "Begin", s.Begin(ctx, run))
	ok(t, "Step", s.Step(ctx, store.StepRow{Name: "idle", Kind: "idle", StartNs: 5_000_000_000, Outcome: store.Running}))
	for i := range int64(25) {
		ok(t, "Live", s.Live(ctx, Rails(5_000_000_000+i*100_000_000, 1), Engines(5_000_000_000+i*100_000_000, 1)))
	}
	ok(t, "Step", s.Step(ctx, store.StepRow{
		Name: "idle", Kind: "idle", StartNs: 5_000_000_000, EndNs: 7_500_000_000, Outcome: store.Completed,
	}))
	ok(t, "Results", s.Results(ctx, []byte(`{"schema":"powerd.results/1"}`), nil))
	ok(t, "Results", s.Results(ctx, []byte(`{"schema":"powerd.results/1"}`), []*analysis.Table{Efficiency(20)}))
	ok(t, "Results", s.Results(ctx, []byte(`{"schema":"powerd.results/1"}`), []*analysis.Table{Efficiency(20)}))
	ok(t, "End", s.End(ctx, store.Completed, 30_000_000_000))

	first, err := s.Close(ctx)
	ok(t, "Close", err)
	if got := first.Sent + first.Pending + first.Parked; got == 0 {
		t.Error("Close: the report knows of no points")
	}
	second, err := s.Close(ctx)
	ok(t, "second Close", err)
	if second.String() != first.String() {
		t.Errorf("second Close reports %q, the first %q", second, first)
	}
	wants(t, "Live after Close", s.Live(ctx, Rails(0, 1), nil), store.ErrClosed)
	wants(t, "Begin after Close", s.Begin(ctx, run), store.ErrClosed)
}

func outOfOrder(t *testing.T, s store.Store) {
	ctx := t.Context()
	wants(t, "Live before Begin", s.Live(ctx, Rails(0, 1), nil), store.ErrNotBegun)
	wants(t, "Results before Begin", s.Results(ctx, []byte("{}"), nil), store.ErrNotBegun)
	wants(t, "End before Begin", s.End(ctx, store.Completed, 0), store.ErrNotBegun)
	ok(t, "Begin", s.Begin(ctx, Drive("run-1", "Model A", "SN1")))
	wants(t, "Begin twice", s.Begin(ctx, Drive("run-2", "Model A", "SN1")), store.ErrBegun)
	closes(t, s)
}

func twoRuns(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, run := range []store.Run{Drive("run-1", "Model A", "SN1"), Drive("run-2", "Model B", "SN2"), Drive("run-1", "Model A", "SN1")} {
		ok(t, "Begin "+run.ID, s.Begin(ctx, run))
		ok(t, "Live", s.Live(ctx, Rails(5_000_000_000, 3), nil))
		ok(t, "Results", s.Results(ctx, []byte("{}"), []*analysis.Table{Efficiency(20)}))
		ok(t, "End", s.End(ctx, store.Interrupted, 6_000_000_000))
	}
	closes(t, s)
}

func concurrent(t *testing.T, s store.Store) {
	ctx := t.Context()
	ok(t, "Begin", s.Begin(ctx, Drive("run-1", "Model A", "SN1")))
	var wg sync.WaitGroup
	errs := make(chan error, 4*10+1)
	for g := range int64(4) {
		wg.Go(func() {
			for i := range int64(10) {
				// Each goroutine has a second of its own in every four.
				errs <- s.Live(ctx, Rails((g+4*i)*1_000_000_000, 10), nil)
			}
		})
	}
	wg.Go(func() { errs <- s.Results(ctx, []byte("{}"), []*analysis.Table{Efficiency(20)}) })
	wg.Wait()
	close(errs)
	for err := range errs {
		ok(t, "concurrent call", err)
	}
	ok(t, "End", s.End(ctx, store.Completed, 40_000_000_000))
	report, err := s.Close(ctx)
	ok(t, "Close", err)
	// 4 × 10 × 10 summaries and two cells, of which both hold figures.
	if got := report.Sent + report.Pending; got < 402 {
		t.Errorf("stored or waiting: %d of at least 402 points", got)
	}
}

func cancelled(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	ok(t, "Begin", s.Begin(t.Context(), Drive("run-1", "Model A", "SN1")))
	ok(t, "Live", s.Live(t.Context(), Rails(5_000_000_000, 3), nil))
	cancel()
	wants(t, "Live", s.Live(ctx, Rails(6_000_000_000, 30), nil), context.Canceled)
	wants(t, "Results", s.Results(ctx, []byte("{}"), nil), context.Canceled)
	wants(t, "End", s.End(ctx, store.Interrupted, 7_000_000_000), context.Canceled)
	ok(t, "Live afterwards", s.Live(t.Context(), Rails(8_000_000_000, 2), nil))
	report, err := s.Close(ctx) // keeps what was taken all the same
	ok(t, "Close", err)
	if got := report.Sent + report.Pending; got < 5 {
		t.Errorf("stored or waiting: %d of 5 points", got)
	}
}

func empty(t *testing.T, s store.Store) {
	ctx := t.Context()
	ok(t, "Begin", s.Begin(ctx, Drive("run-1", "Model A", "SN1")))
	ok(t, "Live", s.Live(ctx, nil, nil))
	ok(t, "Results", s.Results(ctx, []byte("{}"), []*analysis.Table{{Name: "idle"}}))
	ok(t, "End", s.End(ctx, store.Failed, 6_000_000_000))
	closes(t, s)
}

func closes(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Close(t.Context())
	ok(t, "Close", err)
}

func ok(t *testing.T, call string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
}

func wants(t *testing.T, call string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v; want %v", call, err, want)
	}
}
