package fio

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine"
)

// monotonic is the host's CLOCK_MONOTONIC in ns.
func monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err)
	}
	return ts.Nano()
}

// installed skips the test where there is no fio.
func installed(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed (apt install fio): tests with real fio are skipped")
	}
}

// targetFile makes a file of random bytes.
func targetFile(t *testing.T, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "target.dat")
	data := make([]byte, size)
	_, _ = rand.Read(data)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func randread(t *testing.T, d time.Duration) engine.Job {
	return engine.Job{
		Step: "randread-4k-qd4", Target: targetFile(t, 16<<20), RW: "randread", BlockBytes: 4096,
		QueueDepth: 4, Jobs: 1, Duration: d, Dir: t.TempDir(),
	}
}

func wait(t *testing.T, e *Engine, ctx context.Context, job engine.Job) (*engine.Result, error) {
	t.Helper()
	r, err := e.Start(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	return r.Wait()
}

func TestSmoke(t *testing.T) {
	installed(t)
	e := New(Options{Now: monotonic})
	job := randread(t, 2500*time.Millisecond)
	job.Jobs, job.Ramp = 2, 1500*time.Millisecond
	r, err := e.Start(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	for p := range r.Progress() {
		t.Logf("%+v", p)
	}
	res, err := r.Wait()
	t.Logf("%+v %v", res, err)
	b, _ := os.ReadFile(filepath.Join(job.Dir, job.Step+".run.json"))
	t.Logf("%s", b)
}
