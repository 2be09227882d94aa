package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/sqlite"
)

// A recording without end keeps its last summaries only: what is older goes, that of
// other suites stays, and a run that is over and empty is forgotten. Two runs of 60 s
// of summaries, from second 0 and from second 60, less what is before second 90: the
// first is gone, half of the second stays, and all 600 of a suite stay.
func TestTrimLiveForgetsOldSummaries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range []store.Run{{ID: "s1", Suite: "serve"}, {ID: "s2", Suite: "serve"}, {ID: "other", Suite: "idle"}} {
		run.StartedUTCNs = int64(i%2) * 60e9
		run.StartedMonoNs = run.StartedUTCNs
		check(t, db.Begin(t.Context(), run))
		var rows []store.Rail100ms
		for k := range int64(600) {
			rows = append(rows, store.Rail100ms{EndNs: run.StartedMonoNs + (k+1)*1e8, Rail: "5v", N: 98}, store.Rail100ms{EndNs: run.StartedMonoNs + (k+1)*1e8, Rail: "12v", N: 98})
		}
		check(t, db.Live(t.Context(), rows, nil))
		check(t, db.End(t.Context(), store.Completed, run.StartedMonoNs+60e9))
	}
	check(t, db.TrimLive(t.Context(), "serve", 90e9+1)) // the summary that ends at second 90 goes too
	if _, err := db.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for query, want := range map[string]int{
		"SELECT count(*) FROM agg_100ms WHERE run = 's1'":    0,
		"SELECT count(*) FROM agg_100ms WHERE run = 's2'":    600, // 300 of each rail
		"SELECT count(*) FROM agg_100ms WHERE run = 'other'": 1200,
		"SELECT count(*) FROM runs WHERE id = 's1'":          0,
		"SELECT count(*) FROM runs":                          2,
	} {
		var got int
		check(t, raw.QueryRow(query).Scan(&got))
		if got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
