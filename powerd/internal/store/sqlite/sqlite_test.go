package sqlite_test

import (
	"testing"

	"powerd/powerd/internal/store"
	"powerd/powerd/internal/store/sqlite"
	"powerd/powerd/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()+"/powerd.db", sqlite.Options{}) })
}

func open(t *testing.T, path string, opts sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Close(t.Context()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}
