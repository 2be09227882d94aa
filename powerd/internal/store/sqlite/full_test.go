package sqlite

import (
	"fmt"
	"strings"
	"testing"

	"powerd/powerd/internal/store"
)

// The disk fills up in mid-run: the error says so and names the file, what was
// stored stays readable, summaries that could not be written wait, and are there
// once there is room again. A bound on the file's size stands for the full disk;
// SQLite then reports the very same condition.
func TestDiskFull(t *testing.T) {
	path := t.TempDir() + "/powerd.db"
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if _, err := db.sql.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Begin(t.Context(), store.Run{ID: "run-1", StartedUTCNs: 1}); err != nil {
		t.Fatal(err)
	}
	limit(40)
	n, full := int64(0), error(nil)
	for ; full == nil && n < 100_000; n += 20 {
		full = db.Live(t.Context(), summaries(n, 20), nil)
	}
	if full == nil || !strings.Contains(full.Error(), "disk is full") || !strings.Contains(full.Error(), path) {
		t.Fatalf("after %d summaries: error %v; want one that says the disk is full and names the file", n, full)
	}
	if _, err := db.Put(t.Context(), "influx", []store.Batch{{Lines: strings.Repeat("x", 100_000), Points: 1}}); err == nil {
		t.Error("the outbox says that a batch is kept")
	}
	limit(1_000_000)
	if err := db.Live(t.Context(), summaries(n, 20), nil); err != nil {
		t.Errorf("with room again: %v", err)
	}
	report, err := db.Close(t.Context())
	if err != nil || report.Sent != n+20 {
		t.Errorf("%d summaries stored, %v; want %d", report.Sent, err, n+20)
	}
}

// summaries returns n summaries of one rail, 100 ms apart.
func summaries(from int64, n int) []store.Rail100ms {
	out := make([]store.Rail100ms, n)
	for i := range out {
		out[i] = store.Rail100ms{EndNs: (from + int64(i)) * 100_000_000, Rail: "5v", N: 1562}
	}
	return out
}

// BenchmarkLive stores one second of live summaries of two rails.
func BenchmarkLive(b *testing.B) {
	db, err := Open(b.Context(), b.TempDir()+"/powerd.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close(b.Context())
	if err := db.Begin(b.Context(), store.Run{ID: "run-1"}); err != nil {
		b.Fatal(err)
	}
	for n := int64(0); b.Loop(); n += 20 {
		if err := db.Live(b.Context(), summaries(n, 20), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(20*b.N)/b.Elapsed().Seconds(), "rows/s")
}
