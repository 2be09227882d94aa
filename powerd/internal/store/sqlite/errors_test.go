package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/powerd/internal/store/sqlite"
)

// Files that cannot be used: the error names the file, says what is wrong with
// it, and what to do. Nothing of the file is changed.
func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	must(t, os.WriteFile(text, []byte(strings.Repeat("these are my notes\n", 100)), 0o600))
	foreign := filepath.Join(dir, "photos.db")
	execSQL(t, foreign, "CREATE TABLE photos (name TEXT)")
	newer := filepath.Join(dir, "newer.db")
	if _, err := open(t, newer, sqlite.Options{}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	execSQL(t, newer, "PRAGMA user_version = 99")

	for path, want := range map[string]string{
		text:                        "no SQLite file",
		foreign:                     "another program",
		newer:                       "newer powerd (schema 99",
		dir:                         "check the rights",
		filepath.Join(text, "x.db"): "make its folder",
		"/proc/powerd.db":           "check the rights",
	} {
		before, _ := os.ReadFile(path)
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err == nil {
			t.Errorf("%s opens", path)
			_, _ = db.Close(t.Context())
			continue
		}
		for _, word := range []string{path, want, "store.path"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: error %q does not say %q", path, err, word)
			}
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s was changed", path)
		}
	}
}

// One folder is made for a database; a path of several that do not exist is taken
// for a slip of the hand, and none of them is made.
func TestFolderOfTheDatabase(t *testing.T) {
	dir := t.TempDir()
	if _, err := open(t, filepath.Join(dir, "results", "powerd.db"), sqlite.Options{}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := sqlite.Open(t.Context(), filepath.Join(dir, "reslts", "2026", "powerd.db"), sqlite.Options{})
	if err == nil || !strings.Contains(err.Error(), "make its folder") {
		t.Errorf("a mistyped path: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "reslts")); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
}

func execSQL(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), statement)
	must(t, err)
}
