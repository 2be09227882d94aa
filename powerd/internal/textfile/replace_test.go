package textfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"powerd/powerd/internal/textfile"
)

// A file is there whole or as it was before, and nothing stays beside it: also where it
// cannot be put into place, here because a folder has its name.
func TestReplaceLeavesTheWholeFileOrNone(t *testing.T) {
	for name, replace := range map[string]func(string, []byte) error{"plain": textfile.Replace, "synced": textfile.ReplaceSynced} {
		dir := t.TempDir()
		path := filepath.Join(dir, "status.json")
		for _, text := range []string{"longer at first", "short"} {
			if err := replace(path, []byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != text {
				t.Errorf("%s: %q, %v, want %q", name, got, err, text)
			}
		}
		taken := filepath.Join(dir, "taken")
		if err := os.Mkdir(taken, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := replace(taken, []byte("x")); err == nil {
			t.Errorf("%s: a folder was replaced", name)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}
