package fio

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"powerd/engine"
	"powerd/engine/enginetest"
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

// Real fio on a regular file keeps the promises of package engine.
func TestFioConforms(t *testing.T) {
	installed(t)
	enginetest.Run(t, enginetest.Subject{
		Engine: New(Options{Now: monotonic}),
		Job:    func(t *testing.T) engine.Job { return randread(t, 1500*time.Millisecond) },
		MinIOs: 100,
	})
}

// Reads and writes, several clones, a ramp and a demand, on a depth of 4 each:
// both directions are reported, the ramp is in no figure, the group's latency
// has percentiles, and the demand of 2000 IOPS is not exceeded.
func TestMixedJobWithRampAndDemand(t *testing.T) {
	installed(t)
	job := randread(t, 1500*time.Millisecond)
	job.RW, job.ReadPct, job.Jobs, job.Ramp, job.RateIOPS = "randrw", 75, 2, 500*time.Millisecond, 2000
	res, err := start(t.Context(), t, New(Options{Now: monotonic}), job)
	if err != nil {
		t.Fatal(err)
	}
	if res.Label != "randrw 75/25 4k qd4 jobs2" || len(res.Defaulted) != 0 {
		t.Errorf("label %q, defaulted %v", res.Label, res.Defaulted)
	}
	// 1500 and 500 IOPS for 1.5 s, and as many as the ramp's 0.5 s may have left
	// behind on a busy host.
	if res.Read.IOs > 3100 || res.Write.IOs > 1100 || res.Read.IOs == 0 || res.Write.IOs == 0 {
		t.Errorf("%d reads, %d writes; want at most 3000 and 1000 and a few", res.Read.IOs, res.Write.IOs)
	}
	if len(res.Read.Latency.PercentileUs) == 0 || len(res.Write.Latency.PercentileUs) == 0 {
		t.Errorf("no percentiles: %q", res.Read.Latency.PercentilesWithheldBecause)
	}
	if res.EndNs-res.StartNs < int64(job.Duration) || len(res.Intervals) == 0 {
		t.Errorf("window of %d ns, %d intervals", res.EndNs-res.StartNs, len(res.Intervals))
	}
}

// A user's own job file runs as a copy with the options that keep the drive
// safe, whatever it says itself; the window comes from logs that it didn't ask
// for. A depth that it doesn't give is fio's, and marked.
func TestUsersOwnJobFile(t *testing.T) {
	installed(t)
	job := engine.Job{Step: "mine", Target: targetFile(t, 8<<20), Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "my.fio")}
	writeFile(t, job.JobFile, "[global]\nrw=randread\nbs=8k\ndirect=1\n\n[one]\nallow_file_create=1\nthread=0\nruntime=1\ntime_based\n")
	res, err := start(t.Context(), t, New(Options{Now: monotonic}), job)
	if err != nil {
		t.Fatal(err)
	}
	if res.Label != "randread 8k qd1" || res.StartNs == 0 || res.IOs() == 0 {
		t.Errorf("label %q, start %d, %d IOs", res.Label, res.StartNs, res.IOs())
	}
	ran := readFile(t, files{job.Dir, job.Step}.jobFile())
	if strings.LastIndex(ran, "allow_file_create=0") < strings.Index(ran, "allow_file_create=1") || !strings.Contains(ran, "thread=1") {
		t.Errorf("job file as run:\n%s", ran)
	}
}

// An option that this fio doesn't have: no report, fio's words, and a hint.
func TestBadOptionInAJobFile(t *testing.T) {
	installed(t)
	job := engine.Job{Step: "bad", Target: targetFile(t, 1<<20), Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "bad.fio")}
	writeFile(t, job.JobFile, "[one]\nrw=read\nnosuch=1\n")
	res, err := start(t.Context(), t, New(Options{Now: monotonic}), job)
	var jobErr *engine.JobError
	if res != nil || !errors.As(err, &jobErr) || !strings.Contains(strings.Join(jobErr.Messages, " "), "nosuch") || jobErr.Hint == "" {
		t.Errorf("%+v, %v", res, err)
	}
}

