package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A crash while a gap was written leaves half a line. The gap that follows, which is that
// of the crash itself, has a line of its own.
func TestGapAfterATornLine(t *testing.T) {
	dir := t.TempDir()
	if g := lastGap(dir); g != nil {
		t.Errorf("without a file: %v", g)
	}
	end := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	if err := appendGap(dir, &Gap{Cause: CauseSilent, EndUTC: end}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, gapsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:len(whole)/2]...), 0o644); err != nil {
		t.Fatal(err)
	}
	if g := lastGap(dir); g == nil || g.Cause != CauseSilent {
		t.Errorf("the last whole one is %v", g)
	}
	if err := appendGap(dir, &Gap{Cause: CauseStopped, EndUTC: end.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if g := lastGap(dir); g == nil || g.Cause != CauseStopped || !g.EndUTC.Equal(end.Add(time.Hour)) {
		t.Errorf("the last one is %v, want that of the crash", g)
	}
}
