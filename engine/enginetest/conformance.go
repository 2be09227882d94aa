package enginetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"powerd/engine"
)

// Subject is an engine to be tried.
type Subject struct {
	Engine engine.Engine
	// Job returns a read job on a fresh target that the engine can run. Its Dir
	// is empty and its Duration is between 1 and 5 s.
	Job func(t *testing.T) engine.Job
	// MinIOs is what the job does at least.
	MinIOs uint64
}

// Run tries the promises of package engine on s.
func Run(t *testing.T, s Subject) {
	t.Run("probe names a version", func(t *testing.T) {
		v, err := s.Engine.Probe(t.Context())
		if err != nil || v == "" {
			t.Fatalf("Probe() = %q, %v; want a version", v, err)
		}
	})
	t.Run("check takes a good job and leaves no trace", func(t *testing.T) { checkGood(t, s) })
	t.Run("check refuses a target that isn't there and creates nothing", func(t *testing.T) { checkMissing(t, s) })
	t.Run("check refuses a directory as target", func(t *testing.T) {
		job := s.Job(t)
		job.Target = t.TempDir()
		if err := s.Engine.Check(t.Context(), job); !errors.Is(err, engine.ErrTarget) {
			t.Fatalf("Check(directory) = %v, want ErrTarget", err)
		}
	})
	t.Run("check refuses a region beyond the target's end", func(t *testing.T) {
		job := s.Job(t)
		job.SizeBytes = 1 << 50
		if err := s.Engine.Check(t.Context(), job); !errors.Is(err, engine.ErrTarget) {
			t.Fatalf("Check(1 PiB) = %v, want ErrTarget", err)
		}
	})
	t.Run("a job gives a window, totals and a series, and files alone give them again", func(t *testing.T) { runJob(t, s) })
	t.Run("a cancelled job says what it did", func(t *testing.T) { cancelJob(t, s) })
}

func checkGood(t *testing.T, s Subject) {
	job := s.Job(t)
	before := stat(t, job.Target)
	if err := s.Engine.Check(t.Context(), job); err != nil {
		t.Fatalf("Check() = %v, want nil", err)
	}
	if after := stat(t, job.Target); after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("Check changed the target: %v → %v", before, after)
	}
	if left := list(t, job.Dir); len(left) != 0 {
		t.Errorf("Check left %v in the job's folder", left)
	}
}

func checkMissing(t *testing.T, s Subject) {
	job := s.Job(t)
	dir := t.TempDir()
	job.Target = filepath.Join(dir, "mistyped")
	if err := s.Engine.Check(t.Context(), job); !errors.Is(err, engine.ErrTarget) {
		t.Errorf("Check(missing target) = %v, want ErrTarget", err)
	}
	if _, err := s.Engine.Start(t.Context(), job); err == nil {
		t.Errorf("Start(missing target) = nil, want an error")
	}
	if left := list(t, dir); len(left) != 0 {
		t.Errorf("a mistyped target was created: %v", left)
	}
}

func runJob(t *testing.T, s Subject) {
	job := s.Job(t)
	run, err := s.Engine.Start(t.Context(), job)
	if err != nil {
		t.Fatalf("Start() = %v", err)
	}
	var previewed uint64
	for p := range run.Progress() { // ends: the channel is closed
		previewed += p.Interval.Reads
		if p.Interval.EndNs <= p.Interval.StartNs {
			t.Errorf("progress over an empty interval: %+v", p)
		}
	}
	res, err := run.Wait()
	if err != nil || res == nil {
		t.Fatalf("Wait() = %+v, %v", res, err)
	}
	checkResult(t, s, job, res)
	if previewed > res.IOs() && job.Ramp == 0 {
		t.Errorf("previews add up to %d IOs, more than the total %d", previewed, res.IOs())
	}
	again, err := s.Engine.Load(job)
	if err != nil {
		t.Fatalf("Load() = %v", err)
	}
	if !reflect.DeepEqual(res, again) {
		t.Errorf("Load differs from Wait:\n%+v\n%+v", again, res)
	}
}

func checkResult(t *testing.T, s Subject, job engine.Job, res *engine.Result) {
	t.Helper()
	if res.IOs() < s.MinIOs || res.Write.IOs != 0 {
		t.Errorf("%d reads and %d writes, want at least %d and none", res.Read.IOs, res.Write.IOs, s.MinIOs)
	}
	if want := res.IOs() * uint64(job.BlockBytes); res.Bytes() < want*99/100 || res.Bytes() > want*101/100 {
		t.Errorf("%d bytes, want %d IOs × %d", res.Bytes(), res.IOs(), job.BlockBytes)
	}
	if length := time.Duration(res.EndNs - res.StartNs); length < job.Duration*95/100 || res.EdgeU95Ns <= 0 {
		t.Errorf("window of %v ± %d ns, asked were %v", length, res.EdgeU95Ns, job.Duration)
	}
	if res.Interrupted || res.Engine == "" || res.Version == "" {
		t.Errorf("interrupted %v, engine %q, version %q", res.Interrupted, res.Engine, res.Version)
	}
	CheckIntervals(t, res.Intervals)
}

// CheckIntervals tries what is promised of a series, whoever it comes from: there is
// one, in time order, and none of its intervals is empty or over another.
func CheckIntervals(t *testing.T, series []engine.Interval) {
	t.Helper()
	end := int64(0)
	for _, iv := range series {
		if iv.StartNs < end || iv.EndNs <= iv.StartNs {
			t.Errorf("interval %+v is empty, or overlaps the one before (end %d)", iv, end)
		}
		end = iv.EndNs
	}
	if len(series) == 0 {
		t.Errorf("no series")
	}
}

func cancelJob(t *testing.T, s Subject) {
	job := s.Job(t)
	job.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err := s.Engine.Start(ctx, job)
	if err != nil {
		t.Fatalf("Start() = %v", err)
	}
	if _, open := <-run.Progress(); !open {
		t.Errorf("the job ended before any progress")
	}
	cancel()
	for range run.Progress() {
	}
	res, err := run.Wait()
	var jobErr *engine.JobError
	if !errors.As(err, &jobErr) || !errors.Is(err, context.Canceled) || jobErr.Step != job.Step {
		t.Fatalf("Wait() error = %v, want a JobError of step %s by context.Canceled", err, job.Step)
	}
	if res == nil || !res.Interrupted || res.IOs() == 0 {
		t.Fatalf("Wait() = %+v, want a partial result marked interrupted", res)
	}
	again, err := s.Engine.Load(job)
	if !errors.As(err, &jobErr) || !reflect.DeepEqual(res, again) {
		t.Errorf("Load() = %+v, %v; want what Wait gave", again, err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