// fio killed by somebody else: what the last intermediate report said is kept
// and marked.
func TestKilledFio(t *testing.T) {
	installed(t)
	job := randread(t, time.Hour)
	run, err := New(Options{Now: monotonic}).Start(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	<-run.Progress()
	rec, err := readRecord(files{job.Dir, job.Step}.record())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(rec.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait()
	var jobErr *engine.JobError
	if !errors.As(err, &jobErr) || jobErr.Why != "fio was ended by signal killed" {
		t.Errorf("error %v", err)
	}
	if res == nil || !res.Interrupted || res.IOs() == 0 || res.StartNs != 0 {
		t.Errorf("%+v; want partial totals without a window", res)
	}
}

// A fio that doesn't heed SIGINT is killed when the grace has passed.
func TestFioThatWillNotStopIsKilled(t *testing.T) {
	path := script(t, `trap '' INT
echo '{"fio version":"fio-3.33","jobs":[{"jobname":"x","read":{"total_ios":7,"io_bytes":28672,"runtime":900},"write":{"total_ios":0,"io_bytes":0,"runtime":0}}]}' > "$out"
sleep 3600`)
	job := randread(t, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	run, err := New(Options{Path: path, Now: monotonic, Grace: 100 * time.Millisecond}).Start(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	<-run.Progress()
	cancel()
	res, err := run.Wait()
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "by force") {
		t.Errorf("error %v", err)
	}
	if res == nil || res.IOs() != 7 || !res.Interrupted {
		t.Errorf("%+v", res)
	}
}

// A fio whose worker crashes prints what the real one printed, exits with 0, and
// is no success.
func TestCrashingWorker(t *testing.T) {
	fixture, err := filepath.Abs("testdata/3.33-worker-crashed")
	if err != nil {
		t.Fatal(err)
	}
	path := script(t, `cat `+fixture+`/out.json > "$out"; cat `+fixture+`/stderr >&2`)
	res, err := start(t.Context(), t, New(Options{Path: path, Now: monotonic}), randread(t, time.Second))
	var jobErr *engine.JobError
	if !errors.As(err, &jobErr) || jobErr.Why != "worker crashed" || res.IOs() != 50_377 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A write job on a file system that is full: error 28 with fio's words. The
// target is a sparse file on a tmpfs of one megabyte.
func TestNoSpaceOnTheTarget(t *testing.T) {
	installed(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no tmpfs of one megabyte can be mounted (%v); root is needed", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	target := filepath.Join(dir, "full.dat")
	writeFile(t, target, "")
	if err := os.Truncate(target, 8<<20); err != nil {
		t.Fatal(err)
	}
	job := engine.Job{Step: "full", Target: target, Dir: t.TempDir(), JobFile: filepath.Join(t.TempDir(), "full.fio")}
	writeFile(t, job.JobFile, "[w]\nrw=write\nbs=64k\nfallocate=none\n")
	_, err := start(t.Context(), t, New(Options{Now: monotonic}), job)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("error %v, want no space left on device", err)
	}
}

func TestFioMissingOrTooOld(t *testing.T) {
	_, err := New(Options{Path: "/nonexistent/fio", Now: monotonic}).Probe(t.Context())
	if !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), "apt install fio") {
		t.Errorf("missing: %v", err)
	}
	for text, want := range map[string]string{
		"fio-3.1":     "found fio 3.1, need 3.30",
		"hello world": `does not begin with "fio-"`,
	} {
		path := filepath.Join(t.TempDir(), "fio")
		writeScript(t, path, "echo '"+text+"'")
		_, err := New(Options{Path: path, Now: monotonic}).Probe(t.Context())
		if !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	newer := filepath.Join(t.TempDir(), "fio")
	writeScript(t, newer, "echo fio-3.50")
	if v, err := New(Options{Path: newer, Now: monotonic}).Probe(t.Context()); v != "3.50" || err != nil {
		t.Errorf("newer than known: %q, %v; want it accepted", v, err)
	}
}

// Results of a step are never overwritten by another run of it.
func TestStepIsNotRunTwice(t *testing.T) {
	path := script(t, `:`)
	e := New(Options{Path: path, Now: monotonic})
	job := randread(t, time.Second)
	if _, err := start(t.Context(), t, e, job); err == nil {
		t.Errorf("a fio without a report was a success")
	}
	if _, err := e.Start(t.Context(), job); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("second start: %v", err)
	}
}

// parentDir, where set, makes the test binary a powerd that starts fio and waits.
const parentDir = "FIO_TEST_PARENT_DIR"

// Parent for TestFioDiesWithItsParent; skipped otherwise.
func TestParentProcess(t *testing.T) {
	dir := os.Getenv(parentDir)
	if dir == "" {
		t.Skip("runs as a child of TestFioDiesWithItsParent only")
	}
	job := engine.Job{
		Step: "orphan", Target: filepath.Join(dir, "target.dat"), RW: "randread", BlockBytes: 4096,
		QueueDepth: 1, Jobs: 1, Duration: time.Hour, Dir: dir,
	}
	run, err := New(Options{Now: monotonic}).Start(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	<-run.Progress()
	writeFile(t, filepath.Join(dir, "running"), "")
	_, _ = run.Wait()
}

// powerd killed with SIGKILL takes fio along: nothing goes on writing to a drive
// that nobody watches.
func TestFioDiesWithItsParent(t *testing.T) {
	installed(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "target.dat"), strings.Repeat("x", 1<<20))
	parent := exec.Command(os.Args[0], "-test.run=^TestParentProcess$")
	parent.Env = append(os.Environ(), parentDir+"="+dir)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "fio runs", func() bool {
		_, err := os.Stat(filepath.Join(dir, "running"))
		return err == nil
	})
	rec, err := readRecord(files{dir, "orphan"}.record())
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	eventually(t, "fio is gone", func() bool { return !alive(rec.PID) })
}

// alive reports whether the process runs; one that is dead but not reaped does
// not.
func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// eventually looks every 10 ms until ok, for as long as the test may take.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after a minute it is not so that %s", what)
		}
	}
}

