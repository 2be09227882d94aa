package influx_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/influx"
	"powerd/powerd/internal/store/influx/influxtest"
	"powerd/powerd/internal/store/storetest"
)

// A server loses its power in mid-run, after it has acknowledged some points; the
// measurement goes on, the server comes back with the data it had, and in the end
// every point is there exactly once: 60 s of summaries at 10 Hz of one rail and
// one engine are 600 points each.
func TestServerKilledInMidRun(t *testing.T) {
	server := influxtest.Start(t, false)
	s := open(t, influx.Options{
		URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()),
		RetryMin: 20 * time.Millisecond, RetryMax: 200 * time.Millisecond, CloseTimeout: time.Minute,
	})
	if err := s.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := storetest.Drive("run-1", "Model A", "SN1")
	must(t, s.Begin(t.Context(), run))
	live := func(fromS, toS int64) {
		for sec := fromS; sec < toS; sec++ {
			must(t, s.Live(t.Context(), storetest.Rails(sec*1_000_000_000, 10), storetest.Engines(sec*1_000_000_000, 10)))
		}
	}
	live(0, 20)
	wait(t, s, func(r store.Report) bool { return r.Sent > 0 })
	server.Kill()
	live(20, 40)
	wait(t, s, func(r store.Report) bool { return strings.Contains(r.Reason, "no answer") })
	server.Restart()
	live(40, 60)
	must(t, s.End(t.Context(), store.Completed, 60_000_000_000))
	wait(t, s, func(r store.Report) bool { return r.Pending == 0 })

	report := closeStore(t, s)
	if report.Sent != 1200 || report.Err() != nil {
		t.Errorf("report %+v; want 1200 sent and nothing left", report)
	}
	if n := server.Count(store.MeasurementRail, "mean_w"); n != 600 {
		t.Errorf("%d rail points in the database; want 600", n)
	}
	if n := server.Count(store.MeasurementEngine, "reads"); n != 600 {
		t.Errorf("%d engine points in the database; want 600", n)
	}
	if n := server.Count(store.MeasurementRail, "std_w"); n != 0 {
		t.Errorf("%d points say something of a figure that was unknown", n)
	}
}

