package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"powerd/analysis"
	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/sqlite"
	"powerd/powerd/internal/store/storetest"
)

// Two drives ran the same suite; the query that the documentation shows puts them
// side by side. 10,000 IOPS at 500 mW are 20 IOPS/mW, at 400 mW 25. At queue depth
// 32 power was withheld: NULL, not 0.
func TestTwoDrivesCompared(t *testing.T) {
	const query = `SELECT drive, qd, iops_per_mw, iops_per_mw_u95 FROM efficiency
	WHERE rw = 'randread' AND read_pct = 100 ORDER BY qd, drive;`
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if shown := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "//", "")), " "); !strings.Contains(shown,
		strings.Join(strings.Fields(query), " ")) {
		t.Error("doc.go shows another query than the one tested here")
	}

	path := t.TempDir() + "/powerd.db"
	db := open(t, path, sqlite.Options{})
	for _, d := range []struct {
		id, drive string
		ratio     float64
	}{{"run-1", "Model A", 20}, {"run-2", "Model B", 25}} {
		must(t, db.Begin(t.Context(), storetest.Drive(d.id, d.drive, "SN1")))
		for range 2 { // after every step, the last one counts
			must(t, db.Results(t.Context(), []byte(`{"schema":"powerd.results/1"}`), []*analysis.Table{storetest.Efficiency(d.ratio)}))
		}
		must(t, db.End(t.Context(), store.Completed, 30_000_000_000))
	}
	want := []string{
		"Model A 1 20 0.05",
		"Model B 1 25 0.05",
		"Model A 32 <nil> <nil>",
		"Model B 32 <nil> <nil>",
	}
	if got := rows(t, path, query); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	why := rows(t, path, `SELECT run, name, value, why FROM figures WHERE why IS NOT NULL AND run = 'run-1' ORDER BY name`)
	if got, want := strings.Join(why, "; "), "run-1 iops_per_mw <nil> coverage 91 %; run-1 mean_w <nil> coverage 91 %"; got != want {
		t.Errorf("withheld figures %q; want %q", got, want)
	}
}

// What a run leaves in the file, in UTC: it began at monotonic 5 s and UTC
// 1790000000 s.
func TestRunStepsAndSummaries(t *testing.T) {
	path := t.TempDir() + "/a folder/with ? and #.db"
	db := open(t, path, sqlite.Options{})
	must(t, db.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	must(t, db.Step(t.Context(), store.StepRow{Name: "idle", Kind: "idle", StartNs: 6_000_000_000, Outcome: store.Running}))
	must(t, db.Live(t.Context(), storetest.Rails(5_000_000_000, 2), storetest.Engines(5_000_000_000, 1)))
	must(t, db.Step(t.Context(), store.StepRow{
		Name: "idle", Kind: "idle", StartNs: 6_000_000_000, EndNs: 7_000_000_000, Outcome: store.Failed, Why: "port unplugged",
	}))
	must(t, db.Step(t.Context(), store.StepRow{Name: "load", Kind: "load", StartNs: 7_000_000_000, Outcome: store.Running}))
	must(t, db.Results(t.Context(), []byte(`{"run":{"id":"run-1"}}`), nil))
	must(t, db.End(t.Context(), store.Interrupted, 8_000_000_000))

	for query, want := range map[string]string{
		`SELECT drive, drive_serial, simulated, started_utc_ns, ended_utc_ns, outcome, results_json ->> '$.run.id' FROM runs`: "Model A SN1 1 1790000000000000000 1790000003000000000 interrupted run-1",
		`SELECT * FROM steps ORDER BY start_utc_ns`: "run-1 idle idle 1790000001000000000 1790000002000000000 failed port unplugged; " +
			"run-1 load load 1790000002000000000 <nil> running ",
		`SELECT rail, end_utc_ns, step, n, lost, mean_v, std_a, max_w, std_w FROM agg_100ms`: "5v 1790000000100000000 idle 1562 1 5 0.02 1.5 <nil>; " +
			"5v 1790000000200000000 idle 1562 1 5 0.02 1.5 <nil>",
		`PRAGMA journal_mode`:        "wal",
		`SELECT * FROM engine_100ms`: "run-1 1790000000100000000 randread-4k-qd32 100000000 1000 0 4096000 0",
	} {
		if got := strings.Join(rows(t, path, query), "; "); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

// A run that is analysed again keeps its live summaries; results are replaced.
func TestRunTakenUpAgain(t *testing.T) {
	path := t.TempDir() + "/powerd.db"
	db := open(t, path, sqlite.Options{})
	for i, ratio := range []float64{20, 25} {
		must(t, db.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
		if i == 0 {
			must(t, db.Live(t.Context(), storetest.Rails(0, 5), nil))
		}
		must(t, db.Results(t.Context(), []byte("{}"), []*analysis.Table{storetest.Efficiency(ratio)}))
		must(t, db.End(t.Context(), store.Completed, 30_000_000_000))
	}
	query := `SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM agg_100ms), (SELECT count(*) FROM result_rows),
		(SELECT iops_per_mw FROM efficiency WHERE qd = 1)`
	if got := strings.Join(rows(t, path, query), "; "); got != "1 5 2 25" {
		t.Errorf("runs, summaries, rows, IOPS/mW: %s; want 1 5 2 25", got)
	}
}

// Results that cannot be stored change nothing of what is there.
func TestResultsThatAreWrong(t *testing.T) {
	path := t.TempDir() + "/powerd.db"
	db := open(t, path, sqlite.Options{})
	must(t, db.Begin(t.Context(), storetest.Drive("run-1", "Model A", "SN1")))
	good := storetest.Efficiency(20)
	must(t, db.Results(t.Context(), []byte("{}"), []*analysis.Table{good}))
	short := storetest.Efficiency(20)
	short.Rows[0].Cells = short.Rows[0].Cells[:3]
	for name, c := range map[string]struct {
		json   string
		tables []*analysis.Table
		want   string
	}{
		"torn document":        {`{"run":`, nil, "JSON"},
		"two tables, one name": {`{}`, []*analysis.Table{good, good}, `"efficiency"`},
		"a row cut off":        {`{}`, []*analysis.Table{short}, "3 cells for 12 columns"},
	} {
		err := db.Results(t.Context(), []byte(c.json), c.tables)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v; want one that says %s and names the file", name, err, c.want)
		}
	}
	if got := rows(t, path, "SELECT count(*) FROM result_rows"); got[0] != "2" {
		t.Errorf("%s rows; want the 2 that were stored before", got[0])
	}
}

// rows runs a query as another program would, and writes each row as text.
func rows(t *testing.T, path, query string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if strings.ContainsAny(path, "?#") {
		db, err = sql.Open("sqlite", "file:"+strings.NewReplacer("?", "%3f", "#", "%23", " ", "%20").Replace(path))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer result.Close()
	columns, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for result.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
