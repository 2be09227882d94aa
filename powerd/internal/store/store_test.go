package store_test

import (
	"context"
	"errors"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/sqlite"
	"powerd/powerd/internal/store/storetest"
)

// Two databases behind one fan-out pass as one store does.
func TestFanoutConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return store.All(database(t), database(t)) })
}

func database(t *testing.T) store.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir()+"/powerd.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// A store that fails keeps no other from its data, and its error is told.
func TestFanoutGoesOnBehindAFailure(t *testing.T) {
	good := &recorder{}
	all := store.All(&recorder{err: errors.New("first is broken")}, good, &recorder{err: errors.New("third is broken")})
	err := errors.Join(
		all.Begin(t.Context(), store.Run{}), all.Step(t.Context(), store.StepRow{}), all.Live(t.Context(), nil, nil),
		all.Results(t.Context(), nil, nil), all.End(t.Context(), store.Completed, 0),
	)
	_, cerr := all.Close(t.Context())
	if good.calls != "begin step live results end close " {
		t.Errorf("the store between got %q", good.calls)
	}
	for _, e := range []error{err, cerr} {
		if e == nil {
			t.Fatal("the failures were not told")
		}
	}
}

// Counts of several stores add up; only those with something unsent are named in
// the error.
func TestReport(t *testing.T) {
	sqlite := &recorder{report: store.Report{Store: "sqlite", Sent: 10}}
	influx := &recorder{report: store.Report{
		Store: "influx", Sent: 7, Pending: 3, Parked: 2, Dropped: 1, Reason: "no answer: connection refused",
	}}
	report, err := store.All(sqlite, influx).Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Sent != 17 || report.Pending != 3 || report.Parked != 2 || report.Dropped != 1 {
		t.Errorf("sums %+v", report)
	}
	want := "points not stored: influx: 7 points stored, 3 waiting in the outbox for the next start, 2 in refused batches, kept, " +
		"1 given up because the outbox is full (no answer: connection refused)"
	if got := report.Err(); !errors.Is(got, store.ErrUnsent) || got.Error() != want {
		t.Errorf("error %q; want %q", got, want)
	}
	if err := sqlite.report.Err(); err != nil {
		t.Errorf("all sent: %v", err)
	}
}

// Summaries are due once they span a second, whatever their number and order; a
// writer that fails for ever is refused more than 100,000, but a long step's may come
// all at once.
func TestGather(t *testing.T) {
	var g store.Gather
	for i := range int64(10) { // 0.1 … 1.0 s
		due, err := g.Add(storetest.Rails(i*100_000_000, 1), storetest.Engines(i*100_000_000, 1))
		if due || err != nil {
			t.Errorf("after %d summaries, which span 0.%d s: due %v, %v", i+1, i, due, err)
		}
	}
	if due, err := g.Add(nil, storetest.Engines(1_000_000_000, 1)); !due || err != nil { // 1.1 s
		t.Errorf("summaries span 1 s: due %v, %v", due, err)
	}
	g.Reset()
	if !g.Empty() {
		t.Error("not empty after Reset")
	}
	if _, err := g.Add(storetest.Rails(0, 200_000), nil); err != nil {
		t.Errorf("200,000 summaries of a long step at once: %v", err)
	}
	if due, err := g.Add(storetest.Rails(0, 1), nil); err == nil || !due || len(g.Rails) != 200_000 {
		t.Errorf("one more: due %v, error %v, %d wait; want it refused and writing due", due, err, len(g.Rails))
	}
}

// recorder notes the calls it gets and answers with err.
type recorder struct {
	calls  string
	err    error
	report store.Report
}

func (r *recorder) note(call string) error {
	r.calls += call + " "
	return r.err
}

func (r *recorder) Begin(context.Context, store.Run) error    { return r.note("begin") }
func (r *recorder) Step(context.Context, store.StepRow) error { return r.note("step") }
func (r *recorder) Live(context.Context, []store.Rail100ms, []store.Engine100ms) error {
	return r.note("live")
}

func (r *recorder) Results(context.Context, []byte, []*analysis.Table) error {
	return r.note("results")
}
func (r *recorder) End(context.Context, string, int64) error { return r.note("end") }
func (r *recorder) Close(context.Context) (store.Report, error) {
	return r.report, r.note("close")
}
