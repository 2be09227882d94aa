package beacon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A target that appears as the fourth try begins has answered by that one's end; the
// third is the last that says it was not there. The clock moves 1 ms with each look,
// and each try looks twice.
func TestFirstReadOfATargetThatAppears(t *testing.T) {
	path := filepath.Join(filepath.Dir(file(t, 4096)), "back")
	looks := int64(0)
	now := func() int64 {
		if looks++; looks == 7 {
			if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
				t.Error(err)
			}
		}
		return looks * 1e6
	}
	f := FirstRead(t.Context(), FirstOptions{Path: path, Pace: time.Microsecond, Now: now})
	if f.Tries != 4 || f.FailedNs != 5e6 || f.GoodNs != 8e6 || f.LongestNs != 1e6 || f.Err == nil {
		t.Errorf("%+v", f)
	}
}

// One that is too small to read from, or never there, has no first answer, and says why.
func TestFirstReadThatNeverComes(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{file(t, 100), "only 100 came"},
		{filepath.Join(t.TempDir(), "none"), "no such file"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		looks := int64(0)
		now := func() int64 {
			if looks++; looks == 6 { // as the third try ends
				cancel()
			}
			return looks * 1e6
		}
		f := FirstRead(ctx, FirstOptions{Path: c.path, Pace: time.Microsecond, Now: now})
		if f.GoodNs != 0 || f.Tries != 3 || f.FailedNs != 5e6 || !strings.Contains(f.Err.Error(), c.want) {
			t.Errorf("%s: %+v", c.path, f)
		}
	}
}

// An emulated drive answers from its ready time on, no sooner: that lies between the
// last try that failed and the first that came.
func TestFirstReadOfADriveThatStarts(t *testing.T) {
	d, path := served(t, false)
	onNs := monotonic()
	d.SetPower(onNs, true)
	f := FirstRead(t.Context(), FirstOptions{Path: path, Now: monotonic})
	if !d.Ready(monotonic()) {
		t.Fatal("it answered before it was ready")
	}
	if f.GoodNs == 0 || d.Ready(f.FailedNs) || !d.Ready(f.GoodNs) {
		t.Errorf("%+v: ready at its two ends %v, %v", f, d.Ready(f.FailedNs), d.Ready(f.GoodNs))
	}
}
