package sqlite_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/sqlite"
)

// A batch's way through the outbox: in order of arrival, at most so many points
// at a time but at least one batch, gone when done, set aside when parked, back
// when let go again. Another server's batches are another's.
func TestOutbox(t *testing.T) {
	db := open(t, t.TempDir()+"/powerd.db", sqlite.Options{UTC: func() int64 { return 42 }})
	ctx := t.Context()
	put(t, db, "a", 3, 3, 4)
	put(t, db, "b", 7)
	first := next(t, db, "a", 6)
	if got := shape(first); got != "3 3" {
		t.Errorf("at most 6 points: %q; want 3 3", got)
	}
	if got := shape(next(t, db, "a", 1)); got != "3" {
		t.Errorf("at most 1 point: %q; want one batch all the same", got)
	}
	must(t, db.Keep(ctx, []int64{first[0].ID}, "503", 43))
	must(t, db.Done(ctx, []int64{first[1].ID}))
	must(t, db.Park(ctx, []int64{first[0].ID}, 404, "no such bucket"))
	if got := shape(next(t, db, "a", 100)); got != "4" {
		t.Errorf("one done, one parked: %q; want 4", got)
	}
	totals(t, db, "a", 4, 3)
	must(t, db.Unpark(ctx, "a", 400))
	totals(t, db, "a", 4, 3)
	must(t, db.Unpark(ctx, "a", 404))
	if got := shape(next(t, db, "a", 100)); got != "3 4" {
		t.Errorf("let go again: %q; want 3 4 in the old order", got)
	}
	totals(t, db, "a", 7, 0)
	totals(t, db, "b", 7, 0)
	totals(t, db, "nobody", 0, 0)
	must(t, db.Done(ctx, nil))
}

// Why the last attempt failed, and when the next one is due, can be read by
// whoever looks into the file.
func TestOutboxTellsWhy(t *testing.T) {
	path := t.TempDir() + "/powerd.db"
	db := open(t, path, sqlite.Options{UTC: func() int64 { return 42 }})
	put(t, db, "a", 1, 1)
	q := next(t, db, "a", 10)
	must(t, db.Keep(t.Context(), []int64{q[0].ID}, "503 not now", 43))
	must(t, db.Keep(t.Context(), []int64{q[1].ID}, "401 who are you", 0))
	want := "42 1 43 503 not now; 42 1 <nil> 401 who are you"
	got := rows(t, path, "SELECT created_utc_ns, attempts, next_try_utc_ns, last_error FROM outbox ORDER BY id")
	if strings.Join(got, "; ") != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

// Beyond its bounds the outbox gives up the oldest batches of the same server,
// and says how many points that were.
func TestOutboxIsBounded(t *testing.T) {
	for name, opts := range map[string]sqlite.Options{
		"in batches": {OutboxBatches: 3},
		"in bytes":   {OutboxBytes: 3 * 10}, // put makes batches of 10 bytes
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, t.TempDir()+"/powerd.db", opts)
			put(t, db, "other", 9)
			dropped := put(t, db, "a", 1, 2, 3) + put(t, db, "a", 4, 5)
			if got := shape(next(t, db, "a", 100)); got != "3 4 5" || dropped != 3 {
				t.Errorf("kept %q, dropped %d points; want 3 4 5 kept and 1 + 2 dropped", got, dropped)
			}
			totals(t, db, "other", 9, 0)
		})
	}
}

// Two powerd processes may use one file: each waits for the other.
func TestOutboxSharedByTwo(t *testing.T) {
	path := t.TempDir() + "/powerd.db"
	dbs := []*sqlite.DB{open(t, path, sqlite.Options{}), open(t, path, sqlite.Options{})}
	var wg sync.WaitGroup
	for _, db := range dbs {
		wg.Go(func() {
			for range 20 {
				if _, err := db.Put(t.Context(), "a", []store.Batch{{Lines: "x", Points: 1}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	totals(t, dbs[0], "a", 40, 0)
}

// powerd is killed while it fills the outbox: every batch that it was told is
// kept is there, and the file is sound.
func TestOutboxSurvivesKill(t *testing.T) {
	if path := os.Getenv("POWERD_TEST_OUTBOX"); path != "" {
		fillForEver(t, path)
		return
	}
	path := t.TempDir() + "/powerd.db"
	child := exec.Command(os.Args[0], "-test.run=^TestOutboxSurvivesKill$")
	child.Env = append(os.Environ(), "POWERD_TEST_OUTBOX="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, child.Start())
	kept := int64(0)
	for lines := bufio.NewScanner(out); kept < 50 && lines.Scan(); {
		if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil {
			kept = n
		}
	}
	must(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	if kept < 50 {
		t.Fatalf("the child kept %d batches and ended", kept)
	}
	if got := rows(t, path, "PRAGMA integrity_check"); got[0] != "ok" {
		t.Errorf("integrity: %v", got)
	}
	db := open(t, path, sqlite.Options{})
	got, err := db.Totals(t.Context(), "a")
	must(t, err)
	if got.Pending.Points < kept {
		t.Errorf("%d points in the outbox; %d were said to be kept", got.Pending.Points, kept)
	}
}

func fillForEver(t *testing.T, path string) {
	db := open(t, path, sqlite.Options{})
	for n := 1; ; n++ {
		put(t, db, "a", 1)
		fmt.Println(n)
	}
}

// put adds batches of so many points, 10 bytes each, and returns what that cost.
func put(t *testing.T, db *sqlite.DB, dest string, points ...int64) (dropped int64) {
	t.Helper()
	var batches []store.Batch
	for _, n := range points {
		batches = append(batches, store.Batch{Lines: "0123456789", Points: n})
	}
	dropped, err := db.Put(t.Context(), dest, batches)
	must(t, err)
	return dropped
}

func next(t *testing.T, db *sqlite.DB, dest string, maxPoints int) []store.Queued {
	t.Helper()
	q, err := db.Next(t.Context(), dest, maxPoints)
	must(t, err)
	return q
}

// shape writes the points of batches in order.
func shape(batches []store.Queued) string {
	var points []string
	for _, b := range batches {
		points = append(points, fmt.Sprint(b.Points))
	}
	return strings.Join(points, " ")
}

func totals(t *testing.T, db *sqlite.DB, dest string, pending, parked int64) {
	t.Helper()
	got, err := db.Totals(t.Context(), dest)
	must(t, err)
	if got.Pending.Points != pending || got.Parked.Points != parked {
		t.Errorf("%s: %d points pending, %d parked; want %d and %d", dest, got.Pending.Points, got.Parked.Points, pending, parked)
	}
}