// Two drives ran the same suite. Their IOPS/mW stand side by side: 10,000 IOPS at
// 500 mW are 20 IOPS/mW, at 400 mW 25 IOPS/mW. The cell whose power was withheld
// has IOPS, but no IOPS/mW.
func TestTwoDrivesCompared(t *testing.T) {
	server := influxtest.Start(t, false)
	s := open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()), CloseTimeout: time.Minute})
	for _, d := range []struct {
		drive string
		ratio float64
	}{{"Model A, 4TB=X", 20}, {`Model B\`, 25}} {
		run := storetest.Drive("run "+d.drive, d.drive, "SN 1")
		must(t, s.Begin(t.Context(), run))
		must(t, s.Results(t.Context(), []byte("{}"), []*analysis.Table{storetest.Efficiency(d.ratio)}))
		must(t, s.End(t.Context(), store.Completed, 30_000_000_000))
	}
	if report := closeStore(t, s); report.Sent != 4 || report.Err() != nil {
		t.Fatalf("report %+v; want 4 points sent", report)
	}

	got := map[string]string{}
	for _, series := range server.Query(`SELECT iops, iops_per_mw, iops_per_mw_u95, ios FROM powerd_step
		WHERE rw = 'randread' AND bs = '4096' AND read_pct = '100' GROUP BY drive, qd`) {
		v := series.Values[0]
		got[series.Tags["drive"]+" qd"+series.Tags["qd"]] = fmt.Sprint(v[1:])
		// The window of qd 1 ends 10 s after the run began, that of qd 32 20 s after.
		want := map[string]string{"1": "1790000010000000000", "32": "1790000020000000000"}[series.Tags["qd"]]
		if v[0].(json.Number).String() != want {
			t.Errorf("qd %s stands at %v; want %s", series.Tags["qd"], v[0], want)
		}
	}
	want := map[string]string{
		"Model A, 4TB=X qd1":  "[10000 20 0.05 50000]",
		"Model A, 4TB=X qd32": "[27500 <nil> <nil> 137500]",
		"Model B⧵ qd1":        "[10000 25 0.05 50000]",
		"Model B⧵ qd32":       "[27500 <nil> <nil> 137500]",
	}
	if len(got) != len(want) {
		t.Errorf("read back %v", got)
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s: %s; want %s", k, got[k], w)
		}
	}
}

// A mistyped token: nothing is sent and nothing is lost, the report says so, and
// the next start with the right one sends it all.
func TestMistypedToken(t *testing.T) {
	server := influxtest.Start(t, true)
	box := outbox(t, t.TempDir())
	s := open(t, influx.Options{URL: server.URL, Token: "powerd:pv", Bucket: influxtest.Bucket, Outbox: box})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, s.Live(t.Context(), storetest.Rails(0, 20), nil))
	wait(t, s, func(r store.Report) bool { return r.Reason != "" })
	report := closeStore(t, s)
	if report.Sent != 0 || report.Pending != 20 || report.Parked != 0 {
		t.Errorf("report %+v; want 20 points pending", report)
	}
	for _, word := range []string{"token", "401", "influx.token", "next start"} {
		if !strings.Contains(report.Reason, word) {
			t.Errorf("reason %q does not say %q", report.Reason, word)
		}
	}
	if strings.Contains(report.Reason, "powerd:pv") {
		t.Errorf("reason %q gives the token away", report.Reason)
	}

	s = open(t, influx.Options{
		URL: server.URL, Token: influxtest.WriterToken, Bucket: influxtest.Bucket, Outbox: box, CloseTimeout: time.Minute,
	})
	if report := closeStore(t, s); report.Sent != 20 || report.Err() != nil {
		t.Errorf("next start: report %+v; want 20 sent", report)
	}
	if n := server.Count(store.MeasurementRail, "mean_w"); n != 20 {
		t.Errorf("%d points in the database; want 20", n)
	}
}

// A field that an older program wrote as a whole number refuses fractions. The
// server's words, the measurement and the bucket are named, the batch is kept,
// and other batches go on.
func TestTypeConflict(t *testing.T) {
	server := influxtest.Start(t, false)
	server.Write(`powerd_odd,run=old watts=5i 1790000000000000000`)
	s := open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()), CloseTimeout: time.Minute})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	odd := &analysis.Table{
		Name: "odd", Columns: []analysis.Column{{Name: "watts", Unit: "W"}},
		Rows: []analysis.Row{{Cells: []analysis.Cell{analysis.Val(5.25)}}},
	}
	must(t, s.Results(t.Context(), []byte("{}"), []*analysis.Table{odd}))
	must(t, s.Live(t.Context(), storetest.Rails(0, 20), nil))
	report := closeStore(t, s)
	if report.Sent != 20 || report.Parked != 1 || report.Pending != 0 {
		t.Errorf("report %+v; want 20 sent and 1 parked", report)
	}
	for _, word := range []string{influxtest.Bucket, "powerd_odd", "watts", "field type conflict"} {
		if !strings.Contains(report.Reason, word) {
			t.Errorf("reason %q does not say %q", report.Reason, word)
		}
	}
}

// A bucket that does not exist parks the batches; once it does, the next start
// sends them.
func TestMissingBucket(t *testing.T) {
	server := influxtest.Start(t, false)
	box := outbox(t, t.TempDir())
	s := open(t, influx.Options{URL: server.URL, Bucket: "powert", Outbox: box, CloseTimeout: time.Minute})
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, s.Live(t.Context(), storetest.Rails(0, 20), nil))
	if report := closeStore(t, s); report.Parked != 20 || !strings.Contains(report.Reason, `"powert"`) {
		t.Errorf("report %+v; want 20 parked and the bucket named", report)
	}
	s = open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: box, CloseTimeout: time.Minute})
	if report := closeStore(t, s); report.Sent != 20 || report.Err() != nil {
		t.Errorf("next start: report %+v; want 20 sent", report)
	}
}

// Every word that can be a tag reads back as it was; words that line protocol
// cannot carry read back as documented.
func TestTagsReadBack(t *testing.T) {
	server := influxtest.Start(t, false)
	words := map[string]string{ // drive as given → as read
		"bench 3, left":    "bench 3, left",
		"ACME=X1 4TB U.2":  "ACME=X1 4TB U.2",
		`path C:\`:         "path C:⧵",
		"S/N 00 12":        "S/N 00 12",
		"a\nb":             "a b",
		`a\ b\,c\=d`:       `a\ b\,c\=d`,
		`"quoted", µ 日本`:   `"quoted", µ 日本`,
		"not UTF-8: \xff.": "not UTF-8: \uFFFD.",
	}
	s := open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()), CloseTimeout: time.Minute})
	for word := range words {
		must(t, s.Begin(t.Context(), storetest.Drive("run-1", word, "SN1")))
		must(t, s.Live(t.Context(), storetest.Rails(0, 1), nil))
		must(t, s.End(t.Context(), store.Completed, 1))
	}
	if report := closeStore(t, s); report.Sent != int64(len(words)) {
		t.Fatalf("report %+v; want %d sent", report, len(words))
	}
	read := map[string]bool{}
	for _, series := range server.Query(`SELECT mean_w FROM powerd_rail GROUP BY drive`) {
		read[series.Tags["drive"]] = true
	}
	for given, want := range words {
		if !read[want] {
			t.Errorf("%q is not read back as %q; there are %v", given, want, read)
		}
	}
}

// Extremes of a float read back exactly.
func TestFloatsReadBack(t *testing.T) {
	server := influxtest.Start(t, false)
	s := open(t, influx.Options{URL: server.URL, Bucket: influxtest.Bucket, Outbox: outbox(t, t.TempDir()), CloseTimeout: time.Minute})
	values := []float64{0, 5, 5.25, -1e-9, 0.1, 1e21, 123456789.125, math.MaxFloat64, math.SmallestNonzeroFloat64}
	odd := &analysis.Table{Name: "floats", Columns: []analysis.Column{{Name: "i", Kind: analysis.Key}, {Name: "v"}}}
	for i, v := range values {
		odd.Rows = append(odd.Rows, analysis.Row{Cells: []analysis.Cell{analysis.Word(fmt.Sprint(i)), analysis.Val(v)}})
	}
	must(t, s.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, s.Results(t.Context(), []byte("{}"), []*analysis.Table{odd}))
	closeStore(t, s)
	for i, want := range values {
		series := server.Query(fmt.Sprintf(`SELECT v FROM powerd_floats WHERE i = '%d'`, i))
		if len(series) != 1 {
			t.Errorf("value %g is not in the database", want)
			continue
		}
		if got, err := series[0].Values[0][1].(json.Number).Float64(); err != nil || got != want {
			t.Errorf("read back %v (%v); want %g", got, err, want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wait waits until the store's report is as it should become.
func wait(t *testing.T, s *influx.Store, is func(store.Report) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		report, err := s.Report(ctx)
		if err != nil {
			t.Fatalf("waiting in vain: %v", err)
		}
		if is(report) {
			return
		}
		<-poll.C
	}
}
