package fio

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"powerd/engine"
)

func resultForWarnings() *engine.Result { return &engine.Result{} }

// failed loads a step that must have failed.
func failed(t *testing.T, job engine.Job) (*engine.Result, *engine.JobError) {
	t.Helper()
	res, err := load(job)
	var jobErr *engine.JobError
	if !errors.As(err, &jobErr) {
		t.Fatalf("load error = %v, want a JobError", err)
	}
	return res, jobErr
}

// The worker got SIGSEGV after 1.5 s of 4: exit code 0, error 0, 50377 IOs and a
// runtime of 0. Only the text around the document tells.
func TestCrashedWorkerIsNoSuccess(t *testing.T) {
	job := stage(t, "3.33-worker-crashed", ended(1_796_062_299_003, 1_796_062_300_522, 0))
	job.Duration = 4 * second
	res, err := failed(t, job)
	if err.Why != "worker crashed" || !res.Interrupted || res.IOs() != 50_377 {
		t.Errorf("why %q, interrupted %v, %d IOs", err.Why, res.Interrupted, res.IOs())
	}
	if len(res.Messages) != 2 {
		t.Errorf("messages %q, want each of the two once", res.Messages)
	}
}

// SIGINT after 2 s of 8: exit code 128, a line before the document, logs
// written. What was done counts: 46471 IOs in 1.702 s, from the first row
// (1796061487831 less 500 ms) on.
func TestInterruptedRunKeepsWhatWasDone(t *testing.T) {
	rec := ended(1_796_061_487_028, 1_796_061_489_066, 128)
	rec.Cancelled = true
	job := stage(t, "3.33-interrupted", rec)
	job.Duration = 8 * second
	res, err := failed(t, job)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Why, "1.7 s of 8.0 s") {
		t.Errorf("error %v", err)
	}
	if !res.Interrupted || res.IOs() != 46_471 || len(res.Intervals) != 3 {
		t.Errorf("interrupted %v, %d IOs, %d intervals", res.Interrupted, res.IOs(), len(res.Intervals))
	}
	// Two floors make it 1 ms more.
	if want := (1_796_061_487_331 + 1 - bootUnixMs) * msNs; res.StartNs != want {
		t.Errorf("start %d, want %d", res.StartNs, want)
	}
	// Somebody else's SIGINT is not powerd's.
	rec.Cancelled = false
	job = stage(t, "3.33-interrupted", rec)
	if _, err := failed(t, job); errors.Is(err, context.Canceled) || !strings.Contains(err.Why, "told to stop") {
		t.Errorf("error %v", err)
	}
}

// Only the exit code and a line of text tell that the target did not exist.
func TestMistypedTargetIsNoSuccess(t *testing.T) {
	_, err := failed(t, stage(t, "3.33-no-create", ended(1_796_061_482_300, 1_796_061_482_600, 1)))
	if err.Why != "exit code 1" || !strings.Contains(err.Hint, "check its name") {
		t.Errorf("%v", err)
	}
}

// No space: error 28 in the report; where the text stands differs by version.
func TestNoSpaceIsNoSuccess(t *testing.T) {
	for _, fixture := range []string{"3.33-enospc", "3.42-enospc"} {
		_, err := failed(t, stage(t, fixture, ended(1_796_061_526_800, 1_796_061_527_100, 1)))
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Hint, "full") {
			t.Errorf("%s: %v", fixture, err)
		}
	}
}

// An option that fio doesn't know leaves no report at all.
func TestNoReportIsNoSuccess(t *testing.T) {
	rec := ended(1_796_061_480_000, 1_796_061_480_050, 1)
	res, err := failed(t, stage(t, "3.33-bad-option", rec))
	if res != nil || err.Why != "exit code 1" || len(err.Messages) == 0 || err.Hint == "" {
		t.Errorf("%+v, %v", res, err)
	}
}

// 2 s of 5 are no success whatever the exit code; 95 % are enough.
func TestShortRunIsNoSuccess(t *testing.T) {
	job := stageDocument(t, made(t, "cumulative.json")) // 3 s
	job.Duration = 5 * second
	if _, err := failed(t, job); err.Why != "ran 3.00 s of 5.00 s" {
		t.Errorf("%v", err)
	}
	job.Duration = 3150 * time.Millisecond // 3 s are 95.2 % of it
	mustLoad(t, job)
}