// start runs a job to its end.
func start(ctx context.Context, t *testing.T, e *Engine, job engine.Job) (*engine.Result, error) {
	t.Helper()
	run, err := e.Start(ctx, job)
	if err != nil {
		t.Fatal(err)
	}
	return run.Wait()
}

// script makes a stand-in for fio that prints a version, else sets $out to the
// file asked for by --output and runs body.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fio")
	writeScript(t, path, `for a in "$@"; do
case "$a" in
--version) echo fio-3.33; exit 0;;
--output=*) out="${a#--output=}";;
esac
done
`+body)
	return path
}

func writeScript(t *testing.T, path, body string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A user's job file asks for a day where the step says half a second: fio is
// stopped soon after, and the step says why. What was done until then is reported.
func TestOverdueJobIsStopped(t *testing.T) {
	installed(t)
	job := randread(t, 500*time.Millisecond)
	job.JobFile = filepath.Join(t.TempDir(), "day.fio")
	writeFile(t, job.JobFile, "[day]\nrw=randread\nbs=4k\nsize=16m\ntime_based=1\nruntime=86400\n")
	e := New(Options{Now: monotonic})
	e.margin = time.Second
	res, err := start(t.Context(), t, e, job)
	var jobErr *engine.JobError
	if !errors.As(err, &jobErr) || !strings.Contains(jobErr.Why, "did not end by itself: it was to run 0.5 s") {
		t.Fatalf("%v, want a step that did not end", err)
	}
	if errors.Is(err, context.Canceled) {
		t.Errorf("%v is taken for the user's interrupt", err)
	}
	if res == nil || !res.Interrupted || res.IOs() == 0 {
		t.Errorf("result %+v, want what was done until then, marked", res)
	}
}

// 10 s after a ramp of 10 s may take 10 % and 30 s more: 52 s. A job without a time
// of its own has no limit.
func TestLimitOfAJob(t *testing.T) {
	e := New(Options{Now: monotonic})
	if got := e.limit(engine.Job{Duration: 10 * time.Second, Ramp: 10 * time.Second}); got != 52*time.Second {
		t.Errorf("limit %v, want 52s", got)
	}
	if got := e.limit(engine.Job{}); got != 0 {
		t.Errorf("limit without a duration %v, want none", got)
	}
}

// A job that is to write a file of 8 MiB twice ends after 16 MiB, well before its minute is
// over, and is whole; one that cannot write as much in its second ends with that.
func TestJobEndsOnceSoMuchIsWritten(t *testing.T) {
	installed(t)
	job := engine.Job{
		Step: "fill", Target: targetFile(t, 8<<20), RW: "write", BlockBytes: 128 << 10, QueueDepth: 4, Jobs: 1,
		Duration: time.Minute, StopBytes: 16 << 20, Dir: t.TempDir(),
	}
	run, err := New(Options{Now: monotonic}).Start(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	for range run.Progress() {
	}
	if res, err := run.Wait(); err != nil || res.Write.Bytes != 16<<20 || res.Interrupted || res.EndNs-res.StartNs > 30e9 {
		t.Errorf("%+v, %v", res, err)
	}
	job.Step, job.Duration, job.StopBytes = "short", time.Second, 1<<50
	job.RateIOPS = 20
	if run, err = New(Options{Now: monotonic}).Start(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	for range run.Progress() {
	}
	if res, err := run.Wait(); err != nil || res.Write.Bytes == 0 || res.Write.Bytes > 64<<20 {
		t.Errorf("within a second: %+v, %v", res, err)
	}
}
