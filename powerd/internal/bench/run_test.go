package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"powerd/powerd/internal/results"
)

// A folder with files of the user's own is not made a run's: config.yaml and
// tables would be written over. A new or an empty one is taken, once.
func TestRunTakesOnlyAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := claim(dir); !isRefusal(err) || !strings.Contains(err.Error(), "config.yaml") {
		t.Errorf("a folder in use: %v, want a refusal and the file's name", err)
	}
	fresh := filepath.Join(t.TempDir(), "a", "run")
	hold, err := claim(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim(fresh); !errors.Is(err, results.ErrHeld) {
		t.Errorf("while another run prepares it: %v, want ErrHeld", err)
	}
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	if hold, err = claim(fresh); err != nil {
		t.Errorf("empty again: %v", err)
	} else {
		hold.Close()
	}
}

// A mistake that shows after the folder was made leaves none behind; one in which
// something was measured stays whole.
func TestFolderOfNoRunIsTakenBack(t *testing.T) {
	for _, measured := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "run")
		hold, err := claim(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(fill(dir, map[string]string{"suite.yaml": "s", "config.yaml": "c"}), hold.Close()); err != nil {
			t.Fatal(err)
		}
		if measured {
			if err := os.Mkdir(filepath.Join(dir, "capture"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		discard(dir)
		if _, err := os.Stat(filepath.Join(dir, "suite.yaml")); (err == nil) != measured {
			t.Errorf("measured %v: %v", measured, err)
		}
		if _, err := os.Stat(dir); (err == nil) != measured {
			t.Errorf("measured %v: the folder: %v", measured, err)
		}
	}
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*RefusalError](err)
	return ok
}