// Without a record the figures stand, with a warning and without a window.
func TestReportWithoutRecord(t *testing.T) {
	res := mustLoad(t, stage(t, "3.33-two-clones", nil))
	if res.IOs() != 184_214 || res.StartNs != 0 || warned(res, "no-record") == "" {
		t.Errorf("%d IOs, start %d, %v", res.IOs(), res.StartNs, res.Warnings)
	}
	if _, err := load(engine.Job{Step: "none", Dir: t.TempDir()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("load of nothing: %v", err)
	}
}

// A record without an end: powerd died first.
func TestRunWhoseEndWasNotSeen(t *testing.T) {
	rec := ended(1_796_061_427_125, 0, 0)
	rec.Ended, rec.ExitMonoNs, rec.ExitUnixNs = false, 0, 0
	res, err := failed(t, stage(t, "3.33-two-clones", rec))
	if !res.Interrupted || !strings.Contains(err.Why, "not seen") {
		t.Errorf("interrupted %v, %v", res.Interrupted, err)
	}
}

// 30000 IOPS of 1 ms each are 30 in flight; where 32 were asked that is within
// tolerance, where 64 were it isn't, nor where 16 were.
func TestDepthByLittlesLaw(t *testing.T) {
	ios, runtime, n, mean := uint64(30_000), uint64(1000), uint64(30_000), 1e6
	for _, c := range []struct {
		depth string
		warn  bool
	}{{"32", false}, {"64", true}, {"16", true}} {
		d := &document{version: Version{3, 33}, Entries: []entry{{
			Options: map[string]string{"ioengine": "libaio", "iodepth": c.depth},
			Read:    &totals{IOs: &ios, RuntimeMs: &runtime, LatNs: &moments{N: &n, Mean: &mean}},
		}}}
		res := resultForWarnings()
		checkDepth(d, warnInto(res))
		if got := warned(res, "depth-disagrees") != ""; got != c.warn {
			t.Errorf("depth %s: warned %v, want %v", c.depth, got, c.warn)
		}
	}
}

// Real closed-loop runs raise no warning of any check.
func TestChecksAreQuietOnGoodRuns(t *testing.T) {
	for _, fixture := range []string{"3.33-unix-log", "3.33-two-clones"} {
		spawn := map[string]int64{"3.33-unix-log": 1_796_061_412_953, "3.33-two-clones": 1_796_061_427_125}[fixture]
		res := mustLoad(t, stage(t, fixture, ended(spawn, spawn+4316, 0)))
		if len(res.Warnings) != 0 {
			t.Errorf("%s: %v", fixture, res.Warnings)
		}
	}
}

// 1000 IOPS were demanded, 900 came: below 98 %.
func TestDemandNotMet(t *testing.T) {
	res := &engine.Result{Read: engine.Direction{IOs: 900, Runtime: second}}
	checkDemand(engine.Job{RateIOPS: 1000}, res, warnInto(res))
	if warned(res, "demand-not-met") == "" {
		t.Errorf("no warning")
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		text string
		want Version
	}{
		{"fio-3.33\n", Version{3, 33}},
		{"fio-3.36-12-gabcdef", Version{3, 36}},
		{"fio-2.1.10", Version{2, 1}},
	} {
		if got, err := ParseVersion(c.text); err != nil || got != c.want {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "fio", "fio-", "fio-3", "fio-3.", "3.33", "fio--1.2", "fio-99999999999.1"} {
		if v, err := ParseVersion(text); err == nil {
			t.Errorf("%q: %v, want an error", text, v)
		}
	}
	for _, c := range []struct {
		v                 Version
		refused, remarked bool
	}{
		{Version{3, 29}, true, false},
		{Version{2, 99}, true, false},
		{Version{3, 30}, false, false},
		{Version{3, 42}, false, false},
		{Version{3, 43}, false, true},
		{Version{4, 0}, false, true},
	} {
		remark, err := supported(c.v)
		if (err != nil) != c.refused || (remark != "") != c.remarked {
			t.Errorf("%v: %q, %v", c.v, remark, err)
		}
	}
}
