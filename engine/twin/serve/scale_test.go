package serve

import (
	"os"
	"path/filepath"
	"testing"
)

// Who measures a served drive from another process finds its scale; a file of any other
// place has none, and is no twin's.
func TestScaleOfAServedDrive(t *testing.T) {
	for _, scale := range []int{1, 4} {
		m := served(t, drive(t, scale), 1<<20)
		if got, err := Scale(m.Path()); got != scale || err != nil {
			t.Errorf("%d, %v, want %d", got, err, scale)
		}
	}
	plain := filepath.Join(t.TempDir(), "drive")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Scale(plain); got != 0 || err != nil {
		t.Errorf("a plain file: %d, %v", got, err)
	}
	if _, err := Scale(plain + "-mistyped"); err == nil {
		t.Error("a file that is not there has a scale")
	}
}
